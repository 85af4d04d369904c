import type { ColourPicture } from '../image/readable-pixels.ts'

/** Rotated rectangle around a line of text, in pixels of the picture it was found in. */
export interface TextBox {
  /** Centre. */
  x: number
  y: number
  /** Along the text. */
  width: number
  height: number
  /** Text direction, clockwise from level; -90 to 90. */
  degrees: number
  /** Probability that this is text, 0 to 1. */
  score: number
}

/** Probability of text at each pixel, 0 to 1, rows from the top. */
interface TextMap {
  width: number
  height: number
  data: Float32Array
}

/** Probability from which a pixel is text. */
const MIN_TEXT = 0.3
/** Mean probability below which a box is a texture. */
const MIN_SCORE = 0.5
/** The network finds only the core of a line. Like its authors, enlarge that by this ratio. */
const UNCLIP_RATIO = 1.6
/** Extra length of a box, in heights: the network often misses the first and the last letter. */
const EXTRA_LENGTH = 0.4
/** The same for steep lines: the network was trained on horizontal ones, and misses more of these. */
const STEEP_EXTRA_LENGTH = 0.8
const STEEP_DEGREES = 60
const MIN_PIXELS = 10
const MIN_THICKNESS = 2
/** Ratio of the sides below which a box may be a single letter and counts as level. */
const MIN_ELONGATION = 1.3

type Point = readonly [number, number]

/** Boxes of the text lines in a map. */
export function findBoxes(map: TextMap): TextBox[] {
  const visited = new Uint8Array(map.width * map.height)
  const boxes: TextBox[] = []
  for (let index = 0; index < visited.length; index++) {
    if (visited[index] === 1 || (map.data[index] as number) < MIN_TEXT) continue
    const { outline, pixels, sum } = floodFill(map, visited, index)
    if (pixels < MIN_PIXELS || sum / pixels < MIN_SCORE) continue
    const box = smallestBox(outline, sum / pixels)
    if (Math.min(box.width, box.height) >= MIN_THICKNESS) boxes.push(grow(box))
  }
  return boxes
}

/** Flood fill of the text around a pixel: the ends of its rows, and the number and sum of its pixels. */
function floodFill({ width, height, data }: TextMap, visited: Uint8Array, first: number) {
  const ends = new Map<number, [number, number]>()
  const pending = [first]
  let [pixels, sum] = [0, 0]
  visited[first] = 1
  for (let index = pending.pop(); index !== undefined; index = pending.pop()) {
    const [x, y] = [index % width, Math.floor(index / width)]
    pixels++
    sum += data[index] as number
    const row = ends.get(y)
    if (row === undefined) ends.set(y, [x, x])
    else if (x < row[0]) row[0] = x
    else if (x > row[1]) row[1] = x
    for (const [nx, ny] of [
      [x - 1, y],
      [x + 1, y],
      [x, y - 1],
      [x, y + 1],
    ] as const) {
      const next = ny * width + nx
      if (nx < 0 || ny < 0 || nx >= width || ny >= height || visited[next] === 1) continue
      if ((data[next] as number) < MIN_TEXT) continue
      visited[next] = 1
      pending.push(next)
    }
  }
  const outline = [...ends].flatMap(([y, [from, to]]): Point[] => [
    [from, y],
    [to + 1, y],
    [from, y + 1],
    [to + 1, y + 1],
  ])
  return { outline, pixels, sum }
}

/** Convex hull of the points, in order. */
function hullOf(points: Point[]): Point[] {
  const sorted = points.toSorted(([ax, ay], [bx, by]) => ax - bx || ay - by)
  const half = (from: Point[]) => {
    const hull: Point[] = []
    for (const point of from) {
      while (hull.length >= 2 && !turnsLeft(hull[hull.length - 2] as Point, hull[hull.length - 1] as Point, point)) {
        hull.pop()
      }
      hull.push(point)
    }
    return hull.slice(0, -1)
  }
  return [...half(sorted), ...half(sorted.toReversed())]
}

const turnsLeft = ([ax, ay]: Point, [bx, by]: Point, [cx, cy]: Point) =>
  (bx - ax) * (cy - ay) - (by - ay) * (cx - ax) > 0

/** Smallest rectangle around points: it shares a side with their hull. */
function smallestBox(points: Point[], score: number): TextBox {
  const hull = hullOf(points)
  let best: (TextBox & { area: number }) | undefined
  for (const [index, [ax, ay]] of hull.entries()) {
    const [bx, by] = hull[(index + 1) % hull.length] as Point
    const radians = Math.atan2(by - ay, bx - ax)
    const [cosine, sine] = [Math.cos(radians), Math.sin(radians)]
    let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity]
    for (const [x, y] of hull) {
      const [along, across] = [x * cosine + y * sine, y * cosine - x * sine]
      left = Math.min(left, along)
      right = Math.max(right, along)
      top = Math.min(top, across)
      bottom = Math.max(bottom, across)
    }
    const area = (right - left) * (bottom - top)
    if (best !== undefined && area >= best.area) continue
    const [along, across] = [(left + right) / 2, (top + bottom) / 2]
    const middle = { x: along * cosine - across * sine, y: along * sine + across * cosine }
    const box = { ...middle, width: right - left, height: bottom - top, degrees: (radians * 180) / Math.PI, score }
    best = { ...alongText(box), area }
  }
  const { area: _, ...box } = best as TextBox & { area: number }
  return box
}

/** Takes the longer side as the width, and the direction from left to right. */
function alongText(box: TextBox): TextBox {
  const turned = { ...box, width: box.height, height: box.width, degrees: box.degrees + 90 }
  const isClear = Math.max(box.width, box.height) >= MIN_ELONGATION * Math.min(box.width, box.height)
  const one = { ...box, degrees: upright(box.degrees) }
  const other = { ...turned, degrees: upright(turned.degrees) }
  if (isClear) return one.width > one.height ? one : other
  return Math.abs(one.degrees) <= Math.abs(other.degrees) ? one : other
}

/** The same direction, between -90 and 90. */
function upright(degrees: number): number {
  const turned = ((degrees % 180) + 180) % 180
  return turned > 90 ? turned - 180 : turned
}

function grow(box: TextBox): TextBox {
  const margin = (UNCLIP_RATIO * box.width * box.height) / (2 * (box.width + box.height))
  const height = box.height + 2 * margin
  const extraLength = Math.abs(box.degrees) > STEEP_DEGREES ? STEEP_EXTRA_LENGTH : EXTRA_LENGTH
  return { ...box, width: box.width + 2 * margin + extraLength * height, height }
}

/** Corners, clockwise from the top of the text's start. */
export function cornersOf({ x, y, width, height, degrees }: TextBox): Point[] {
  const [cosine, sine] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)]
  return (
    [
      [-0.5, -0.5],
      [0.5, -0.5],
      [0.5, 0.5],
      [-0.5, 0.5],
    ] as const
  ).map(([across, down]) => {
    const [along, below] = [across * width, down * height]
    return [x + along * cosine - below * sine, y + along * sine + below * cosine]
  })
}

/**
 * A line of text, cut out, levelled and scaled to a height.
 * @param pictures the picture, and smaller copies of it, ideally each half as large as the one before.
 */
export function cutStrip(
  pictures: ColourPicture[],
  box: TextBox,
  { height, maxWidth }: { height: number; maxWidth: number },
): ColourPicture {
  const scale = height / box.height
  const width = Math.max(1, Math.min(maxWidth, Math.round(box.width * scale)))
  // With halves, a pixel of the strip covers at most two by two pixels.
  const level = Math.min(pictures.length - 1, Math.max(0, Math.floor(Math.log2(1 / scale))))
  const from = pictures[level] as ColourPicture
  const shrinkFactor = from.width / (pictures[0] as ColourPicture).width
  const radians = (box.degrees * Math.PI) / 180
  const [cosine, sine] = [Math.cos(radians) * shrinkFactor, Math.sin(radians) * shrinkFactor]
  const data = Buffer.allocUnsafe(width * height * 3)
  for (let row = 0, to = 0; row < height; row++) {
    const below = ((row + 0.5) / height - 0.5) * box.height
    for (let column = 0; column < width; column++, to += 3) {
      const along = ((column + 0.5) / width - 0.5) * box.width
      const x = box.x * shrinkFactor + along * cosine - below * sine - 0.5
      const y = box.y * shrinkFactor + along * sine + below * cosine - 0.5
      blend(from, x, y, data, to)
    }
  }
  return { width, height, data }
}

/** Bilinear interpolation, clamped at the border. */
function blend({ width, height, data }: ColourPicture, x: number, y: number, into: Buffer, to: number): void {
  const [left, top] = [
    Math.min(width - 1, Math.max(0, Math.floor(x))),
    Math.min(height - 1, Math.max(0, Math.floor(y))),
  ]
  const [right, bottom] = [Math.min(width - 1, left + 1), Math.min(height - 1, top + 1)]
  const [across, down] = [Math.min(1, Math.max(0, x - left)), Math.min(1, Math.max(0, y - top))]
  const [a, b, c, d] = [
    (top * width + left) * 3,
    (top * width + right) * 3,
    (bottom * width + left) * 3,
    (bottom * width + right) * 3,
  ]
  for (let channel = 0; channel < 3; channel++) {
    const above = (data[a + channel] as number) * (1 - across) + (data[b + channel] as number) * across
    const under = (data[c + channel] as number) * (1 - across) + (data[d + channel] as number) * across
    into[to + channel] = above * (1 - down) + under * down + 0.5
  }
}
