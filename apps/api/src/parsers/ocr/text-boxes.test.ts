import { expect, test } from 'vitest'
import { inReadingOrder } from './line-reading.ts'
import { findBoxes, type TextBox } from './text-boxes.ts'

/** A map in which everything within a turned rectangle is text. */
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

test.each([0, 8, -20, 90])('a line of text that goes %i degrees down is found where it is', (degrees) => {
  const [box, ...others] = findBoxes(mapOf({ x: 100, y: 60, width: 90, height: 12, degrees }, 0.9))
  expect(others).toEqual([])
  expect(Math.hypot((box?.x ?? 0) - 100, (box?.y ?? 0) - 60)).toBeLessThan(1.5)
  expect(Math.abs((box?.degrees ?? 0) - degrees)).toBeLessThan(2)
  // larger, because only the middle of lines is found
  expect([(box?.width ?? 0) > 95, (box?.height ?? 0) > 20, (box?.height ?? 0) < 45]).toEqual([true, true, true])
})

test('what is hardly text, or tiny, is none', () => {
  expect(findBoxes(mapOf({ x: 100, y: 60, width: 90, height: 12, degrees: 0 }, 0.4))).toEqual([])
  expect(findBoxes(mapOf({ x: 100, y: 60, width: 4, height: 1, degrees: 0 }, 0.9))).toEqual([])
})

test('lines are read from the top, and what stands beside each other is one line', () => {
  const at = (name: string, x: number, y: number) => ({
    name,
    box: { x, y, width: 80, height: 20, degrees: 0, score: 1 },
  })
  const items = [
    at('below', 60, 130),
    at('right', 150, 42),
    at('left', 60, 40),
    at('under', 62, 66),
    at('far', 400, 41),
  ]
  const names = inReadingOrder(items).map((paragraph) => paragraph.map((line) => line.map(({ name }) => name)))
  expect(names).toEqual([[['left', 'right'], ['under']], [['far']], [['below']]])
})

test('a page that stands on its head is read from what is its top', () => {
  const at = (name: string, y: number) => ({ name, box: { x: 60, y, width: 80, height: 20, degrees: 180, score: 1 } })
  const [paragraph] = inReadingOrder([at('second', 40), at('first', 66)])
  expect(paragraph?.flat().map(({ name }) => name)).toEqual(['first', 'second'])
})
