import { expect, test } from 'vitest'
import { shownProbabilities } from './present.ts'

test('no result is shown as more certain than one above it, and found results stay found', () => {
  const hits = [0.94, 0.98, 0.31, 0.6, 0.4, 0.72, 0.12].map((probability) => ({ probability }))
  expect(shownProbabilities(hits)).toEqual([0.94, 0.94, 0.31, 0.6, 0.31, 0.6, 0.12])
})
