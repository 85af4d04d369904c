import sharp from 'sharp'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createRandom } from '../../../test/chance.ts'
import { type BackgroundKind, drawBackground } from '../../../test/reading/photo-backgrounds.ts'
import { textImage } from '../../../test/written-pictures.ts'
import type { ColourPicture } from '../image/readable-pixels.ts'
import { findWordSquares, mayHaveText } from './find-text.ts'
import { loadTextModels, type Network, type TextModels } from './text-models.ts'

/** Networks that count their calls since the test began. */
let models: TextModels
let recogniserCalls: number
let searchedPixels: number
beforeAll(async () => {
  const { find, recognise, characters } = await loadTextModels()
  const counted =
    (network: Network, count: (dims: number[]) => void): Network =>
    (input, dims) => {
      count(dims)
      return network(input, dims)
    }
  models = {
    find: counted(find, ([, , height = 0, width = 0]) => {
      searchedPixels += height * width
    }),
    recognise: counted(recognise, () => recogniserCalls++),
    characters,
  }
})
beforeEach(() => {
  recogniserCalls = 0
  searchedPixels = 0
})

const SIZE = { width: 1280, height: 960 }
const SIGN = { left: 700, top: 500 }

/** Photo with a kind of background, and with a sign when there are words. */
async function photo(kind: BackgroundKind, { words, fontSize }: { words?: string; fontSize?: number } = {}) {
  const ground = sharp(await drawBackground(kind, SIZE, createRandom(11)))
  const look = { fontSize: fontSize ?? 40, ink: '#ffffff', paper: '#0c3c8c', font: 'Helvetica-Bold' } as const
  const input = words === undefined ? undefined : await textImage(words, look)
  const picture = input === undefined ? ground : ground.composite([{ input, ...SIGN }])
  const { data, info } = await picture.removeAlpha().raw().toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height } satisfies ColourPicture
}

describe('a photo', () => {
  test.each(['clouds', 'foliage', 'stones', 'crowd'] as const)(
    'of %s without text has less than half its pixels searched, and nothing recognised',
    async (kind) => {
      expect(await mayHaveText(models, await photo(kind))).toBe(false)
      expect(recogniserCalls).toBe(0)
      expect(searchedPixels).toBeLessThan((SIZE.width * SIZE.height) / 2)
    },
  )

  test.each([
    ['large letters', 60],
    ['letters that the first detection finds', 24],
    ['letters too small for the first detection', 11],
  ])('with %s may have text', async (_, fontSize) => {
    for (const kind of ['foliage', 'bricks'] as const) {
      expect(await mayHaveText(models, await photo(kind, { words: 'Bäckerei Schröder', fontSize }))).toBe(true)
    }
  })
})

test('ranks a small sign among leaves first for small letters', async () => {
  const [place] = findWordSquares(await photo('foliage', { words: 'QX7741', fontSize: 11 }), { count: 2, side: 192 })
  expect(place).toBeDefined()
  const { left = 0, top = 0 } = place ?? {}
  expect([left < SIGN.left, left + 192 > SIGN.left + 40, top < SIGN.top, top + 192 > SIGN.top + 20]).toEqual([
    true,
    true,
    true,
    true,
  ])
})

test('finds no squares in an image of one colour or smaller than a word', () => {
  const plain = (width: number, height: number) => ({ width, height, data: Buffer.alloc(width * height * 3, 90) })
  for (const picture of [plain(1280, 960), plain(30, 20)]) {
    expect(findWordSquares(picture, { count: 2, side: 192 })).toEqual([])
  }
})
