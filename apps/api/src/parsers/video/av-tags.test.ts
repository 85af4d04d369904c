import { expect, test } from 'vitest'
import { tidyTags } from './av-tags.ts'

const identifiers = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`MUSICBRAINZ_${n}`, String(n)]))

test('keeps title, artist and date among any number of identifiers', () => {
  const { tags } = tidyTags('flac', { ...identifiers, TITLE: 'Long Drive', ARTIST: 'Jason Mraz', DATE: '2014' }, [])
  expect(tags).toMatchObject({ title: 'Long Drive', artist: 'Jason Mraz', date: '2014' })
  expect(Object.keys(tags)).toHaveLength(30)
})

test('prefers other tags to identifiers, and drops tags with garbled names and those of other programs', () => {
  const { tags } = tidyTags(
    'flac',
    { ...identifiers, BARCODE: '0777', 'a\ufffd\u0001(': 'Joe', MP3GAIN_UNDO: '+1' },
    [],
  )
  expect(tags).toMatchObject({ barcode: '0777', musicbrainz_0: '0' })
  expect(Object.values(tags)).not.toEqual(expect.arrayContaining(['Joe']))
  expect(tags).not.toHaveProperty('mp3gain_undo')
})

test('keeps title and place among any number of a phone’s own tags', () => {
  const phoneTags = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`com.example.${n}`, String(n)]))
  const { tags } = tidyTags('mov', { ...identifiers, ...phoneTags, title: 'Boats', location: '+48.2+016.3/' }, [])
  expect(tags).toMatchObject({ title: 'Boats', location: '+48.2+016.3/', 'com.example.0': '0' })
})

test.each(['matroska', 'mov', 'avi'])('doesn’t take the name of a track of %s for the title', (demuxer) => {
  const track = { title: 'Stereo', 'BPS-eng': '195622', 'DURATION-eng': '00:00:05', artist: 'Poxfil' }
  expect(tidyTags(demuxer, {}, [track]).tags).toEqual({ artist: 'Poxfil' })
})

test('reads the tags of an Ogg file from its stream', () => {
  expect(tidyTags('ogg', {}, [{ TITLE: 'Solid Ground' }]).tags).toEqual({ title: 'Solid Ground' })
})

test('gives the title and caption that Photos writes into a video their usual names, and keeps no text twice', () => {
  const rawTags = { 'com.apple.quicktime.title': 'Boats', 'com.apple.quicktime.description': 'In the harbour' }
  expect(
    tidyTags('mov', { ...rawTags, comment: 'Fog', 'comment-eng': 'Fog', 'comment-deu': 'Nebel' }, []).tags,
  ).toEqual({
    ...{ title: 'Boats', description: 'In the harbour', comment: 'Fog', 'comment-deu': 'Nebel' },
  })
})

test('reads the year of Windows Media as a date, and its lyrics', () => {
  const rawTags = { 'WM/Year': '2003', 'WM/Lyrics': 'La la', WMFSDKVersion: '9.00' }
  expect(tidyTags('asf', rawTags, [])).toEqual({ tags: { date: '2003' }, lyrics: 'La la' })
})
