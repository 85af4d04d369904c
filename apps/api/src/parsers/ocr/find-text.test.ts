import sharp from 'sharp'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { chanceFrom } from '../../../test/chance.ts'
import { type GroundKind, makeGround } from '../../../test/reading/reading-grounds.ts'
import { writtenPicture } from '../../../test/written-pictures.ts'
import type { ColourPicture } from '../image/readable-pixels.ts'
import { findWordSquares, mayHaveText } from './find-text.ts'
import { loadTextModels, type Network, type TextModels } from './text-models.ts'

/** The networks, and what they were asked since the test began. */
let models: TextModels
let recognised: number
let looked: number
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
      looked += height * width
    }),
    recognise: counted(recognise, () => recognised++),
    characters,
  }
})
beforeEach(() => {
  recognised = 0
  looked = 0
})

const SIZE = { width: 1280, height: 960 }
const SIGN = { left: 700, top: 500 }

/** A photo of a kind, with a sign if it says something. */
async function photo(kind: GroundKind, { words, fontSize }: { words?: string; fontSize?: number } = {}) {
  const ground = sharp(await makeGround(kind, SIZE, chanceFrom(11)))
  const look = { fontSize: fontSize ?? 40, ink: '#ffffff', paper: '#0c3c8c', font: 'Helvetica-Bold' } as const
  const input = words === undefined ? undefined : await writtenPicture(words, look)
  const picture = input === undefined ? ground : ground.composite([{ input, ...SIGN }])
  const { data, info } = await picture.removeAlpha().raw().toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height } satisfies ColourPicture
}

describe('a photo', () => {
  test.each(['clouds', 'foliage', 'stones', 'crowd'] as const)(
    'of %s without text is looked at for half of its pixels, and nobody is asked to read it',
    async (kind) => {
      expect(await mayHaveText(models, await photo(kind))).toBe(false)
      expect(recognised).toBe(0)
      expect(looked).toBeLessThan((SIZE.width * SIZE.height) / 2)
    },
  )

  test.each([
    ['large letters', 60],
    ['letters that a glance sees', 24],
    ['letters too small for a glance', 11],
  ])('with %s is read', async (_, fontSize) => {
    for (const kind of ['foliage', 'bricks'] as const) {
      expect(await mayHaveText(models, await photo(kind, { words: 'Bäckerei Schröder', fontSize }))).toBe(true)
    }
  })
})

test('a small sign among leaves is the likeliest place for small letters', async () => {
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

test('a picture of one colour has no such place, nor has one smaller than a word', () => {
  const plain = (width: number, height: number) => ({ width, height, data: Buffer.alloc(width * height * 3, 90) })
  for (const picture of [plain(1280, 960), plain(30, 20)]) {
    expect(findWordSquares(picture, { count: 2, side: 192 })).toEqual([])
  }
})
