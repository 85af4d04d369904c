import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createTextJoiner } from './stream.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('joining pieces of text', () => {
  test('emits the first one immediately and then one per window', () => {
    const pieces: string[] = []
    const joiner = createTextJoiner(25, (text) => pieces.push(text))
    joiner.add('a')
    expect(pieces).toEqual(['a'])
    joiner.add('b')
    joiner.add('c')
    expect(pieces).toEqual(['a'])
    vi.advanceTimersByTime(25)
    expect(pieces).toEqual(['a', 'bc'])
    vi.advanceTimersByTime(1000)
    joiner.add('d')
    expect(pieces).toEqual(['a', 'bc', 'd'])
  })

  test('emits the rest on flush', () => {
    const pieces: string[] = []
    const joiner = createTextJoiner(25, (text) => pieces.push(text))
    joiner.add('a')
    joiner.add('b')
    joiner.flush()
    joiner.flush()
    vi.advanceTimersByTime(1000)
    expect(pieces).toEqual(['a', 'b'])
  })

  test('never splits a surrogate pair', () => {
    const pieces: string[] = []
    const joiner = createTextJoiner(25, (text) => pieces.push(text))
    joiner.add('a\ud83c')
    vi.advanceTimersByTime(100)
    joiner.add('\udf0a!')
    joiner.flush()
    expect(pieces).toEqual(['a', '🌊!'])
  })
})
