import type { TextBox } from './text-boxes.ts'

/** As many parts of a height as this may lie between boxes of one line. */
const BESIDE = 1.6
/** More than this between lines begins a new paragraph. */
const BELOW = 1
/** Boxes of one line are about as high. */
const LEAST_ALIKE = 0.5

interface Placed<Item> {
  item: Item
  box: TextBox
}

/** Things in the order of reading: paragraphs from the top, their lines, and what stands beside each other in a line. */
export function inReadingOrder<Item extends { box: TextBox }>(items: Item[]): Item[][][] {
  const direction = directionOf(items)
  const lines: Placed<Item>[][] = []
  for (const one of items
    .map((item) => ({ item, box: levelled(item.box, direction) }))
    .toSorted((a, b) => leftOf(a.box) - leftOf(b.box))) {
    const line = lines.find((other) => continues((other.at(-1) as Placed<Item>).box, one.box))
    if (line) line.push(one)
    else lines.push([one])
  }
  const paragraphs: Placed<Item>[][][] = []
  for (const line of lines.toSorted((a, b) => topOf(a) - topOf(b))) {
    const paragraph = paragraphs.find((other) => stands(other.at(-1) as Placed<Item>[], line))
    if (paragraph) paragraph.push(line)
    else paragraphs.push([line])
  }
  return paragraphs.map((paragraph) => paragraph.map((line) => line.map(({ item }) => item)))
}

/** Dominant text direction in degrees; pages may be sideways or upside down. */
function directionOf(items: { box: TextBox }[]): number {
  const sum = (part: (radians: number) => number) =>
    items.reduce((all, { box }) => all + box.width * part((box.degrees * Math.PI) / 180), 0)
  return (Math.atan2(sum(Math.sin), sum(Math.cos)) * 180) / Math.PI
}

/** As it lies when the text goes from left to right. */
function levelled(box: TextBox, direction: number): TextBox {
  const [cosine, sine] = [Math.cos((direction * Math.PI) / 180), Math.sin((direction * Math.PI) / 180)]
  return {
    ...box,
    x: box.x * cosine + box.y * sine,
    y: box.y * cosine - box.x * sine,
    degrees: box.degrees - direction,
  }
}

const leftOf = ({ x, width }: TextBox) => x - width / 2
const rightOf = ({ x, width }: TextBox) => x + width / 2
const topOf = (line: Placed<unknown>[]) => Math.min(...line.map(({ box }) => box.y - box.height / 2))
const bottomOf = (line: Placed<unknown>[]) => Math.max(...line.map(({ box }) => box.y + box.height / 2))
const areAlike = (one: number, other: number) => Math.min(one, other) >= LEAST_ALIKE * Math.max(one, other)

/** Goes on where another box ends, in the direction of that one. */
function continues(before: TextBox, box: TextBox): boolean {
  if (!areAlike(before.height, box.height)) return false
  const gap = leftOf(box) - rightOf(before)
  const high = Math.max(before.height, box.height)
  const expected = before.y + Math.tan((before.degrees * Math.PI) / 180) * (box.x - before.x)
  return gap < BESIDE * high && gap > -high && Math.abs(box.y - expected) < high / 2
}

/** Stands right below another line, and letters are as high. */
function stands(above: Placed<unknown>[], line: Placed<unknown>[]): boolean {
  const [one, other] = [above[0]?.box, line[0]?.box]
  if (!one || !other || !areAlike(one.height, other.height)) return false
  const isBelow = topOf(line) - bottomOf(above) < BELOW * Math.max(one.height, other.height)
  const [first, last] = [above.at(-1)?.box ?? one, line.at(-1)?.box ?? other]
  return isBelow && leftOf(other) < rightOf(first) && leftOf(one) < rightOf(last)
}
