import { expect, test } from 'vitest'
import { createFrameTexts } from './frame-texts.ts'

const read = (text: string, confidence: number | null = 0.8) => ({ text, words: [], confidence, language: null })
const rangesOf = (texts: string[], durationSeconds: number | null = 20) => {
  const frames = createFrameTexts()
  for (const [n, text] of texts.entries()) frames.add({ number: n + 1, startSeconds: n * 4 }, read(text))
  return frames
    .ranges(durationSeconds)
    .map(({ frameNumber, startSeconds, endSeconds, found }) => [frameNumber, startSeconds, endSeconds, found.text])
}

test('a text that stands through several frames counts once, until it goes', () => {
  expect(rangesOf(['', 'Open today', 'Open today', 'open today!', '', 'Closed'])).toEqual([
    [2, 4, 16, 'Open today'],
    [6, 20, 20, 'Closed'],
  ])
})

test('another text ends the one before it', () => {
  expect(rangesOf(['Arrivals', 'Departures'])).toEqual([
    [1, 0, 4, 'Arrivals'],
    [2, 4, 20, 'Departures'],
  ])
})

test('a text that comes back counts again', () => {
  expect(rangesOf(['Arrivals', '', 'Arrivals']).map(([frame]) => frame)).toEqual([1, 3])
})

test('of nearly the same readings the surest is kept, where it was first seen', () => {
  const frames = createFrameTexts()
  frames.add({ number: 1, startSeconds: 0 }, read('the next train leaves at noon from p1atform', 0.5))
  frames.add({ number: 2, startSeconds: 4 }, read('the next train leaves at noon from platform', 0.9))
  expect(frames.ranges(8)).toMatchObject([
    { frameNumber: 1, startSeconds: 0, endSeconds: 8, found: { text: 'the next train leaves at noon from platform' } },
  ])
})

test('a film of unknown length ends with its last frame', () => {
  expect(rangesOf(['Arrivals'], null)).toEqual([[1, 0, 0, 'Arrivals']])
})
