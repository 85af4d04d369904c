import { expect, test } from 'vitest'
import { compoundWeight, fold, misspellingWeight } from './evidence.ts'

/** Weights of words of five or more letters with no, one and two mistakes. */
const [same, oneMistake, twoMistakes] = [0.92, 0.8, 0.68]

test.each([
  ['harbour', 'harbour', same],
  ['harbor', 'harbour', oneMistake],
  ['harboour', 'harbour', oneMistake],
  ['harbuor', 'harbour', oneMistake],
  ['larbour', 'harbour', 0],
  ['each', 'beach', 0],
  ['bach', 'beach', oneMistake],
  ['harbous', 'harbour', oneMistake],
  ['ahrbour', 'harbour', oneMistake],
  ['hrbuor', 'harbour', 0],
  ['arbou', 'harbour', 0],
  ['lighthuose', 'lighthouse', oneMistake],
  ['ligthhuose', 'lighthouse', twoMistakes],
  ['ightouse', 'lighthouse', 0],
  ['lyghtxhouse', 'lighthouse', twoMistakes],
  ['ilgthhuose', 'lighthouse', 0],
  ['lighthouses', 'lighthouse', oneMistake],
  ['café', 'cafe', same],
  ['boathouse', 'lighthouse', 0],
] as const)('%s for %s', (word, term, weight) => {
  expect(misspellingWeight(fold(word), term)).toBeCloseTo(weight)
})

test('compares words of any length, in any order', () => {
  const long = 'abcdefghij'.repeat(30)
  expect(misspellingWeight(`${long.slice(0, -1)}x`, long)).toBeCloseTo(oneMistake)
  expect(misspellingWeight('harbor', 'harbour')).toBeCloseTo(oneMistake)
  expect(misspellingWeight(long.slice(3), long)).toBe(0)
})

test.each([
  ['stromrechnung', 'rechnung', true],
  ['stromrechnungen', 'rechnung', true],
  ['leasehold', 'lease', false],
  ['eventually', 'event', false],
  ['please', 'lease', false],
  ['release', 'lease', false],
  ['planet', 'plane', false],
  ['unusual', 'usual', false],
] as const)('%s as a compound of %s: %s', (word, term, isCompound) => {
  expect(compoundWeight(word, term) > 0).toBe(isCompound)
})
