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
 * Golden sheet of each effect: a column for each picture and a row for each intensity, 32 × 32 pixels each. After an
 * intended change, `UPDATE_GOLDENS=1 vitest run catalogue` rewrites the sheets: check them before committing.
 */
const goldens = new URL('./goldens/', import.meta.url).pathname
const intensities = [0.3, 1, 2]
const CELL = 32
/** Tolerances out of 255: other processors round slightly differently. */
const MEAN_DIFFERENCE = 0.6
const LARGEST_DIFFERENCE = 12

/** Effects that draw the outline of a cut-out, or move colours across it. */
const outlineEffects: ReadonlySet<PixelEffectName> = new Set(['charcoal', 'neon_edges', 'emboss', 'glitch'])

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

async function reduceToCell(data: Uint8ClampedArray, { width, height }: Raster): Promise<Buffer> {
  return sharp(Buffer.from(data), { raw: { width, height, channels: 4 } })
    .resize(CELL, CELL, { fit: 'fill' })
    .raw()
    .toBuffer()
}

type Colour = [number, number, number]

/** A disc with transparent surroundings of another colour. */
function cutOut(disc: Colour, surroundings: Colour): Raster {
  const side = 96
  const data = new Uint8ClampedArray(side * side * 4)
  for (let p = 0; p < data.length; p += 4) {
    const [x, y] = [(p / 4) % side, Math.floor(p / 4 / side)]
    const isInside = Math.hypot(x - side / 2, y - side / 2) < 30
    data.set(isInside ? [...disc, 255] : [...surroundings, 0], p)
  }
  return { width: side, height: side, data }
}

function difference(a: ArrayLike<number>, b: ArrayLike<number>): { mean: number; largest: number } {
  let sum = 0
  let largest = 0
  for (let i = 0; i < a.length; i++) {
    const distance = Math.abs((a[i] as number) - (b[i] as number))
    sum += distance
    largest = Math.max(largest, distance)
  }
  return { mean: sum / a.length, largest }
}

describe.each(names)('%s', (effect) => {
  test('matches its golden sheet', async () => {
    const sheet = Buffer.alloc(CELL * CELL * 4 * effectPictureNames.length * intensities.length)
    const width = CELL * effectPictureNames.length
    for (const [column, picture] of effectPictureNames.entries()) {
      for (const [row, intensity] of intensities.entries()) {
        const small = await reduceToCell(render(effect, rasters[picture], intensity), rasters[picture])
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

  test('changes the image more with more intensity, without a jump', async () => {
    const { photo } = rasters
    const renderAt = (intensity: number) => render(effect, photo, intensity)
    const full = renderAt(1)
    // Up to 1, it moves away from the original; beyond 1, it moves on from the full effect.
    const [subtle, half, normal] = [renderAt(0.3), renderAt(0.6), full].map(
      (pixels) => difference(pixels, photo.data).mean,
    )
    expect(subtle).toBeGreaterThan(0.15)
    expect(half).toBeGreaterThan(subtle as number)
    expect(normal).toBeGreaterThan(half as number)
    const [more, max] = await Promise.all(
      [1.4, 2].map(
        async (intensity) =>
          difference(await reduceToCell(renderAt(intensity), photo), await reduceToCell(full, photo)).mean,
      ),
    )
    expect(more).toBeGreaterThan(0.02)
    expect(max).toBeGreaterThan(more as number)
    const step = difference(await reduceToCell(renderAt(1.1), photo), await reduceToCell(full, photo)).mean
    expect(step).toBeLessThan(Math.max(6, (normal as number) * 0.4))
  })

  test('keeps the size and the transparency, and gives more than one tone', () => {
    const { transparent } = rasters
    const result = render(effect, transparent, 1)
    expect(result.length).toBe(transparent.data.length)
    const alphaOf = (data: Uint8ClampedArray) => data.filter((_, index) => index % 4 === 3)
    expect(alphaOf(result)).toEqual(alphaOf(transparent.data))
    const tones = new Set(render(effect, rasters.photo, 1).filter((_, index) => index % 4 === 1))
    expect(tones.size).toBeGreaterThan(1)
  })

  test.skipIf(outlineEffects.has(effect))('gives a cut-out no rim of the colour of its transparent pixels', () => {
    const visible = (raster: Raster) =>
      render(effect, raster, 1).filter((_, index) => raster.data[index - (index % 4) + 3] === 255)
    const [light, dark]: [Colour, Colour] = [
      [255, 230, 200],
      [120, 60, 40],
    ]
    const onOwn = [visible(cutOut(light, light)), visible(cutOut(dark, dark))] as const
    expect(difference(visible(cutOut(light, [0, 0, 0])), onOwn[0]).largest).toBeLessThanOrEqual(8)
    expect(difference(visible(cutOut(dark, [255, 255, 255])), onOwn[1]).largest).toBeLessThanOrEqual(8)
  })

  test('gives the same result in bands as in one piece, and doesn’t change its input', () => {
    const { photo } = rasters
    const { width, height, data } = photo
    const before = data.slice()
    const kind = catalogue[effect]
    const prepared = kind.prepare?.(photo, 1, unitOf(width, height))
    const bands = bandsOf(kind, { width, height, intensity: 1, bandPixels: width * 32 })
    const renderedBands = bands.flatMap((band) => {
      const rows = data.slice(band.readFrom * width * 4, band.readUntil * width * 4)
      const work = { effectName: effect, data: rows, width, fullHeight: height, band, intensity: 1, prepared }
      return [Buffer.from(renderBand(kind, work))]
    })
    expect(Buffer.concat(renderedBands).equals(Buffer.from(render(effect, photo, 1)))).toBe(true)
    expect(Buffer.from(data).equals(Buffer.from(before))).toBe(true)
  })
})
