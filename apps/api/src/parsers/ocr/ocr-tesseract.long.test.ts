import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { writeBmp } from '../../../test/bmp-files.ts'
import { createRandom } from '../../../test/chance.ts'
import { backgroundKinds, drawBackground } from '../../../test/reading/photo-backgrounds.ts'
import { ocrImages } from '../../../test/reading/reading-pictures.ts'
import { testSandboxing } from '../../../test/test-sandboxing.ts'
import { textImage } from '../../../test/written-pictures.ts'
import type { WithTempFolder } from '../../platform/storage/scratch.ts'
import { createPictureProcesses } from '../image/picture-processes.ts'
import type { Ocr, ReadText } from './ocr.ts'
import { createTesseractOcr } from './ocr-tesseract.ts'

const pictures = createPictureProcesses({ sandboxing: testSandboxing })
const withTempFolder: WithTempFolder = (use) => use(mkdtempSync(join(folder, 'scratch-')))

let folder: string
let ocr: Ocr
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mira-ocr-'))
  ocr = createTesseractOcr({ sandboxing: testSandboxing, pictures, withTempFolder, folder: join(folder, 'data') })
})
afterAll(async () => {
  await ocr.close()
  await pictures.close()
  rmSync(folder, { recursive: true, force: true })
})

let count = 0
function write(picture: Buffer): string {
  const filename = join(folder, String(count++))
  writeFileSync(filename, picture)
  return filename
}
const signal = new AbortController().signal
const read = (picture: Buffer, languages = ['en']): Promise<ReadText> => ocr.read(write(picture), { languages, signal })

const LINES = ['The harbour committee meets at nine', 'with three copies of invoice 48213.']
const TEXT = LINES.join('\n')
const letter = () => textImage(LINES, { fontSize: 36 })
const WAIT_MS = 60_000

describe('text is read', () => {
  test('with its lines, and with boxes of its words', { timeout: WAIT_MS }, async () => {
    const result = await read(await textImage(['Harbour', 'Street'], { fontSize: 100, width: 600, height: 400 }))
    expect(result).toMatchObject({ text: 'Harbour\nStreet', confidence: expect.closeTo(0.97, 1) })
    const [harbour, street] = result.words
    // 100 pixels from the left and from the top, capitals of 72
    for (const [word, top] of [
      [harbour, 0.28],
      [street, 0.65],
    ] as const) {
      const [x, y, width, height] = word?.box ?? [0, 0, 0, 0]
      expect([Math.abs(x - 0.17) < 0.03, Math.abs(y - top) < 0.05]).toEqual([true, true])
      expect([width > 0.4 && width < 0.65, height > 0.15 && height < 0.25]).toEqual([true, true])
    }
  })

  test.each([
    ['in small type, as on a screen', () => textImage(LINES, { fontSize: 12 })],
    ['white on dark', () => textImage(LINES, { fontSize: 28, ink: '#f0f0f0', paper: '#101828' })],
    [
      'in a photo taken with the camera on its side',
      async () =>
        sharp(
          await sharp(await letter())
            .rotate(270)
            .toBuffer(),
        )
          .withMetadata({ orientation: 6 })
          .jpeg()
          .toBuffer(),
    ],
    [
      'upside down',
      async () =>
        sharp(await letter())
          .rotate(180)
          .png()
          .toBuffer(),
    ],
    [
      'rotated by 90°',
      async () =>
        sharp(await letter())
          .rotate(90)
          .png()
          .toBuffer(),
    ],
    ['slanted', () => textImage(LINES, { fontSize: 36, turnedBy: -7 })],
    [
      'on transparency',
      async () => {
        const ink = await sharp(await letter())
          .greyscale()
          .negate()
          .raw()
          .toBuffer({ resolveWithObject: true })
        const { width, height } = ink.info
        return sharp({ create: { width, height, channels: 3, background: '#000000' } })
          .joinChannel(ink.data, { raw: ink.info })
          .png()
          .toBuffer()
      },
    ],
    [
      'in 16 bits',
      async () =>
        sharp(await letter())
          .toColourspace('rgb16')
          .png()
          .toBuffer(),
    ],
    [
      'in CMYK',
      async () =>
        sharp(await letter())
          .toColourspace('cmyk')
          .jpeg()
          .toBuffer(),
    ],
    [
      'in a TIFF',
      async () =>
        sharp(await letter())
          .tiff()
          .toBuffer(),
    ],
  ] as const)('%s', { timeout: WAIT_MS }, async (_name, make) => {
    expect((await read(await make())).text.replaceAll('\n\n', '\n')).toBe(TEXT)
  })

  test('in a very tall screenshot, each line once', { timeout: 2 * WAIT_MS }, async () => {
    const lines = Array.from({ length: 70 }, (_, n) => `Line ${n + 1} of the harbour committee`)
    const { text, words } = await read(await textImage(lines, { fontSize: 44, width: 1080 }))
    expect(text.split(/\n+/)).toEqual(lines)
    const tops = words.filter(({ text: word }) => word === 'Line').map(({ box }) => box[1])
    expect(tops.every((top, n) => Math.abs(top - (n * 1.5 + 1) / (70 * 1.5 + 1.5)) < 0.01)).toBe(true)
  })

  test('in a BMP', { timeout: WAIT_MS }, async () => {
    const { data, info } = await sharp(await letter())
      .removeAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true })
    const rows = Array.from({ length: info.height }, (_, y) =>
      Array.from({ length: info.width }, (_, x) => data.readUIntBE((y * info.width + x) * 3, 3)),
    )
    expect(await read(writeBmp(rows, { bitsPerPixel: 24 }))).toMatchObject({ text: TEXT })
  })

  test('in a noisy photo of paper in half shadow', { timeout: WAIT_MS }, async () => {
    const picture = sharp(await letter())
    const { width, height } = await picture.metadata()
    const shade = Buffer.alloc(width * height)
    for (let index = 0; index < shade.length; index++) shade[index] = 60 + (110 * (index % width)) / width
    const raw = { width, height, channels: 1 } as const
    const noise = { type: 'gaussian', mean: 128, sigma: 30 } as const
    const grain = await sharp({ create: { width, height, channels: 3, background: '#808080', noise } })
      .png()
      .toBuffer()
    const photo = await picture
      .composite([
        { input: shade, raw, blend: 'multiply' },
        { input: grain, blend: 'overlay' },
      ])
      .jpeg({ quality: 70 })
      .toBuffer()
    const { text } = await read(photo)
    const words = TEXT.split(/\s/)
    expect(words.filter((word) => text.includes(word)).length).toBeGreaterThanOrEqual(words.length - 2)
  })

  test.each([
    ['de', 'Die Straße wird für größere Übungen gesperrt'],
    ['es', 'El niño volverá mañana a la reunión con su señora'],
    ['fr', 'Les élèves étaient à côté de la forêt très tôt'],
  ])('with the accents of %s, expected or not', { timeout: WAIT_MS }, async (language, sentence) => {
    const picture = await textImage(sentence)
    expect(await read(picture, [language])).toMatchObject({ text: sentence, language })
    expect(await read(picture, ['en'])).toMatchObject({ text: sentence, language })
  })
})

describe('words in everyday photos are read', () => {
  test.each(['busy ground', 'accents on busy ground', 'sign in 12 megapixels', 'film title', 'screen'] as const)(
    '%s',
    { timeout: WAIT_MS },
    async (kind) => {
      for await (const { file, words } of ocrImages(kind, 'development', 1)) {
        expect((await read(file)).text.split(/\s+/)).toEqual(expect.arrayContaining(words))
      }
    },
  )

  test('with boxes at their positions', { timeout: WAIT_MS }, async () => {
    const sign = await textImage('Deep Water', { fontSize: 60, ink: '#ffffff', paper: '#0c3c8c' })
    const photo = await sharp(await drawBackground('bricks', { width: 1200, height: 900 }, createRandom(7)))
      .composite([{ input: sign, left: 600, top: 450 }])
      .jpeg()
      .toBuffer()
    const { words } = await read(photo)
    expect(words.map(({ text }) => text)).toEqual(['Deep', 'Water'])
    const [deep, water] = words.map(({ box: [x, y, width, height] }) => [x * 1200, y * 900, width * 1200, height * 900])
    // written 60 pixels from the left and top of the sign; PaddleOCR's boxes have a margin
    expect(Math.abs((deep?.[0] ?? 0) - 660)).toBeLessThan(30)
    expect(Math.abs((deep?.[1] ?? 0) + (deep?.[3] ?? 0) / 2 - 540)).toBeLessThan(20)
    expect((water?.[0] ?? 0) > (deep?.[0] ?? 0) + (deep?.[2] ?? 0) - 10).toBe(true)
  })

  test('and none where nothing is written', { timeout: WAIT_MS }, async () => {
    for (const kind of backgroundKinds) {
      const photo = await drawBackground(kind, { width: 1200, height: 900 }, createRandom(11))
      expect(await read(photo)).toMatchObject({ text: '', words: [] })
    }
  })
})

describe('no text is invented', () => {
  test.each([
    ['one colour', { background: '#88aacc' }],
    ['grain', { background: '#888888', noise: { type: 'gaussian', mean: 128, sigma: 60 } }],
  ] as const)('for %s', { timeout: WAIT_MS }, async (_name, look) => {
    const picture = await sharp({ create: { width: 800, height: 600, channels: 3, ...look } })
      .jpeg()
      .toBuffer()
    expect(await read(picture)).toEqual({ text: '', words: [], confidence: null, language: null })
  })

  test('for an image one pixel high', { timeout: WAIT_MS }, async () => {
    const line = { width: 4000, height: 1, channels: 3, background: '#808890' } as const
    expect(await read(await sharp({ create: line }).png().toBuffer())).toMatchObject({ text: '', words: [] })
  })
})

describe('a failed reading', () => {
  const problem = (work: Promise<unknown>) =>
    work.then(
      () => 'it was read',
      ({ status, code, message }) => [status, code, message],
    )
  const DAMAGED = [422, 'damaged_image', 'The text of this picture can’t be read: it can’t be decoded.']

  test('is refused, and the next one succeeds', { timeout: WAIT_MS }, async () => {
    const readable = await sharp(await letter())
      .jpeg()
      .toBuffer()
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="90"><text y="50">Hello</text></svg>'
    for (const bad of [Buffer.from('Hello'), Buffer.from(svg), Buffer.alloc(0)]) {
      expect(await problem(read(bad))).toEqual(DAMAGED)
    }
    expect(await read(readable)).toMatchObject({ text: TEXT })
  })

  test('names the reason: too little time, too little memory or no engine', { timeout: WAIT_MS }, async () => {
    const filename = write(await letter())
    const withLimits = async (limits: { timeoutMs?: number; memoryLimitMb?: number; folder?: string }) => {
      const otherOcr = createTesseractOcr({
        ...{ sandboxing: testSandboxing, pictures, withTempFolder },
        folder: join(folder, 'data'),
        ...limits,
      })
      try {
        return [await problem(otherOcr.read(filename, { signal })), otherOcr.check().state]
      } finally {
        await otherOcr.close()
      }
    }
    const sentence = 'The text of this picture can’t be read: it takes too'
    expect(await withLimits({ timeoutMs: 20 })).toEqual([[422, 'damaged_image', `${sentence} long.`], 'ok'])
    expect(await withLimits({ memoryLimitMb: 130 })).toEqual([[422, 'damaged_image', `${sentence} much memory.`], 'ok'])
    const unavailable = await withLimits({ folder: '/dev/null/data' })
    expect(unavailable).toEqual([[503, 'unavailable', expect.stringContaining('ENOTDIR')], 'error'])
  })

  test('ends when the caller aborts', { timeout: WAIT_MS }, async () => {
    const controller = new AbortController()
    const reading = ocr.read(write(await letter()), { signal: controller.signal })
    controller.abort(new Error('enough'))
    await expect(reading).rejects.toThrow('enough')
    expect(ocr.check()).toEqual({ state: 'ok', engine: 'built-in', model: 'PP-OCRv4 and tesseract 5 (best_int)' })
  })
})
