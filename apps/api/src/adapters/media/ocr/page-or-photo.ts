import type { ReadWord } from '@mira/shared'
import { cornersOf, type TextBox } from './text-boxes.ts'
import type { ColourPicture } from './text-strip.ts'

/** Neighbours that differ by so much are the edge of something. */
const EDGE = 40
/** On a page, this part of all edges is text. */
const EDGES_OF_TEXT = 0.5
/** Part of a line that must have been read already. */
const COVERED = 0.5

/** True when a picture shows hardly anything but text: a page or a screen. */
export function isCalm(picture: ColourPicture, boxes: TextBox[]): boolean {
  const inText = new Uint8Array(picture.width * picture.height)
  for (const box of boxes) {
    const [left, top, right, bottom] = boundsOf(box)
    const from = Math.max(0, Math.floor(left))
    for (let y = Math.max(0, Math.floor(top)); y < Math.min(picture.height, bottom); y++) {
      inText.fill(
        1,
        y * picture.width + from,
        y * picture.width + Math.max(from, Math.min(picture.width, Math.ceil(right))),
      )
    }
  }
  let [all, text] = [0, 0]
  for (let at = 1; at < inText.length; at++) {
    const green = at * 3 + 1
    if (Math.abs((picture.data[green] as number) - (picture.data[green - 3] as number)) <= EDGE) continue
    all++
    text += inText[at] as number
  }
  return text >= all * EDGES_OF_TEXT
}

/**
 * True when the words fill a line.
 * @param look picture the box was found in; the words' boxes are fractions of it
 */
export function isCovered(box: TextBox, look: ColourPicture, words: ReadWord[]): boolean {
  const [left, top, right, bottom] = boundsOf(box)
  const shared = words.reduce((sum, { box: [x, y, width, height] }) => {
    const across = Math.min(right, (x + width) * look.width) - Math.max(left, x * look.width)
    const middle = (y + height / 2) * look.height
    return across > 0 && middle > top && middle < bottom ? sum + across : sum
  }, 0)
  return shared >= (right - left) * COVERED
}

function boundsOf(box: TextBox): [number, number, number, number] {
  const corners = cornersOf(box)
  const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)]
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)]
}
