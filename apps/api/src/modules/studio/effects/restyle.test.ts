import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { expect, onTestFinished, test } from 'vitest'
import { createPixels } from '../../../parsers/image/pixels.ts'
import type { Files, ReceivedFile } from '../../../platform/storage/files.ts'
import { restyle } from './restyle.ts'

const colour = [192, 64, 48] as const
const aboutColour = colour.map((value) => expect.toSatisfy((other: number) => Math.abs(other - value) < 4))

test('sends the model neither the owner nor the camera, and blends in its colours', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mira-restyle-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  let fileCount = 0
  const store = (content: Uint8Array) => {
    const filename = join(folder, String(fileCount++))
    writeFileSync(filename, content)
    return filename
  }
  const receive = (async (content: Uint8Array) => {
    return { filename: store(content), discard: async () => {} } as ReceivedFile
  }) as Files['receive']
  const [r, g, b] = colour
  const flat = sharp({ create: { width: 60, height: 40, channels: 3, background: { r, g, b } } })
  const photo = await flat
    .clone()
    .withIccProfile('p3')
    .withExifMerge({ IFD0: { Make: 'Acme', Artist: 'Ana Smith' } })
    .jpeg({ quality: 100 })
    .toBuffer()
  const sent: Buffer[] = []
  const edited = await flat.png().toBuffer()
  const editor = {
    engine: 'remote' as const,
    model: () => 'painter',
    edit: async (picture: Uint8Array) => {
      sent.push(Buffer.from(picture))
      return { picture: edited, model: 'painter' }
    },
    draw: () => Promise.reject(new Error('nothing is drawn')),
  }

  const pixels = createPixels()
  const picture = await pixels.decode(store(photo))
  const options = { prompt: 'the same again', intensity: 0.5, signal: AbortSignal.timeout(10_000) }
  const result = await restyle({ pixels, editor, receive }, picture, options)
  const [sentPng] = sent
  expect((await sharp(sentPng).metadata()).exif?.toString('latin1') ?? '').not.toMatch(/Acme|Ana/)
  expect([...(await sharp(sentPng).raw().toBuffer()).subarray(0, 3)]).toEqual(aboutColour)
  expect([...result.data.subarray(0, 3)]).toEqual(aboutColour)
  expect(result.exif).toEqual(picture.exif)
  expect(result.exif).toMatchObject({ IFD0: { Artist: 'Ana Smith' } })
})
