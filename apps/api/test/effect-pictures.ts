import sharp from 'sharp'

export const effectPictureNames = ['photo', 'drawing', 'transparent', 'deep'] as const
export type EffectPictureName = (typeof effectPictureNames)[number]

const WIDTH = 256
const HEIGHT = 192

/** Value noise from 0 to 1, the same on every machine, smooth within cells of size 1. */
function noise(x: number, y: number, seed: number): number {
  const valueAt = (column: number, row: number) => {
    let h = Math.imul(column, 374_761_393) ^ Math.imul(row, 668_265_263) ^ Math.imul(seed, 1_274_126_177)
    h = Math.imul(h ^ (h >>> 13), 1_274_126_177)
    return ((h ^ (h >>> 16)) >>> 0) / 4_294_967_296
  }
  const [column, row] = [Math.floor(x), Math.floor(y)]
  const ease = (t: number) => t * t * (3 - 2 * t)
  const [across, down] = [ease(x - column), ease(y - row)]
  const above = valueAt(column, row) * (1 - across) + valueAt(column + 1, row) * across
  const below = valueAt(column, row + 1) * (1 - across) + valueAt(column + 1, row + 1) * across
  return above * (1 - down) + below * down
}

/** Sky, sun, hills and a house with windows. */
function landscape(x: number, y: number): [number, number, number] {
  const [u, v] = [x / WIDTH, y / HEIGHT]
  const inHouse = u > 0.16 && u < 0.36 && v > 0.55 && v < 0.82
  if (inHouse) {
    const isWindow = v > 0.62 && v < 0.71 && ((u > 0.19 && u < 0.24) || (u > 0.28 && u < 0.33))
    return isWindow ? [245, 230, 150] : [185, 60, 45]
  }
  if (v > 0.72 + 0.03 * Math.sin(u * 9))
    return [60 + 70 * noise(x / 3, y / 2, 5), 130 + 60 * noise(x / 3, y / 2, 6), 40]
  if (v > 0.42 + 0.16 * noise(u * 5, 0, 3))
    return [70 + 50 * noise(x / 9, y / 9, 4), 85 + 40 * noise(x / 9, y / 9, 4), 120]
  if (Math.hypot(x - WIDTH * 0.74, y - HEIGHT * 0.24) < 15) return [255, 236, 170]
  const cloud = 90 * Math.max(0, noise(u * 6, v * 12, 1) - 0.5) * 2
  return [110 + 80 * v + cloud, 150 + 40 * v + cloud, 220 + cloud * 0.3]
}

/** Black circles, a square and slanted lines on white. */
function strokes(x: number, y: number): [number, number, number] {
  const ring = Math.abs(Math.hypot(x - 90, y - 95) - 55) < 2 || Math.abs(Math.hypot(x - 90, y - 95) - 22) < 1.2
  const square = Math.abs(Math.max(Math.abs(x - 190), Math.abs(y - 70)) - 38) < 1.5
  const hatch = y > 130 && x > 140 && (x + y) % 14 < 2
  return ring || square || hatch ? [16, 16, 20] : [250, 250, 248]
}

/** Draws a small PNG: a photo, a line drawing, a partly transparent one, or one with 16 bits per channel. */
export async function effectPicture(name: EffectPictureName): Promise<Buffer> {
  const data = Buffer.alloc(WIDTH * HEIGHT * 4)
  for (let y = 0; y < HEIGHT; y++) {
    for (let x = 0; x < WIDTH; x++) {
      const colour = name === 'drawing' ? strokes(x, y) : landscape(x, y)
      const distance = Math.hypot(x - WIDTH / 2, y - HEIGHT / 2) / 90
      const alpha = name === 'transparent' ? Math.min(1, Math.max(0, 2 - distance * 1.6)) * 255 : 255
      data.set([...colour.map((value) => Math.min(255, value)), alpha], (y * WIDTH + x) * 4)
    }
  }
  const picture = sharp(data, { raw: { width: WIDTH, height: HEIGHT, channels: 4 } })
  if (name === 'deep') return picture.removeAlpha().toColourspace('rgb16').png().toBuffer()
  return (name === 'transparent' ? picture : picture.removeAlpha()).png().toBuffer()
}

/** Draws the photo at a camera's resolution, as a JPEG with some grain. */
export async function largePhoto(megapixels: number): Promise<Buffer> {
  const width = Math.round(Math.sqrt((megapixels * 1e6 * WIDTH) / HEIGHT))
  const height = Math.round((width * HEIGHT) / WIDTH)
  const grain = await sharp({
    create: { width, height, channels: 3, background: '#808080', noise: { type: 'gaussian', mean: 128, sigma: 6 } },
  })
    .png({ compressionLevel: 0 })
    .toBuffer()
  return sharp(await effectPicture('photo'))
    .resize(width, height, { fit: 'fill', kernel: 'cubic' })
    .composite([{ input: grain, blend: 'overlay' }])
    .jpeg({ quality: 92 })
    .toBuffer()
}
