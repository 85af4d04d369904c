import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { prepareColours, prepareForReading } from './ocr-picture.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mira-ocr-picture-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test.each(['#ffffff', '#f0e060', '#000000', '#203060'])(
  'letters of the colour %s on a transparent ground stand out from what they are read on',
  async (ink) => {
    const filename = join(folder, `${ink.slice(1)}.png`)
    const letter = await sharp({ create: { width: 20, height: 60, channels: 4, background: ink } })
      .png()
      .toBuffer()
    await sharp({ create: { width: 300, height: 100, channels: 4, background: '#00000000' } })
      .composite([{ input: letter, left: 140, top: 20 }])
      .png()
      .toFile(filename)
    for (const { data } of [await prepareForReading(filename), await prepareColours(filename, 300)]) {
      expect(Math.max(...data) - Math.min(...data)).toBeGreaterThan(100)
    }
  },
)
