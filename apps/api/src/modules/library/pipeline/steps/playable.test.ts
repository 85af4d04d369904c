import { expect, test } from 'vitest'
import type { AvInfo } from '../../../../parsers/video/av.ts'
import { isPlayable } from './av-facts.ts'

const infoOf = (videoCodec: string | null, audioCodec: string | null, pixelFormat = 'yuv420p'): AvInfo => ({
  durationSeconds: 5,
  video: videoCodec === null ? null : { codec: videoCodec, width: 640, height: 360, framesPerSecond: 25, pixelFormat },
  audio: audioCodec === null ? null : { codec: audioCodec, sampleRate: 48_000, channels: 2 },
  hasCover: false,
  subtitleCount: 0,
  chapters: [],
  lyrics: null,
  tags: {},
})

test.each([
  ['mp4', 'h264', 'aac'],
  ['mp4', 'h264', null],
  ['mov', 'h264', 'mp3'],
  ['webm', 'vp9', 'opus'],
  ['webm', 'av1', 'vorbis'],
  ['mp3', null, 'mp3'],
  ['m4a', null, 'aac'],
  ['wav', null, 'pcm_s16le'],
  ['flac', null, 'flac'],
])('%s with %s and %s plays in every browser', (format, video, audio) => {
  expect(isPlayable(format, infoOf(video, audio))).toBe(true)
})

test.each([
  ['mp4', 'hevc', 'aac'],
  ['mp4', 'mpeg4', 'aac'],
  ['mp4', 'h264', 'ac3'],
  ['mkv', 'h264', 'aac'],
  ['avi', 'mpeg4', 'mp3'],
  ['asf', 'wmv2', 'wmav2'],
  ['flv', 'flv1', 'mp3'],
  ['ogg', null, 'vorbis'],
  ['aac', null, 'aac'],
  ['asf', null, 'wmav2'],
  ['m4a', null, 'alac'],
  ['mp4', null, null],
])('%s with %s and %s doesn’t play in every browser', (format, video, audio) => {
  expect(isPlayable(format, infoOf(video, audio))).toBe(false)
})

test('H.264 with 10 bits doesn’t play in every browser', () => {
  expect(isPlayable('mp4', infoOf('h264', 'aac', 'yuv420p10le'))).toBe(false)
})
