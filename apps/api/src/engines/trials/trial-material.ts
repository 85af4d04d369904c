import { encodeWav } from '../../parsers/audio/wav.ts'

type Colour = [red: number, green: number, blue: number]
type Point = [x: number, y: number]

const SIDE = 320
const SAMPLE_RATE = 16_000
const WHITE: Colour = [255, 255, 255]
const BLACK: Colour = [0, 0, 0]
/** Pixels per cell of the letters' grid; distance between letters, and stroke width, in cells. */
const [GRID_PIXELS, ADVANCE, THICKNESS] = [10, 6, 0.8]

/** Polylines of capital letters on a grid of 4 by 6, which need no font. */
const strokes: Record<string, Point[][]> = {
  A: [
    [
      [0, 6],
      [2, 0],
      [4, 6],
    ],
    [
      [0.7, 4],
      [3.3, 4],
    ],
  ],
  E: [
    [
      [4, 0],
      [0, 0],
      [0, 6],
      [4, 6],
    ],
    [
      [0, 3],
      [3, 3],
    ],
  ],
  H: [
    [
      [0, 0],
      [0, 6],
    ],
    [
      [4, 0],
      [4, 6],
    ],
    [
      [0, 3],
      [4, 3],
    ],
  ],
  I: [
    [
      [2, 0],
      [2, 6],
    ],
  ],
  L: [
    [
      [0, 0],
      [0, 6],
      [4, 6],
    ],
  ],
  M: [
    [
      [0, 6],
      [0, 0],
      [2, 3.5],
      [4, 0],
      [4, 6],
    ],
  ],
  O: [ring()],
  R: [
    [
      [0, 6],
      [0, 0],
      [2.4, 0],
      [3.6, 0.6],
      [4, 1.6],
      [3.6, 2.6],
      [2.4, 3.2],
      [0, 3.2],
    ],
    [
      [2.2, 3.2],
      [4, 6],
    ],
  ],
}

/** A PNG of a disc or a square of one colour on white. */
export function drawShape(shape: 'disc' | 'square', colour: Colour): Promise<Buffer> {
  const [middle, radius] = [SIDE / 2, SIDE / 3]
  return draw(SIDE, SIDE, (x, y) => {
    const [across, down] = [Math.abs(x - middle), Math.abs(y - middle)]
    const isInside = shape === 'disc' ? Math.hypot(across, down) < radius : Math.max(across, down) < radius
    return isInside ? colour : WHITE
  })
}

/** A PNG with words of the letters A, E, H, I, L, M, O and R, black on white. */
export function drawWords(words: string): Promise<Buffer> {
  const width = (words.length * ADVANCE + 4) * GRID_PIXELS
  return draw(width, 10 * GRID_PIXELS, (x, y) => {
    const across = x / GRID_PIXELS - 2
    const index = Math.floor((across + 1) / ADVANCE)
    const point: Point = [across - index * ADVANCE, y / GRID_PIXELS - 2]
    const isInk = (strokes[words[index] ?? ''] ?? []).some((line) => distanceToLine(point, line) < THICKNESS / 2)
    return isInk ? BLACK : WHITE
  })
}

/** A WAV of a soft tone: 16 kHz, mono, 16 bit. */
export function makeTone(seconds: number): Buffer {
  const samples = Int16Array.from({ length: seconds * SAMPLE_RATE }, (_, index) =>
    Math.round(6000 * Math.sin((2 * Math.PI * 440 * index) / SAMPLE_RATE)),
  )
  return encodeWav(samples, SAMPLE_RATE)
}

async function draw(width: number, height: number, colourAt: (x: number, y: number) => Colour): Promise<Buffer> {
  const { default: sharp } = await import('sharp')
  const pixels = new Uint8Array(width * height * 3)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) pixels.set(colourAt(x, y), (y * width + x) * 3)
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer()
}

function ring(): Point[] {
  return Array.from({ length: 17 }, (_, index): Point => {
    const angle = (index * Math.PI) / 8
    return [2 + 2 * Math.cos(angle), 3 + 3 * Math.sin(angle)]
  })
}

function distanceToLine(point: Point, line: Point[]): number {
  return Math.min(...line.slice(1).map((end, index) => distanceToSegment(point, line[index] ?? end, end)))
}

function distanceToSegment([x, y]: Point, [fromX, fromY]: Point, [toX, toY]: Point): number {
  const [across, down] = [toX - fromX, toY - fromY]
  const along = ((x - fromX) * across + (y - fromY) * down) / (across ** 2 + down ** 2)
  const part = Math.min(1, Math.max(0, along))
  return Math.hypot(x - fromX - part * across, y - fromY - part * down)
}
