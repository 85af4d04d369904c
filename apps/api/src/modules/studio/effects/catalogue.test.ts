import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type EffectPictureName, effectPicture, effectPictureNames } from '../../../../test/effect-pictures.ts'
import { createPixels } from '../../../parsers/image/pixels.ts'
import { bandsOf, renderBand } from './bands.ts'
import { catalogue, type PixelEffectName } from './catalogue.ts'
import { type Raster, unitOf } from './effect-kind.ts'

/**
 * A sheet for each effect: columns are the pictures, rows the intensities, each 32 × 32. When a look is changed on
 * purpose, `UPDATE_GOLDENS=1 vitest run catalogue` writes them anew: look at them before they are committed.
 */
const goldens = new URL('./goldens/', import.meta.url).pathname
const intensities = [0.3, 1, 2]
const CELL = 32
/** Other processors round a little differently. Of 255. */
const MEAN_DIFFERENCE = 0.6
const LARGEST_DIFFERENCE = 12

const names = Object.keys(catalogue) as PixelEffectName[]
const rasters = {} as Record<EffectPictureName, Raster>

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mira-effects-'))
  const pixels = createPixels()
  for (const name of effectPictureNames) {
    const filename = join(folder, `${name}.png`)
    writeFileSync(filename, await effectPicture(name))
    rasters[name] = await pixels.decode(filename)
  }
  rmSync(folder, { recursive: true })
})
afterAll(() => {
  expect(Object.keys(rasters)).toEqual([...effectPictureNames])
})

function render(effect: PixelEffectName, raster: Raster, intensity: number): Uint8ClampedArray {
  const { width, height } = raster
  const unit = unitOf(width, height)
  const kind = catalogue[effect]
  const prepared = kind.prepare?.(raster, intensity, unit)
  return kind.render({ band: raster, top: 0, fullWidth: width, fullHeight: height, intensity, unit, prepared })
}

async function reduced(data: Uint8ClampedArray, { width, height }: Raster): Promise<Buffer> {
  return sharp(Buffer.from(data), { raw: { width, height, channels: 4 } })
    .resize(CELL, CELL, { fit: 'fill' })
    .raw()
    .toBuffer()
}

function difference(a: ArrayLike<number>, b: ArrayLike<number>): { mean: number; largest: number } {
  let sum = 0
  let largest = 0
  for (let i = 0; i < a.length; i++) {
    const apart = Math.abs((a[i] as number) - (b[i] as number))
    sum += apart
    largest = Math.max(largest, apart)
  }
  return { mean: sum / a.length, largest }
}

describe.each(names)('%s', (effect) => {
  test('looks as it did when its sheet was looked at', async () => {
    const sheet = Buffer.alloc(CELL * CELL * 4 * effectPictureNames.length * intensities.length)
    const width = CELL * effectPictureNames.length
    for (const [column, picture] of effectPictureNames.entries()) {
      for (const [row, intensity] of intensities.entries()) {
        const small = await reduced(render(effect, rasters[picture], intensity), rasters[picture])
        for (let y = 0; y < CELL; y++) {
          small.copy(sheet, ((row * CELL + y) * width + column * CELL) * 4, y * CELL * 4, (y + 1) * CELL * 4)
        }
      }
    }
    const file = join(goldens, `${effect}.png`)
    if (process.env.UPDATE_GOLDENS !== undefined) {
      mkdirSync(goldens, { recursive: true })
      const raw = { width, height: CELL * intensities.length, channels: 4 } as const
      await sharp(sheet, { raw }).png({ compressionLevel: 9 }).toFile(file)
    }
    expect(existsSync(file)).toBe(true)
    const golden = await sharp(file).ensureAlpha().raw().toBuffer()
    const { mean, largest } = difference(sheet, golden)
    expect(mean).toBeLessThanOrEqual(MEAN_DIFFERENCE)
    expect(largest).toBeLessThanOrEqual(LARGEST_DIFFERENCE)
  })

  test('changes the picture more with more intensity, and never suddenly', async () => {
    const { photo } = rasters
    const at = (intensity: number) => render(effect, photo, intensity)
    const full = at(1)
    // up to 1 it leaves the picture behind; beyond, it goes on from what its name promises
    const [subtle, half, normal] = [at(0.3), at(0.6), full].map((pixels) => difference(pixels, photo.data).mean)
    expect(subtle).toBeGreaterThan(0.15)
    expect(half).toBeGreaterThan(subtle as number)
    expect(normal).toBeGreaterThan(half as number)
    const [more, max] = await Promise.all(
      [1.4, 2].map(
        async (intensity) => difference(await reduced(at(intensity), photo), await reduced(full, photo)).mean,
      ),
    )
    expect(more).toBeGreaterThan(0.02)
    expect(max).toBeGreaterThan(more as number)
    const step = difference(await reduced(at(1.1), photo), await reduced(full, photo)).mean
    expect(step).toBeLessThan(Math.max(6, (normal as number) * 0.4))
  })

  test('leaves the size and the transparency as they are, and leaves something to be seen', () => {
    const { transparent } = rasters
    const result = render(effect, transparent, 1)
    expect(result.length).toBe(transparent.data.length)
    const alphaOf = (data: Uint8ClampedArray) => data.filter((_, index) => index % 4 === 3)
    expect(alphaOf(result)).toEqual(alphaOf(transparent.data))
    const tones = new Set(render(effect, rasters.photo, 1).filter((_, index) => index % 4 === 1))
    expect(tones.size).toBeGreaterThan(1)
  })

  test('is the same in bands as in one piece, and leaves its input alone', () => {
    const { photo } = rasters
    const { width, height, data } = photo
    const before = data.slice()
    const kind = catalogue[effect]
    const prepared = kind.prepare?.(photo, 1, unitOf(width, height))
    const bands = bandsOf(kind, { width, height, intensity: 1, bandPixels: width * 32 })
    const pieces = bands.flatMap((band) => {
      const rows = data.slice(band.readFrom * width * 4, band.readUntil * width * 4)
      const work = { effectName: effect, data: rows, width, fullHeight: height, band, intensity: 1, prepared }
      return [Buffer.from(renderBand(kind, work))]
    })
    expect(Buffer.concat(pieces).equals(Buffer.from(render(effect, photo, 1)))).toBe(true)
    expect(Buffer.from(data).equals(Buffer.from(before))).toBe(true)
  })
})
