import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readablePixels } from './readable-pixels.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mira-readable-pixels-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test.each(['#ffffff', '#f0e060', '#000000', '#203060'])(
  'letters of the colour %s on transparency contrast with the background chosen for reading',
  async (ink) => {
    const filename = join(folder, `${ink.slice(1)}.png`)
    const letter = await sharp({ create: { width: 20, height: 60, channels: 4, background: ink } })
      .png()
      .toBuffer()
    await sharp({ create: { width: 300, height: 100, channels: 4, background: '#00000000' } })
      .composite([{ input: letter, left: 140, top: 20 }])
      .png()
      .toFile(filename)
    const { data } = await readablePixels(filename, 300)
    expect(Math.max(...data) - Math.min(...data)).toBeGreaterThan(100)
  },
)

test('light and dark letters on the same transparency both contrast with the background', async () => {
  const filename = join(folder, 'both.png')
  const letters = await Promise.all(
    ['#ffffff', '#000000'].map((background) =>
      sharp({ create: { width: 20, height: 60, channels: 4, background } })
        .png()
        .toBuffer(),
    ),
  )
  await sharp({ create: { width: 300, height: 100, channels: 4, background: '#00000000' } })
    .composite(letters.map((input, n) => ({ input, left: 100 + 80 * n, top: 20 })))
    .png()
    .toFile(filename)
  const { data } = await readablePixels(filename, 300)
  const [backdrop = 0, light = 0, dark = 0] = [0, Math.max(...data), Math.min(...data)].map((value, n) =>
    n ? value : (data[0] ?? 0),
  )
  expect(light - backdrop).toBeGreaterThan(90)
  expect(backdrop - dark).toBeGreaterThan(90)
})
