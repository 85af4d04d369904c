import { createHash } from 'node:crypto'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { type BmpKind, type Colour, writeBmp } from '../../../test/bmp-files.ts'
import { BmpError, BmpTooLargeError, decodeBmp, looksLikeBmp, readBmpSize } from './bmp.ts'
import { decodeBmpInThread } from './bmp-thread.ts'

const MAX_PIXELS = 1_000_000

const palette: Colour[] = [
  [0, 0, 0],
  [255, 0, 0],
  [0, 255, 0],
  [0, 0, 255],
  [255, 255, 255],
  [12, 34, 56],
  [200, 100, 50],
  [1, 2, 3],
]
/** Palette indices; seven columns, so that no row fills its bytes. */
const numbers = [
  [0, 1, 2, 3, 4, 5, 6],
  [6, 5, 4, 3, 2, 1, 0],
  [7, 7, 7, 0, 1, 1, 2],
]
const black: Colour = [0, 0, 0]
const colours = numbers.map((row) => row.map((number): Colour => palette[number] ?? black))
const asTriple = ([red, green, blue]: Colour) => (red << 16) | (green << 8) | blue
const triples = colours.map((row) => row.map(asTriple))

const decoded = (file: Buffer) => {
  const { width, height, channels, data } = decodeBmp(file, MAX_PIXELS)
  return { width, height, channels, pixels: [...data] }
}
const picture = (rows: readonly (readonly number[])[][], channels = 3) => ({
  width: rows[0]?.length,
  height: rows.length,
  channels,
  pixels: rows.flat(2),
})

const kinds: Record<string, [rows: number[][], kind: BmpKind, expected: ReturnType<typeof picture>]> = {
  '1 bit': [
    numbers.map((row) => row.map((number) => number % 2)),
    { bitsPerPixel: 1, palette },
    picture(numbers.map((row) => row.map((number) => palette[number % 2] ?? black))),
  ],
  '4 bits': [numbers, { bitsPerPixel: 4, palette }, picture(colours)],
  '8 bits': [numbers, { bitsPerPixel: 8, palette }, picture(colours)],
  '8 bits, top-down': [numbers, { bitsPerPixel: 8, palette, isTopDown: true }, picture(colours)],
  '8 bits, run-length encoded': [numbers, { bitsPerPixel: 8, palette, compression: 1 }, picture(colours)],
  '4 bits, run-length encoded': [numbers, { bitsPerPixel: 4, palette, compression: 2 }, picture(colours)],
  '24 bits': [triples, { bitsPerPixel: 24 }, picture(colours)],
  '24 bits, top-down': [triples, { bitsPerPixel: 24, isTopDown: true }, picture(colours)],
  '32 bits with an unused last byte': [triples, { bitsPerPixel: 32 }, picture(colours)],
  '8 bits with an OS/2 header': [numbers, { bitsPerPixel: 8, palette, headerBytes: 12 }, picture(colours)],
  '24 bits with an OS/2 header': [triples, { bitsPerPixel: 24, headerBytes: 12 }, picture(colours)],
  '16 bits, five per colour': [
    [[0x7fff, 0x7c00, 0x03e0, 0x001f, 0x0000, 0x4210]],
    { bitsPerPixel: 16 },
    picture([
      [
        [255, 255, 255],
        [255, 0, 0],
        [0, 255, 0],
        [0, 0, 255],
        [0, 0, 0],
        [132, 132, 132],
      ],
    ]),
  ],
  '16 bits, six for green': [
    [[0xffff, 0xf800, 0x07e0, 0x001f, 0x0020]],
    { bitsPerPixel: 16, compression: 3, masks: [0xf800, 0x07e0, 0x001f, 0] },
    picture([
      [
        [255, 255, 255],
        [255, 0, 0],
        [0, 255, 0],
        [0, 0, 255],
        [0, 4, 0],
      ],
    ]),
  ],
  '32 bits with an alpha mask': [
    [[0x80ff0000, 0xff00ff00, 0x000000ff]],
    { bitsPerPixel: 32, compression: 3, headerBytes: 124, masks: [0xff0000, 0xff00, 0xff, 0xff000000] },
    picture(
      [
        [
          [255, 0, 0, 128],
          [0, 255, 0, 255],
          [0, 0, 255, 0],
        ],
      ],
      4,
    ),
  ],
  '32 bits with an alpha mask but no alpha': [
    [[0x00ff0000, 0x0000ff00]],
    { bitsPerPixel: 32, compression: 3, headerBytes: 56, masks: [0xff0000, 0xff00, 0xff, 0xff000000] },
    picture(
      [
        [
          [255, 0, 0, 255],
          [0, 255, 0, 255],
        ],
      ],
      4,
    ),
  ],
  '32 bits, ten per colour': [
    [[0x3ff00000, 0x000ffc00, 0x000003ff, 0x20000000]],
    { bitsPerPixel: 32, compression: 3, masks: [0x3ff00000, 0x000ffc00, 0x000003ff, 0] },
    picture([
      [
        [255, 0, 0],
        [0, 255, 0],
        [0, 0, 255],
        [128, 0, 0],
      ],
    ]),
  ],
}

test.each(Object.entries(kinds))('decodes %s exactly', async (_name, [rows, kind, expected]) => {
  const file = writeBmp(rows, kind)
  expect(decoded(file)).toEqual(expected)
  expect(await looksLikeBmp(file)).toBe(true)
  expect(readBmpSize(file, MAX_PIXELS)).toEqual({ width: expected.width, height: expected.height })
})

test('decodes colours missing from the palette as black', () => {
  const file = writeBmp([[0, 1, 2]], { bitsPerPixel: 8, palette: [[9, 9, 9]] })
  expect(decoded(file).pixels).toEqual([9, 9, 9, 0, 0, 0, 0, 0, 0])
})

test('decodes pixels skipped by run-length codes as the first colour', () => {
  const file = writeBmp([[0, 0, 0]], { bitsPerPixel: 8, compression: 1, palette })
  // one pixel, then one to the right and none up, then one pixel
  const runs = Buffer.from([1, 1, 0, 2, 1, 0, 1, 2, 0, 1])
  expect(decoded(Buffer.concat([file.subarray(0, file.readUInt32LE(10)), runs])).pixels).toEqual(
    [palette[1], palette[0], palette[2]].flat(),
  )
})

test('cuts off runs that are longer than their row', () => {
  const file = writeBmp(
    [
      [0, 0],
      [0, 0],
    ],
    { bitsPerPixel: 8, compression: 1, palette },
  )
  const runs = Buffer.from([200, 1, 100, 2, 0, 0, 2, 3, 0, 1])
  expect(decoded(Buffer.concat([file.subarray(0, file.readUInt32LE(10)), runs])).pixels).toEqual(
    [palette[3], palette[3], palette[1], palette[1]].flat(),
  )
})

describe('refuses', () => {
  const file = writeBmp(triples, { bitsPerPixel: 24 })
  const changed = (change: (copy: Buffer) => void) => {
    const copy = Buffer.from(file)
    change(copy)
    return () => decodeBmp(copy, MAX_PIXELS)
  }

  test.each([
    ['an empty file', () => decodeBmp(Buffer.alloc(0), MAX_PIXELS), 'has no header'],
    ['a text that starts with BM', () => decodeBmp(Buffer.from('BM'.padEnd(200, 'x')), MAX_PIXELS), 'unknown kind'],
    ['no file that lacks only its final padding', () => decodeBmp(file.subarray(0, -1), MAX_PIXELS), undefined],
    ['a file without its last rows', () => decodeBmp(file.subarray(0, -9), MAX_PIXELS), 'ends before its last row'],
    ['a width of 0', changed((copy) => copy.writeInt32LE(0, 18)), 'has no width or height'],
    ['a negative width', changed((copy) => copy.writeInt32LE(-7, 18)), 'has no width or height'],
    ['a colour depth of 3 bits', changed((copy) => copy.writeUInt16LE(3, 28)), 'unknown colour depth'],
    ['run-length encoding of 24 bits', changed((copy) => copy.writeUInt32LE(1, 30)), 'unknown colour depth'],
    ['an embedded JPEG', changed((copy) => copy.writeUInt32LE(4, 30)), 'has an unknown compression'],
    ['pixels inside the header', changed((copy) => copy.writeUInt32LE(10, 10)), 'has a wrong pixel offset'],
    ['pixels outside the file', changed((copy) => copy.writeUInt32LE(1e6, 10)), 'has a wrong pixel offset'],
  ])('%s', (_name, decode, reason) => {
    // padding after the last pixel of the last row is often missing
    if (reason === undefined) expect(decode).not.toThrow()
    else expect(decode).toThrow(reason)
  })

  test('a file with more pixels than allowed, before allocating memory for them', () => {
    const huge = changed((copy) => {
      copy.writeInt32LE(2_000_000_000, 18)
      copy.writeInt32LE(-2_147_483_648, 22)
    })
    expect(huge).toThrow(BmpTooLargeError)
    expect(() => decodeBmp(file, 20)).toThrow(BmpTooLargeError)
    expect(() => decodeBmp(file, 21)).not.toThrow()
  })
})

test('decodes each of 3000 mutated files or refuses it with a reason, quickly', () => {
  let state = 1
  // the same numbers in every run
  const random = (below: number) => {
    state = createHash('sha256').update(String(state)).digest().readUInt32LE()
    return state % below
  }
  const files = Object.values(kinds).map(([rows, kind]) => writeBmp(rows, kind))
  let decodedCount = 0
  let refusedCount = 0
  let slowestMs = 0
  for (let round = 0; round < 3000; round++) {
    const mutated = Buffer.from(files[round % files.length] as Buffer)
    for (let change = 0; change <= random(6); change++) mutated[2 + random(mutated.length - 2)] = random(256)
    const input = random(4) === 0 ? mutated.subarray(0, random(mutated.length)) : mutated
    const begin = process.threadCpuUsage()
    try {
      const { width, height, channels, data } = decodeBmp(input, MAX_PIXELS)
      expect(data.length).toBe(width * height * channels)
      decodedCount++
    } catch (error) {
      expect(error).toBeInstanceOf(BmpError)
      refusedCount++
    }
    slowestMs = Math.max(slowestMs, process.threadCpuUsage(begin).user / 1000)
  }
  expect(decodedCount).toBeGreaterThan(300)
  expect(refusedCount).toBeGreaterThan(300)
  expect(slowestMs).toBeLessThan(1000)
})

describe('in a worker thread', () => {
  test('decodes an image to the same pixels', async () => {
    const file = writeBmp(triples, { bitsPerPixel: 24 })
    expect(await decodeBmpInThread({ source: file, maxPixels: MAX_PIXELS }, 10_000)).toEqual(
      decodeBmp(file, MAX_PIXELS),
    )
  })

  test('rejects a damaged file and one that is too large', async () => {
    const file = writeBmp(triples, { bitsPerPixel: 24 })
    await expect(decodeBmpInThread({ source: file.subarray(0, 60), maxPixels: MAX_PIXELS }, 10_000)).rejects.toThrow(
      new BmpError('ends before its last row'),
    )
    await expect(decodeBmpInThread({ source: file, maxPixels: 1 }, 10_000)).rejects.toThrow(BmpTooLargeError)
  })

  test('gives up on a file that takes too long', async () => {
    // the time is up before the thread can answer, however busy the machine is
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const file = writeBmp(triples, { bitsPerPixel: 24 })
    const decoding = decodeBmpInThread({ source: file, maxPixels: MAX_PIXELS }, 1000)
    vi.advanceTimersByTime(1000)
    await expect(decoding).rejects.toThrow('takes too long')
  })

  test('rejects a missing file with ENOENT instead of ending silently', async () => {
    await expect(decodeBmpInThread({ source: '/nowhere.bmp', maxPixels: 1 }, 10_000)).rejects.toThrow('ENOENT')
  })
})
