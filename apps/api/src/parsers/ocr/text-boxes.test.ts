import { expect, test } from 'vitest'
import { inReadingOrder } from './line-reading.ts'
import { findBoxes, type TextBox } from './text-boxes.ts'

/** Likelihood map in which everything within a rotated rectangle is text. */
function mapOf(box: Omit<TextBox, 'score'>, likelihood: number) {
  const [width, height] = [200, 120]
  const [cosine, sine] = [Math.cos((box.degrees * Math.PI) / 180), Math.sin((box.degrees * Math.PI) / 180)]
  const data = Float32Array.from({ length: width * height }, (_, index) => {
    const [x, y] = [(index % width) + 0.5 - box.x, Math.floor(index / width) + 0.5 - box.y]
    const isInside = Math.abs(x * cosine + y * sine) < box.width / 2 && Math.abs(y * cosine - x * sine) < box.height / 2
    return isInside ? likelihood : 0
  })
  return { width, height, data }
}

test.each([0, 8, -20, 90])('finds a line of text slanted by %i degrees', (degrees) => {
  const [box, ...others] = findBoxes(mapOf({ x: 100, y: 60, width: 90, height: 12, degrees }, 0.9))
  expect(others).toEqual([])
  expect(Math.hypot((box?.x ?? 0) - 100, (box?.y ?? 0) - 60)).toBeLessThan(1.5)
  expect(Math.abs((box?.degrees ?? 0) - degrees)).toBeLessThan(2)
  // larger, because the network finds only the middle of lines
  expect([(box?.width ?? 0) > 95, (box?.height ?? 0) > 20, (box?.height ?? 0) < 45]).toEqual([true, true, true])
})

test('ignores unlikely and tiny areas', () => {
  expect(findBoxes(mapOf({ x: 100, y: 60, width: 90, height: 12, degrees: 0 }, 0.4))).toEqual([])
  expect(findBoxes(mapOf({ x: 100, y: 60, width: 4, height: 1, degrees: 0 }, 0.9))).toEqual([])
})

test('orders lines from the top and joins neighbours into one line', () => {
  const itemAt = (name: string, x: number, y: number) => ({
    name,
    box: { x, y, width: 80, height: 20, degrees: 0, score: 1 },
  })
  const items = [
    itemAt('below', 60, 130),
    itemAt('right', 150, 42),
    itemAt('left', 60, 40),
    itemAt('under', 62, 66),
    itemAt('far', 400, 41),
  ]
  const names = inReadingOrder(items).map((paragraph) => paragraph.map((line) => line.map(({ name }) => name)))
  expect(names).toEqual([[['left', 'right'], ['under']], [['far']], [['below']]])
})

test('orders the lines of an upside-down page from its own top', () => {
  const itemAt = (name: string, y: number) => ({
    name,
    box: { x: 60, y, width: 80, height: 20, degrees: 180, score: 1 },
  })
  const [paragraph] = inReadingOrder([itemAt('second', 40), itemAt('first', 66)])
  expect(paragraph?.flat().map(({ name }) => name)).toEqual(['first', 'second'])
})
