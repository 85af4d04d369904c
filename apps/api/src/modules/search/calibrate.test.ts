import { describe, expect, test } from 'vitest'
import { calibrate } from './weights.ts'

/** A row with this cosine to the query, and cosines to unrelated questions with this mean and spread. */
const row = (cosine: number, base: number, spread: number) => ({
  id: 'x',
  cosine,
  probeCosines: [-1.2, -0.8, -0.4, 0, 0.4, 0.8, 1.2, 1.6].map((deviations) => base + deviations * spread),
})

describe('the certainty of a match', () => {
  test.each([
    ['puts everything near 0.8', 0.8, 0.03],
    ['puts everything near 0', 0, 0.08],
  ])('is the same for a model that %s', (_name, base, spread) => {
    const [chance, match] = calibrate([row(base + spread, base, spread), row(base + 8 * spread, base, spread)])
    expect(chance).toBe(0)
    expect(match).toBeGreaterThan(0.9)
  })

  test('grows with the cosine, from 0 to 0.97', () => {
    const sure = calibrate([0.2, 0.4, 0.6, 0.8, 1].map((cosine) => row(cosine, 0.1, 0.07)))
    expect(sure).toEqual(sure.toSorted((a, b) => a - b))
    expect([sure[0], sure.at(-1)]).toEqual([0, 0.97])
  })

  test('isn’t reduced when one of the probes happens to match the text', () => {
    const probeCosines = [0, 0, 0, 0, 0, 0, 0, 0.9]
    expect(calibrate([{ id: 'x', cosine: 0.7, probeCosines }])[0]).toBe(0.97)
  })

  test('is 0 for tiny differences when everything is equally far', () => {
    expect(calibrate([{ id: 'x', cosine: 0.05, probeCosines: [0, 0, 0, 0, 0, 0, 0, 0] }])).toEqual([0])
    expect(calibrate([])).toEqual([])
  })
})
