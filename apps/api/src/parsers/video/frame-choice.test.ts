import { expect, test } from 'vitest'
import { selectByChange } from './scene-frames.ts'

test('keeps the frames with the most change, and some from every part of the video', () => {
  const frames = Array.from({ length: 100 }, (_, n) => ({
    startSeconds: n * 36,
    change: n >= 40 && n < 50 ? 90 : n % 7,
  }))
  const selection = selectByChange(frames, 20)
  expect(selection).toHaveLength(20)
  expect(selection.map(({ startSeconds }) => startSeconds)).toEqual(
    selection.map(({ startSeconds }) => startSeconds).sort((one, other) => one - other),
  )
  const sudden = selection.filter(({ change }) => change === 90)
  expect(sudden).toHaveLength(10)
  // at least one from each tenth
  expect(new Set(selection.map(({ startSeconds }) => Math.floor(startSeconds / 360))).size).toBe(10)
})

test('keeps all of a few frames', () => {
  const frames = [0, 5, 9].map((startSeconds) => ({ startSeconds, change: 1 }))
  expect(selectByChange(frames, 3)).toEqual(frames)
})
