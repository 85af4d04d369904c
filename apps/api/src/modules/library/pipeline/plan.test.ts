import { expect, test } from 'vitest'
import { isLongStep, spaceForStep } from './plan.ts'

const video = { mediaType: 'video', sizeBytes: 100e6, durationSeconds: 600, pageCount: null } as const
const recording = { ...video, mediaType: 'audio' } as const

test('embedding is a long step for very long videos and documents, but not for usual ones', () => {
  const pages = (pageCount: number) => ({ ...video, mediaType: 'document', durationSeconds: null, pageCount }) as const
  for (const name of ['embed', 'look'] as const) {
    expect(isLongStep({ ...video, durationSeconds: 30 * 3600 }, name)).toBe(true)
    expect(isLongStep(video, name)).toBe(false)
    expect(isLongStep(pages(2000), name)).toBe(true)
    expect(isLongStep(pages(40), name)).toBe(false)
  }
})

test('reserves space for extracted audio and copies, and leaves half a gigabyte free', () => {
  expect(spaceForStep(video, 'transcribe')).toBe(500e6 + 600 * 32_000)
  expect(spaceForStep(video, 'playback')).toBe(500e6 + 2 * 600 * 400_000)
  expect(spaceForStep(recording, 'inspect')).toBe(500e6 + 600 * 32_000)
  expect(spaceForStep(video, 'inspect')).toBeNull()
  expect(spaceForStep({ ...video, mediaType: 'document' }, 'read')).toBeNull()
})

test('reserves no more than can be written when the duration is wrong or unknown', () => {
  expect(spaceForStep({ ...video, durationSeconds: 1e9 }, 'playback')).toBe(500e6 + 2 * 2e9)
  expect(spaceForStep({ ...recording, durationSeconds: null }, 'inspect')).toBe(500e6 + 1.4e9)
  expect(spaceForStep({ ...recording, durationSeconds: null, sizeBytes: 1e6 }, 'inspect')).toBe(500e6 + 16e6)
})
