import sharp from 'sharp'
import { between, type Random } from '../chance.ts'

/** Subjects of photos without text. */
export const backgroundKinds = ['foliage', 'bricks', 'stones', 'windows', 'clouds', 'crowd'] as const
export type BackgroundKind = (typeof backgroundKinds)[number]

interface Size {
  width: number
  height: number
}

/** Draws something like a photo: clouds of colour, many objects in front of them, and camera grain. */
export async function drawBackground(kind: BackgroundKind, { width, height }: Size, random: Random): Promise<Buffer> {
  const clouds = await makeClouds({ width, height }, random)
  const objects = Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${drawObjects[kind]({ width, height }, random)}</svg>`,
  )
  const grain = await makeGrain({ width, height }, random)
  return sharp(clouds)
    .composite([{ input: objects }, { input: grain, blend: 'overlay' }])
    .blur(between(random, 0.4, 0.9))
    .png({ compressionLevel: 1 })
    .toBuffer()
}

async function makeClouds({ width, height }: Size, random: Random): Promise<Buffer> {
  const layers = await Promise.all(
    [4, 16, 60].map(async (cells) => {
      const rows = Math.max(2, Math.round((cells * height) / width))
      const data = Buffer.from(Array.from({ length: cells * rows * 3 }, () => Math.floor(40 + random() * 175)))
      return sharp(data, { raw: { width: cells, height: rows, channels: 3 } })
        .resize(width, height, { kernel: 'cubic', fit: 'fill' })
        .ensureAlpha(cells === 4 ? 1 : 0.45)
        .png({ compressionLevel: 1 })
        .toBuffer()
    }),
  )
  const [first, ...others] = layers
  return sharp(first)
    .composite(others.map((input) => ({ input })))
    .removeAlpha()
    .png({ compressionLevel: 1 })
    .toBuffer()
}

async function makeGrain({ width, height }: Size, random: Random): Promise<Buffer> {
  // A repeated square, because sharp's noise has no seed.
  const side = 256
  const data = Buffer.from(Array.from({ length: side * side }, () => Math.floor(112 + random() * 32)))
  const square = await sharp(data, { raw: { width: side, height: side, channels: 1 } })
    .png()
    .toBuffer()
  return sharp({ create: { width, height, channels: 3, background: '#808080' } })
    .composite([{ input: square, tile: true }])
    .png({ compressionLevel: 1 })
    .toBuffer()
}

const colour = (random: Random, low = 20, high = 235) =>
  `rgb(${[0, 0, 0].map(() => Math.floor(between(random, low, high))).join(',')})`

/** Joins the SVG of `count` objects. */
const many = (count: number, draw: () => string) => Array.from({ length: count }, draw).join('')

const drawObjects: Record<BackgroundKind, (size: Size, random: Random) => string> = {
  foliage: ({ width, height }, random) =>
    many(2_500, () => {
      const [x, y, length] = [random() * width, random() * height, between(random, 0.02, 0.05) * width]
      const [dx, dy] = [(random() - 0.5) * length * 2, (random() - 0.5) * length * 2]
      const green = `rgb(${Math.floor(random() * 110)},${Math.floor(between(random, 50, 210))},${Math.floor(random() * 90)})`
      return `<path d="M${x} ${y}q${dx} ${dy / 3} ${dx} ${dy}q${-dx / 3} ${-dy} ${-dx} ${-dy}" fill="${green}" />`
    }),
  bricks: ({ width, height }, random) => {
    const [w, h] = [width / 16, width / 40]
    let drawn = ''
    for (let row = 0; row * h < height; row++) {
      for (let x = (row % 2) * (-w / 2); x < width; x += w) {
        const red = Math.floor(between(random, 110, 190))
        drawn += `<rect x="${x + 2}" y="${row * h + 2}" width="${w * 0.95}" height="${h * 0.86}" fill="rgb(${red},${Math.floor(red * 0.5)},${Math.floor(red * 0.4)})"/>`
      }
    }
    return drawn
  },
  stones: ({ width, height }, random) =>
    many(700, () => {
      const grey = Math.floor(between(random, 60, 220))
      return `<ellipse cx="${random() * width}" cy="${random() * height}" rx="${between(random, 0.008, 0.035) * width}" ry="${between(random, 0.006, 0.03) * width}" fill="rgb(${grey},${grey - 8},${grey - 20})" stroke="rgb(40,40,40)" stroke-width="${width / 600}"/>`
    }),
  windows: ({ width, height }, random) => {
    const step = width / 18
    let drawn = ''
    for (let y = step / 2; y < height; y += step * 1.4) {
      for (let x = step / 2; x < width; x += step) {
        drawn += `<rect x="${x}" y="${y}" width="${step * 0.55}" height="${step * 0.9}" fill="${colour(random, 20, 130)}" stroke="#ddd" stroke-width="${width / 500}"/>`
        drawn += `<path d="M${x + step * 0.27} ${y}v${step * 0.9}" stroke="#ddd" stroke-width="${width / 800}"/>`
      }
    }
    return drawn
  },
  clouds: () => '',
  crowd: ({ width, height }, random) =>
    many(260, () => {
      const [x, y, size] = [random() * width, random() * height, between(random, 0.012, 0.045) * width]
      const cloth = `<rect x="${x - size}" y="${y}" width="${size * 2}" height="${size * 2.6}" rx="${size * 0.5}" fill="${colour(random)}"/>`
      return `${cloth}<circle cx="${x}" cy="${y}" r="${size * 0.6}" fill="rgb(${Math.floor(between(random, 120, 240))},${Math.floor(between(random, 90, 190))},${Math.floor(between(random, 70, 150))})"/>`
    }),
}
