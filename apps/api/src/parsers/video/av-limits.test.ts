import { expect, test } from 'vitest'
import { StorageFullError, ValidationError } from '../../errors.ts'
import { asMediaError, playbackTimeoutMs } from './av.ts'

test('a copy to play may take as long as it plays, within limits, and half an hour when nobody knows how long that is', () => {
  const minutes = [null, 5, 3600, 40 * 3600].map((seconds) => playbackTimeoutMs(seconds) / 60_000)
  expect(minutes).toEqual([30, 10, 60, 360])
})

test.each(['No space left on device', 'Disk quota exceeded'])('"%s" is no fault of the file', (message) => {
  expect(asMediaError(`av_interleaved_write_frame(): ${message}`)).toBeInstanceOf(StorageFullError)
  expect(asMediaError('Invalid data found when processing input')).toBeInstanceOf(ValidationError)
})
