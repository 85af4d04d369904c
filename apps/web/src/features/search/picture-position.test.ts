import { expect, it } from 'vitest'
import { objectPositionFor } from './result-places.tsx'

const frame = { width: 320, height: 180 }

it('shifts a tall image so that a line at its top, middle or bottom is visible', () => {
  const letter = { width: 1000, height: 1415 }
  const positionFor = (y: number) => objectPositionFor([0.3, y], letter, frame)
  expect([positionFor(0.12), positionFor(0.5), positionFor(0.95)]).toEqual(['50% 0%', '50% 50%', '50% 100%'])
  // 40 % of its height is visible: a point at 30 % is centred when the visible part starts at 10 %
  expect(positionFor(0.3)).toBe('50% 17%')
})

it('shifts a wide image sideways, and doesn’t shift one that is fully visible', () => {
  expect(objectPositionFor([0.9, 0.1], { width: 2000, height: 500 }, frame)).toBe('100% 50%')
  expect(objectPositionFor([0.9, 0.1], { width: 1600, height: 900 }, frame)).toBe('50% 50%')
})
