import { expect, it } from 'vitest'
import { findPrintedArea } from './ink.ts'

/** White page of 100 × 100 pixels with one dark rectangle. */
function pageWith(rectangle: { x: number; y: number; width: number; height: number } | null) {
  const data = new Uint8ClampedArray(100 * 100 * 4).fill(255)
  const { x, y, width, height } = rectangle ?? { x: 0, y: 0, width: 0, height: 0 }
  for (let row = y; row < y + height; row += 1) data.fill(0, (row * 100 + x) * 4, (row * 100 + x + width) * 4)
  return { data, width: 100, height: 100 }
}

it('a page is shown from its first content, without its margins', () => {
  const { left, top, zoom } = findPrintedArea(pageWith({ x: 13, y: 33, width: 74, height: 10 }))
  expect(left).toBeCloseTo(0.1)
  expect(top).toBeCloseTo(0.3)
  expect(zoom).toBeCloseTo(1.25)
})

it('the zoom is limited for little content, and nothing beyond the page is shown', () => {
  const { left, top, zoom } = findPrintedArea(pageWith({ x: 80, y: 90, width: 15, height: 5 }))
  expect(zoom).toBe(1.8)
  expect(left).toBeCloseTo(1 - 1 / 1.8)
  expect(top).toBe(0.6)
})

it('an empty page and an image up to the edges are shown in full', () => {
  expect(findPrintedArea(pageWith(null))).toEqual({ left: 0, top: 0, zoom: 1 })
  expect(findPrintedArea(pageWith({ x: 0, y: 1, width: 100, height: 99 }))).toMatchObject({ left: 0, top: 0, zoom: 1 })
})
