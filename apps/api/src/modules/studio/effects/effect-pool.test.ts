import sharp from 'sharp'
import { afterAll, expect, test } from 'vitest'
import { joinRows } from '../../../parsers/image/png-rows.ts'
import { createEffectPool } from './effect-pool.ts'

const pool = createEffectPool({ workers: 2 })
afterAll(() => pool.close())

/** Size of an image that is processed in several bands (strips of rows), the last one shorter than the others. */
const size = { width: 1500, height: 1501 }
const data = Uint8ClampedArray.from({ length: size.width * size.height * 4 }, (_, i) =>
  i % 4 === 3 ? 255 : Math.imul(i, 2654435761) >>> 24,
)
const signal = new AbortController().signal

test('workers that also compress give the same image', async () => {
  const raster = { ...size, data, isOpaque: true }
  const progressValues: number[] = []
  const onProgress = (progress: number) => progressValues.push(progress)
  const rows = await pool.applyAndCompress(raster, 'emboss', { intensity: 1.3, signal, onProgress })
  expect(rows.length).toBeGreaterThan(2)
  expect(progressValues.at(-1)).toBe(1)
  const { data: uncompressed } = await pool.apply(raster, 'emboss', { intensity: 1.3, signal })
  const decoded = await sharp(joinRows(rows, raster)).ensureAlpha().raw().toBuffer()
  expect(decoded.equals(Buffer.from(uncompressed))).toBe(true)
})

test('an aborted effect stops, and the next one is applied', async () => {
  const controller = new AbortController()
  const raster = { ...size, data, isOpaque: true }
  const onProgress = () => controller.abort(new Error('not wanted any more'))
  const applying = pool.applyAndCompress(raster, 'oil_painting', {
    intensity: 1,
    signal: controller.signal,
    onProgress,
  })
  await expect(applying).rejects.toThrow('not wanted any more')
  const { data: pixels } = await pool.apply(raster, 'sepia', { intensity: 1, signal })
  expect(pixels).toHaveLength(data.length)
})
