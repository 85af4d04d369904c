import { expect, test } from 'vitest'
import { shownCertainties } from './present.ts'

test('no result is told as surer than one that stands above it, and what is found stays found', () => {
  const hits = [0.94, 0.98, 0.31, 0.6, 0.4, 0.72, 0.12].map((probability) => ({ probability }))
  expect(shownCertainties(hits)).toEqual([0.94, 0.94, 0.31, 0.6, 0.31, 0.6, 0.12])
})
