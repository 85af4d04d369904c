import { describe, expect, test } from 'vitest'
import { fastestMs } from '../../../../test/fastest.ts'
import type { LockedMoment } from '../pipeline/results.store.ts'
import type { NewMoment } from '../pipeline/step.ts'
import { isCorrectedBy } from './moment-locations.ts'

const nowhere = { frameNumber: null, page: null, startSeconds: null, endSeconds: null, characterOffset: null }
const locked = (location: Partial<LockedMoment>): LockedMoment => ({
  id: 'x',
  body: 'Theirs.',
  ...nowhere,
  ...location,
})
const fresh = (kind: NewMoment['kind'], location: Partial<NewMoment> = {}): NewMoment => ({
  ...{ kind, body: 'New.', engine: 'built-in', model: null },
  ...location,
})
const timeSpan = (startSeconds: number, endSeconds: number) => ({ startSeconds, endSeconds })

describe('a corrected location', () => {
  test('is a frame, a page, or all of an item except its frames', () => {
    const isCorrected = isCorrectedBy([locked({ page: 2 }), locked({ frameNumber: 3 })])
    const results = [{ page: 2 }, { frameNumber: 3 }, { page: 3 }, { frameNumber: 2 }, {}].map((location) =>
      isCorrected(fresh('text', location)),
    )
    expect(results).toEqual([true, true, false, false, false])
    const isItemCorrected = isCorrectedBy([locked({})])
    expect([{}, { page: 1 }, { frameNumber: 1 }].map((location) => isItemCorrected(fresh('text', location)))).toEqual([
      true,
      true,
      false,
    ])
  })

  test('covers speech when the middle of one time span lies in the other', () => {
    const isCorrected = isCorrectedBy(
      [timeSpan(0, 100), timeSpan(2, 4), timeSpan(200, 204), timeSpan(300, 300)].map(locked),
    )
    const spans = [
      [60, 70],
      [190, 210],
      [202, 203],
      [99, 103],
      [203, 207],
      [120, 130],
      [299, 301],
    ] as const
    const results = spans.map(([start, end]) => isCorrected(fresh('speech', timeSpan(start, end))))
    expect(results).toEqual([true, true, true, false, false, false, true])
  })

  test('covers the same moments as a comparison of every pair', () => {
    let seed = 1
    const random = (limit: number) => {
      seed = (seed * 48_271) % 2_147_483_647
      return seed % limit
    }
    const span = () => {
      const start = random(500)
      return timeSpan(start, start + random(12))
    }
    const corrections = Array.from({ length: 20 }, () => locked(span()))
    const isCorrected = isCorrectedBy(corrections)
    const middle = ({ startSeconds, endSeconds }: ReturnType<typeof span>) => (startSeconds + endSeconds) / 2
    const contains = ({ startSeconds, endSeconds }: ReturnType<typeof span>, second: number) =>
      startSeconds <= second && second <= endSeconds
    const counts = { corrected: 0, uncorrected: 0 }
    for (let n = 0; n < 500; n++) {
      const location = span()
      const expected = corrections.some((correction) => {
        const correctedSpan = timeSpan(correction.startSeconds ?? 0, correction.endSeconds ?? 0)
        return contains(correctedSpan, middle(location)) || contains(location, middle(correctedSpan))
      })
      expect(isCorrected(fresh('speech', location))).toBe(expected)
      counts[expected ? 'corrected' : 'uncorrected']++
    }
    expect(Math.min(counts.corrected, counts.uncorrected)).toBeGreaterThan(50)
  })
})

test('handles thousands of corrections in under a second', async () => {
  const corrections = Array.from({ length: 20_000 }, (_, n) => locked(timeSpan(n * 2, n * 2 + 1)))
  const moments = Array.from({ length: 20_000 }, (_, n) => fresh('speech', timeSpan(n * 2 + 1.2, n * 2 + 1.8)))
  // Comparing every pair takes more than ten seconds.
  const fastest = await fastestMs(() => expect(moments.some(isCorrectedBy(corrections))).toBe(false))
  expect(fastest).toBeLessThan(1000)
})
