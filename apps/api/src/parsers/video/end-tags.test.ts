import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { tidyTags } from './av-tags.ts'
import { withEndTags } from './end-tags.ts'

const folder = mkdtempSync(join(tmpdir(), 'mira-end-tags-'))
afterAll(() => rmSync(folder, { recursive: true }))

const sound = Buffer.alloc(400, 0x55)
/** In Windows-1251. */
const cyrillic = { title: Buffer.from('cfe8eaede8ea', 'hex'), artist: Buffer.from('cae8edee', 'hex') }

function id3v1({ title, artist, year = '1986' }: { title: Buffer; artist: Buffer; year?: string }): Buffer {
  const tag = Buffer.alloc(128)
  tag.write('TAG', 'latin1')
  title.copy(tag, 3)
  artist.copy(tag, 33)
  tag.write(year, 93, 'latin1')
  tag[126] = 3
  return tag
}

function ape(texts: Record<string, string>): Buffer {
  const items = Object.entries(texts).map(([name, text]) => {
    const head = Buffer.alloc(8)
    head.writeUInt32LE(Buffer.byteLength(text))
    return Buffer.concat([head, Buffer.from(`${name}\0${text}`)])
  })
  const footer = Buffer.alloc(32)
  footer.write('APETAGEX', 'latin1')
  footer.writeUInt32LE(2000, 8)
  footer.writeUInt32LE(Buffer.concat(items).length + 32, 12)
  footer.writeUInt32LE(items.length, 16)
  return Buffer.concat([...items, footer])
}

async function tagsOf(parts: Buffer[], demuxerTags: Record<string, string>) {
  const filename = join(folder, 'a.mp3')
  writeFileSync(filename, Buffer.concat(parts))
  return tidyTags('mp3', await withEndTags(filename, 'mp3', demuxerTags), []).tags
}

test('reads an ID3v1 tag at the end of an MP3 in its encoding', async () => {
  const undecoded = { title: '\ufffd\ufffd', artist: '\ufffd', genre: 'Rock' }
  expect(await tagsOf([sound, id3v1(cyrillic)], undecoded)).toEqual({
    ...{ title: 'Пикник', artist: 'Кино', date: '1986', track: '3', genre: 'Rock' },
  })
})

test('prefers APEv2 to the truncated texts of ID3v1, and ID3v2 to APEv2', async () => {
  const end = [ape({ Title: 'Picnic by the roadside', Year: '1987', 'Album Artist': 'Kino' }), id3v1(cyrillic)]
  expect(await tagsOf([sound, ...end], {})).toMatchObject({
    ...{ title: 'Picnic by the roadside', date: '1987', album_artist: 'Kino', track: '3' },
  })
  const id3v2 = Buffer.from('ID3\x03\0\0\0\0\0\0', 'latin1')
  expect(await tagsOf([id3v2, sound, ...end], { title: 'Picnic' })).toMatchObject({ title: 'Picnic', date: '1987' })
})

test('ignores a tag with a wrong length', async () => {
  const tag = ape({ Title: 'Picnic' })
  for (const length of [0, 31, 4_000_000_000]) {
    tag.writeUInt32LE(length, tag.length - 20)
    expect(await tagsOf([sound, tag], { artist: 'Kino' })).toEqual({ artist: 'Kino' })
  }
})

test('reads APEv2 as UTF-8, whatever it looks like', async () => {
  const texts = { title: 'Çà et là', artist: 'Zoé Ñandú' }
  expect(await tagsOf([sound, ape(texts)], {})).toEqual(texts)
  expect(await tagsOf([sound, ape({ title: 'Çà' }), id3v1(cyrillic)], {})).toMatchObject({
    title: 'Çà',
    artist: 'Кино',
  })
})

test('truncates a long text in APEv2 before decoding it', async () => {
  const texts = { lyrics: 'é'.repeat(7_500_000), title: 'é' }
  const filename = join(folder, 'long.mp3')
  writeFileSync(filename, Buffer.concat([sound, ape(texts)]))
  expect(await withEndTags(filename, 'mp3', {})).toEqual({ lyrics: 'é'.repeat(20_000), title: 'é' })
})

test('takes texts that the demuxer couldn’t decode from the end, even with an empty ID3v2', async () => {
  const id3v2 = Buffer.from('ID3\x03\0\0\0\0\0\0', 'latin1')
  const undecoded = { title: '\ufffd\ufffd', artist: '\ufffd', genre: '\ufffd' }
  expect(await tagsOf([id3v2, sound, id3v1(cyrillic)], undecoded)).toMatchObject({
    ...{ title: 'Пикник', artist: 'Кино', genre: '\ufffd' },
  })
  const partlyDecoded = { ...undecoded, title: 'Picnic' }
  expect(await tagsOf([id3v2, sound, id3v1(cyrillic)], partlyDecoded)).toMatchObject({
    title: 'Picnic',
    artist: 'Кино',
  })
})

test('reads tags of programs with different encodings each in its own', async () => {
  const id3v2 = Buffer.from('ID3\x03\0\0\0\0\0\0', 'latin1')
  const utf8 = { title: Buffer.from('Пикник').toString('latin1') }
  expect(await tagsOf([id3v2, sound, id3v1(cyrillic)], utf8)).toMatchObject({ title: 'Пикник', artist: 'Кино' })
})

test.each(['0', '0000', '86'])('ignores the year %s', async (year) => {
  expect(await tagsOf([sound, id3v1({ ...cyrillic, year })], {})).not.toHaveProperty('date')
})

test('reads ID3v1 next to a broken APEv2', async () => {
  const tag = ape({ Title: 'Picnic' })
  tag.writeUInt32LE(5, tag.length - 20)
  expect(await tagsOf([sound, tag, id3v1(cyrillic)], {})).toMatchObject({ title: 'Пикник', artist: 'Кино' })
})
