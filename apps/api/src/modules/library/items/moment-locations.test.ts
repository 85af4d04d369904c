import { describe, expect, test } from 'vitest'
import { quickestMs } from '../../../../test/quickest.ts'
import type { LockedMoment } from '../pipeline/results.store.ts'
import type { NewMoment } from '../pipeline/step.ts'
import { isCorrectedBy } from './moment-locations.ts'

const nowhere = { frameNumber: null, page: null, startSeconds: null, endSeconds: null, characterOffset: null }
const locked = (place: Partial<LockedMoment>): LockedMoment => ({ id: 'x', body: 'Theirs.', ...nowhere, ...place })
const fresh = (kind: NewMoment['kind'], place: Partial<NewMoment> = {}): NewMoment => ({
  ...{ kind, body: 'New.', engine: 'built-in', model: null },
  ...place,
})
const timeSpan = (startSeconds: number, endSeconds: number) => ({ startSeconds, endSeconds })

describe('a place that a person has said something for', () => {
  test('is a frame, a page, or all of an item but its frames', () => {
    const ofPlaces = isCorrectedBy([locked({ page: 2 }), locked({ frameNumber: 3 })])
    const results = [{ page: 2 }, { frameNumber: 3 }, { page: 3 }, { frameNumber: 2 }, {}].map((place) =>
      ofPlaces(fresh('text', place)),
    )
    expect(results).toEqual([true, true, false, false, false])
    const ofAll = isCorrectedBy([locked({})])
    expect([{}, { page: 1 }, { frameNumber: 1 }].map((place) => ofAll(fresh('text', place)))).toEqual([
      true,
      true,
      false,
    ])
  })

  test('is what was said for most of the time of a moment, within another one or around it', () => {
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

  test('is found as one that looks at each of theirs finds it', () => {
    let seed = 1
    const random = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647
      return seed % below
    }
    const span = () => {
      const start = random(500)
      return timeSpan(start, start + random(12))
    }
    const theirs = Array.from({ length: 20 }, () => locked(span()))
    const isCorrected = isCorrectedBy(theirs)
    const middle = ({ startSeconds, endSeconds }: ReturnType<typeof span>) => (startSeconds + endSeconds) / 2
    const holds = ({ startSeconds, endSeconds }: ReturnType<typeof span>, second: number) =>
      startSeconds <= second && second <= endSeconds
    const counts = { taken: 0, free: 0 }
    for (let n = 0; n < 500; n++) {
      const place = span()
      const expected = theirs.some((one) => {
        const their = timeSpan(one.startSeconds ?? 0, one.endSeconds ?? 0)
        return holds(their, middle(place)) || holds(place, middle(their))
      })
      expect(isCorrected(fresh('speech', place))).toBe(expected)
      counts[expected ? 'taken' : 'free']++
    }
    expect(Math.min(counts.taken, counts.free)).toBeGreaterThan(50)
  })
})

test('thousands of corrections hold the server for no time that anybody notices', async () => {
  const theirs = Array.from({ length: 20_000 }, (_, n) => locked(timeSpan(n * 2, n * 2 + 1)))
  const moments = Array.from({ length: 20_000 }, (_, n) => fresh('speech', timeSpan(n * 2 + 1.2, n * 2 + 1.8)))
  // looking at each of theirs takes ten seconds and more
  const quickest = await quickestMs(() => expect(moments.some(isCorrectedBy(theirs))).toBe(false))
  expect(quickest).toBeLessThan(1000)
})
