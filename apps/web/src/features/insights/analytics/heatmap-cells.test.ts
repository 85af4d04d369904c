import { expect, it } from 'vitest'
import { nextCell, shadeOf, shades } from './heatmap.tsx'

it('maps an intensity to one of five shades', () => {
  expect([0, 0.19, 0.2, 0.39, 0.4, 0.59, 0.6, 0.79, 0.8, 1].map(shadeOf)).toEqual(
    shades.flatMap((shade) => [shade, shade]),
  )
})

it('moves between cells with the arrow keys, Home and End, and stops at the edges', () => {
  const from = (cell: number) =>
    ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End'].map((key) => nextCell(cell, key))
  expect(from(24 + 5)).toEqual([28, 30, 5, 53, 24, 47])
  expect(from(0)).toEqual([0, 1, 0, 24, 0, 23])
  expect(from(167)).toEqual([166, 167, 143, 167, 144, 167])
  expect(nextCell(3, 'a')).toBeNull()
})
