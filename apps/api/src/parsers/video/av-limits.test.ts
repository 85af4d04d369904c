import { expect, test } from 'vitest'
import { playbackTimeoutMs } from './av.ts'

test('a copy to play may take as long as it plays, within limits, and half an hour when nobody knows how long that is', () => {
  const minutes = [null, 5, 3600, 40 * 3600].map((seconds) => playbackTimeoutMs(seconds) / 60_000)
  expect(minutes).toEqual([30, 10, 60, 360])
})
