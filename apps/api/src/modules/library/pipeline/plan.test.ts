import { expect, test } from 'vitest'
import { isLongStep, spaceForStep } from './plan.ts'

const film = { mediaType: 'video', sizeBytes: 100e6, durationSeconds: 600, pageCount: null } as const
const recording = { ...film, mediaType: 'audio' } as const

test('making vectors of a very long film or document lets others go first, of usual ones it does not', () => {
  const pages = (pageCount: number) => ({ ...film, mediaType: 'document', durationSeconds: null, pageCount }) as const
  for (const name of ['embed', 'look'] as const) {
    expect(isLongStep({ ...film, durationSeconds: 30 * 3600 }, name)).toBe(true)
    expect(isLongStep(film, name)).toBe(false)
    expect(isLongStep(pages(2000), name)).toBe(true)
    expect(isLongStep(pages(40), name)).toBe(false)
  }
})

test('room is asked for where sound is taken out and copies are made, and half a gigabyte is left', () => {
  expect(spaceForStep(film, 'transcribe')).toBe(500e6 + 600 * 32_000)
  expect(spaceForStep(film, 'playback')).toBe(500e6 + 2 * 600 * 400_000)
  expect(spaceForStep(recording, 'inspect')).toBe(500e6 + 600 * 32_000)
  expect(spaceForStep(film, 'inspect')).toBeNull()
  expect(spaceForStep({ ...film, mediaType: 'document' }, 'read')).toBeNull()
})

test('a length that is a lie, or not told, asks for no more than is ever written', () => {
  expect(spaceForStep({ ...film, durationSeconds: 1e9 }, 'playback')).toBe(500e6 + 2 * 2e9)
  expect(spaceForStep({ ...recording, durationSeconds: null }, 'inspect')).toBe(500e6 + 1.4e9)
  expect(spaceForStep({ ...recording, durationSeconds: null, sizeBytes: 1e6 }, 'inspect')).toBe(500e6 + 16e6)
})
