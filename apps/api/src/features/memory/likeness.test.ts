import { expect, test } from 'vitest'
import { likeness } from './likeness.ts'

/** How much words of five letters and more are worth with none, one and two mistakes. */
const [same, oneMistake, twoMistakes] = [0.92, 0.8, 0.68]

test.each([
  ['harbour', 'harbour', same],
  ['harbor', 'harbour', oneMistake],
  ['harboour', 'harbour', oneMistake],
  ['harbuor', 'harbour', oneMistake],
  ['larbour', 'harbour', oneMistake],
  ['harbous', 'harbour', oneMistake],
  ['ahrbour', 'harbour', oneMistake],
  ['hrbuor', 'harbour', 0],
  ['arbou', 'harbour', 0],
  ['lighthuose', 'lighthouse', oneMistake],
  ['ligthhuose', 'lighthouse', twoMistakes],
  ['ightouse', 'lighthouse', twoMistakes],
  ['lyghtxhouse', 'lighthouse', twoMistakes],
  ['ilgthhuose', 'lighthouse', 0],
  ['lighthouses', 'lighthouse', 0.7],
  ['café', 'cafe', same],
  ['boathouse', 'lighthouse', 0],
] as const)('%s for %s', (word, wanted, weight) => {
  expect(likeness(word, wanted)).toBeCloseTo(weight)
})

test('words of any length are compared, the longest first or last', () => {
  const long = 'abcdefghij'.repeat(30)
  expect(likeness(`x${long.slice(1)}`, long)).toBeCloseTo(oneMistake)
  expect(likeness('harbor', 'harbour')).toBeCloseTo(oneMistake)
  expect(likeness(long.slice(3), long)).toBe(0)
})
