import { expect, it } from 'vitest'
import { positionThatKeeps } from './result-places.tsx'

const place = { width: 320, height: 180 }

it('moves a tall picture so that a line at its top, its middle or its end is seen', () => {
  const letter = { width: 1000, height: 1415 }
  const at = (y: number) => positionThatKeeps([0.3, y], letter, place)
  expect([at(0.12), at(0.5), at(0.95)]).toEqual(['50% 0%', '50% 50%', '50% 100%'])
  // 40 of 100 of its height are seen: a point at 30 is in the middle when it begins at 10
  expect(at(0.3)).toBe('50% 17%')
})

it('moves a wide one to the side, and one that is seen whole nowhere', () => {
  expect(positionThatKeeps([0.9, 0.1], { width: 2000, height: 500 }, place)).toBe('100% 50%')
  expect(positionThatKeeps([0.9, 0.1], { width: 1600, height: 900 }, place)).toBe('50% 50%')
})
