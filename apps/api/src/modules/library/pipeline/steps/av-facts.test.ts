import { expect, test } from 'vitest'
import type { AvInfo } from '../../../../parsers/video/av.ts'
import { factsOfAv } from './av-facts.ts'

const info: AvInfo = {
  durationSeconds: 12.5,
  video: { codec: 'hevc', width: 1080, height: 1920, framesPerSecond: 29.970029, pixelFormat: 'yuv420p' },
  audio: { codec: 'aac', sampleRate: 48_000, channels: 2 },
  hasCover: false,
  subtitleCount: 0,
  chapters: [],
  lyrics: null,
  tags: {},
}

test('reads the facts that a phone stores in a video, without its place in the details', () => {
  const tags = {
    'com.apple.quicktime.make': 'Apple',
    'com.apple.quicktime.model': 'iPhone 15',
    'com.apple.quicktime.creationdate': '2024-05-03T14:22:11+0200',
    'com.apple.quicktime.location.iso6709': '+48.2082+016.3738+151.5/',
    creation_time: '2024-05-03T12:22:12.000000Z',
    title: 'The harbour',
  }
  expect(factsOfAv({ ...info, tags }, 'mov')).toEqual({
    width: 1080,
    height: 1920,
    durationSeconds: 12.5,
    takenAt: new Date('2024-05-03T12:22:11Z'),
    takenLocal: '2024-05-03T14:22:11',
    camera: 'Apple iPhone 15',
    latitude: 48.2082,
    longitude: 16.3738,
    details: {
      ...{
        title: 'The harbour',
        container: 'mov',
        video_codec: 'hevc',
        frames_per_second: 29.97,
      },
      ...{ audio_codec: 'aac', sample_rate: 48_000, channels: 2 },
    },
  })
})

test('combines the date and time of a field recorder, and ignores a date alone', () => {
  const tags = { date: '2022-06-05', creation_time: '14:36:22' }
  expect(factsOfAv({ ...info, video: null, tags }, 'wav')).toMatchObject({
    takenAt: new Date('2022-06-05T14:36:22Z'),
    takenLocal: '2022-06-05T14:36:22',
  })
  expect(factsOfAv({ ...info, video: null, tags: { date: '2022-06-05' } }, 'wav').takenAt).toBeNull()
})

test.each([
  ['a clock that was never set', { creation_time: '1904-01-01T00:00:00Z' }],
  ['a future date', { creation_time: '2400-01-01T00:00:00Z' }],
  ['an invalid date', { creation_time: 'yesterday' }],
  ['an invalid place', { location: 'at home' }],
  ['a receiver without a fix', { location: '+00.0000+000.0000/' }],
  ['coordinates out of range', { location: '+99.0+016.0/' }],
])('ignores %s', (_name, tags) => {
  const { takenAt, latitude, longitude, details } = factsOfAv({ ...info, tags }, 'mp4')
  expect({ takenAt, latitude, longitude }).toEqual({ takenAt: null, latitude: null, longitude: null })
  expect(JSON.stringify(details)).not.toMatch(/location|creation/)
})

test('names the maker once when the model starts with it', () => {
  const tags = { 'com.android.manufacturer': 'Fairphone', 'com.android.model': 'Fairphone 5' }
  expect(factsOfAv({ ...info, tags }, 'mp4').camera).toBe('Fairphone 5')
})

test('dates a video by its file name only when the video has no date', () => {
  const name = 'VID-20190704-WA0001.mp4'
  const facts = { takenLocal: '2019-07-04T12:00:00', details: { taken_from: 'file name' } }
  expect(factsOfAv(info, 'mp4', name)).toMatchObject({ takenAt: new Date('2019-07-04T12:00:00Z'), ...facts })
  const tags = { creation_time: '2019-07-03T12:22:12.000000Z' }
  const { takenAt, details } = factsOfAv({ ...info, tags }, 'mp4', name)
  expect(takenAt).toEqual(new Date('2019-07-03T12:22:12Z'))
  expect(details).not.toHaveProperty('taken_from')
})
