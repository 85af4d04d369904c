import { expect, test } from 'vitest'
import { StorageFullError, ValidationError } from '../../errors.ts'
import { asMediaError, playbackTimeoutMs } from './av.ts'

test('a playback copy may take as long as it plays, within limits, and half an hour when the duration is unknown', () => {
  const minutes = [null, 5, 3600, 40 * 3600].map((seconds) => playbackTimeoutMs(seconds) / 60_000)
  expect(minutes).toEqual([30, 10, 60, 360])
})

test.each(['No space left on device', 'Disk quota exceeded'])('"%s" is a full disk, not a damaged file', (message) => {
  expect(asMediaError(`av_interleaved_write_frame(): ${message}`)).toBeInstanceOf(StorageFullError)
  expect(asMediaError('Invalid data found when processing input')).toBeInstanceOf(ValidationError)
})
