import sharp from 'sharp'
import { between, createRandom, pickOne, type Random } from '../chance.ts'
import { textImage } from '../written-pictures.ts'
import { type BackgroundKind, backgroundKinds, drawBackground } from './photo-backgrounds.ts'
import { sentences, shortLines, type WordSet } from './reading-words.ts'

/** An image with the words in it. */
export interface PictureToRead {
  kind: PictureKind
  file: Buffer
  words: string[]
}

/** Kinds of photos, by their difficulty. */
export const pictureKinds = [
  'plain',
  'slanted',
  'skewed',
  'dim',
  'screen',
  'scan',
  'accents',
  'busy ground',
  'accents on busy ground',
  'sign in 12 megapixels',
  'film title',
  'nothing written',
  'nothing in 12 megapixels',
] as const
export type PictureKind = (typeof pictureKinds)[number]

const languages = ['en', 'es', 'fr', 'de'] as const
const fonts = ['Helvetica', 'Helvetica-Bold', 'Times-Roman'] as const
const LARGE = { width: 4000, height: 3000 }

interface Making {
  chance: Random
  set: WordSet
  /** Index within its kind. */
  index: number
}

interface Made {
  file: Buffer
  words: string[]
}

/** Draws images of a kind, the same ones each time. */
export async function* ocrImages(kind: PictureKind, set: WordSet, count: number): AsyncGenerator<PictureToRead> {
  for (let index = 0; index < count; index++) {
    const seed = (set === 'judging' ? 500_009 : 1) + pictureKinds.indexOf(kind) * 1_013 + index
    const made = await makers[kind]({ chance: createRandom(seed * 7_919), set, index })
    yield { kind, ...made }
  }
}

const wordsOf = (lines: string[]) => lines.flatMap((line) => line.split(' '))
/** Consecutive entries of a list, different ones for each image. */
const someOf = (list: string[], index: number, count: number) =>
  Array.from({ length: count }, (_, n) => list[(index * count + n) % list.length] as string)

function shortOf({ set, index }: Making): string {
  const language = languages[index % languages.length] ?? 'en'
  const list = shortLines[set][language]
  return list[Math.floor(index / languages.length) % list.length] as string
}
const hasAccents = (line: string) => /[^\p{ASCII}€]/u.test(line)
function accentedOf({ set, index }: Making): string {
  const language = pickOne(() => (index % 3) / 3, ['fr', 'de', 'es'] as const)
  const list = shortLines[set][language].filter(hasAccents)
  return list[Math.floor(index / 3) % list.length] as string
}
function plainShortOf({ set, index }: Making): string {
  const all = languages.flatMap((language) => shortLines[set][language]).filter((line) => !hasAccents(line))
  return all[(index * 5) % all.length] as string
}

/** Draws lines of text on a transparent background. */
async function textAreaOf(lines: string[], look: { fontSize: number; font: (typeof fonts)[number]; ink: string }) {
  const mask = await sharp(await textImage(lines, { fontSize: look.fontSize, font: look.font, ink: '#000000' }))
    .greyscale()
    .negate()
    .raw()
    .toBuffer({ resolveWithObject: true })
  const { width, height } = mask.info
  const file = await sharp({ create: { width, height, channels: 3, background: look.ink } })
    .joinChannel(mask.data, { raw: { width, height, channels: 1 } })
    .png()
    .toBuffer()
  return { file, width, height }
}

const jpeg = (file: Buffer, quality = 85) => sharp(file).jpeg({ quality }).toBuffer()

async function letter({ chance: random, set, index }: Making, count = 2) {
  const language = languages[index % languages.length] ?? 'en'
  const lines = someOf(sentences[set][language], Math.floor(index / languages.length), count)
  const font = pickOne(random, fonts)
  return { lines, words: wordsOf(lines), font }
}

/** Chooses an ink colour that differs from the mean of the background. */
async function inkAgainst(ground: Buffer, random: Random): Promise<string> {
  const { channels } = await sharp(ground).stats()
  const mean = channels.reduce((sum, channel) => sum + channel.mean, 0) / channels.length
  return mean > 120 ? pickOne(random, ['#101010', '#0c0c40']) : pickOne(random, ['#ffffff', '#fff6c8', '#ffe640'])
}

async function onBusyGround(making: Making, line: string): Promise<Made> {
  const { chance: random, index } = making
  const size = { width: 1280, height: 960 }
  const kind = backgroundKinds[index % backgroundKinds.length] as BackgroundKind
  const ground = await drawBackground(kind, size, random)
  const fontSize = Math.min(Math.round(between(random, 56, 100)), Math.floor(1000 / (line.length * 0.62)))
  const ink = await inkAgainst(ground, random)
  const text = await textAreaOf([line], {
    fontSize,
    font: pickOne(random, ['Helvetica-Bold', 'Helvetica-Bold', 'Times-Roman']),
    ink,
  })
  const left = Math.floor(random() * Math.max(1, size.width - text.width))
  const top = Math.floor(between(random, 0.1, 0.8) * (size.height - text.height))
  const file = await sharp(ground)
    .composite([{ input: text.file, left, top }])
    .jpeg({ quality: 85 })
    .toBuffer()
  return { file, words: wordsOf([line]) }
}

const makers: Record<PictureKind, (making: Making) => Promise<Made>> = {
  plain: async (making) => {
    const { lines, words, font } = await letter(making)
    return { words, file: await jpeg(await textImage(lines, { fontSize: 36, font })) }
  },
  slanted: async (making) => {
    const { lines, words, font } = await letter(making)
    const slant = between(making.chance, 0.12, 0.3)
    const written = await textImage(lines, { fontSize: 40, font })
    const file = await sharp(written).affine([1, -slant, 0, 1], { background: '#ffffff' }).png().toBuffer()
    return { words, file: await jpeg(file) }
  },
  skewed: async (making) => {
    const { lines, words, font } = await letter(making)
    const turnedBy = (making.index % 2 === 0 ? 1 : -1) * between(making.chance, 3, 11)
    return { words, file: await jpeg(await textImage(lines, { fontSize: 38, font, turnedBy })) }
  },
  dim: async (making) => {
    const { lines, words, font } = await letter(making)
    const written = await textImage(lines, { fontSize: 40, font, ink: '#2c2a28', paper: '#6a6660' })
    const { width, height } = await sharp(written).metadata()
    const grain = Buffer.from(
      Array.from({ length: width * height }, () => Math.floor(between(making.chance, 116, 140))),
    )
    const file = await sharp(written)
      .composite([{ input: grain, raw: { width, height, channels: 1 }, blend: 'overlay' }])
      .png()
      .toBuffer()
    return { words, file: await jpeg(file, 75) }
  },
  screen: async (making) => {
    const { chance: random, set, index } = making
    const isDark = index % 2 === 0
    const [paper, ink, bar] = isDark ? ['#101828', '#e8eaf0', '#22304a'] : ['#ffffff', '#1c2430', '#e6ebf2']
    const language = languages[index % languages.length] ?? 'en'
    const lines = someOf(sentences[set][language], index, 3)
    const buttons = someOf(shortLines[set][language], index, 3)
    const look = (fontSize: number) => ({ fontSize, font: 'Helvetica', ink: ink as string }) as const
    const body = await textAreaOf(lines, look(Math.round(between(random, 14, 18))))
    const marks = await Promise.all(buttons.map((button) => textAreaOf([button], look(15))))
    const width = 1280
    const panes = Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="720"><rect width="${width}" height="56" fill="${bar}"/><rect y="56" width="260" height="664" fill="${bar}" opacity="0.5"/><rect x="320" y="140" width="640" height="200" rx="12" fill="none" stroke="${bar}" stroke-width="2"/></svg>`,
    )
    const file = await sharp({ create: { width, height: 720, channels: 3, background: paper as string } })
      .composite([
        { input: panes },
        { input: body.file, left: 340, top: 160 },
        ...marks.map(({ file: input }, n) => ({ input, left: 20, top: 90 + n * 60 })),
      ])
      .png()
      .toBuffer()
    return { file, words: wordsOf([...lines, ...buttons]) }
  },
  scan: async (making) => {
    const { chance: random, set, index } = making
    const language = languages[index % languages.length] ?? 'en'
    const lines = Array.from(
      { length: 24 },
      (_, n) => sentences[set][language][n % sentences[set][language].length] as string,
    )
    const page = await textImage(lines, {
      fontSize: 42,
      font: pickOne(random, ['Times-Roman', 'Helvetica']),
      width: 1654,
      height: 2339,
      paper: '#f6f4ee',
      turnedBy: between(random, -1.2, 1.2),
    })
    return { file: await jpeg(await sharp(page).blur(0.6).toBuffer(), 70), words: wordsOf(lines) }
  },
  accents: async (making) => {
    const line = accentedOf(making)
    const file = await textImage(line, {
      fontSize: Math.round(between(making.chance, 30, 80)),
      font: pickOne(making.chance, fonts),
    })
    return { file: await jpeg(file), words: wordsOf([line]) }
  },
  'busy ground': (making) => onBusyGround(making, plainShortOf(making)),
  'accents on busy ground': (making) => onBusyGround(making, accentedOf(making)),
  'sign in 12 megapixels': async (making) => {
    const { chance: random, index } = making
    const line = shortOf(making)
    const kind = backgroundKinds[index % backgroundKinds.length] as BackgroundKind
    const ground = await drawBackground(kind, { width: LARGE.width / 2, height: LARGE.height / 2 }, random)
    const fontSize = Math.round(between(random, 60, 140))
    const [paper, ink] = pickOne(random, [
      ['#5b2a1e', '#f8f4e8'],
      ['#f4f1e6', '#202020'],
      ['#0c3c8c', '#ffffff'],
      ['#0e6b3a', '#fdfdf2'],
      ['#f2c500', '#141414'],
    ] as const)
    const sign = await textImage(line, { fontSize, ink, paper, font: 'Helvetica-Bold' })
    const turned = await sharp(sign)
      .ensureAlpha()
      .rotate(between(random, -6, 6), { background: '#00000000' })
      .blur(0.8)
      .png()
      .toBuffer()
    const { width, height } = await sharp(turned).metadata()
    const file = await sharp(ground)
      .resize(LARGE.width, LARGE.height)
      .composite([
        {
          input: turned,
          left: Math.floor(random() * (LARGE.width - width)),
          top: Math.floor(random() * (LARGE.height - height)),
        },
      ])
      .jpeg({ quality: 85 })
      .toBuffer()
    return { file, words: wordsOf([line]) }
  },
  'film title': async (making) => {
    const { chance: random, index } = making
    const line = shortOf(making)
    const size = { width: 1280, height: 720 }
    const ground = await drawBackground(backgroundKinds[index % backgroundKinds.length] as BackgroundKind, size, random)
    const fontSize = Math.min(Math.round(between(random, 40, 64)), Math.floor(1150 / (line.length * 0.62)))
    const font = pickOne(random, ['Helvetica', 'Helvetica-Bold'] as const)
    const text = await textAreaOf([line], { fontSize, font, ink: pickOne(random, ['#ffffff', '#ffff66']) })
    const shadow = await sharp((await textAreaOf([line], { fontSize, font, ink: '#000000' })).file)
      .blur(1.5)
      .png()
      .toBuffer()
    const left = Math.floor((size.width - text.width) / 2)
    const top = Math.floor(Math.min(between(random, 0.7, 0.9) * size.height, size.height - text.height - 2))
    const file = await sharp(ground)
      .composite([
        { input: shadow, left: left + 2, top: top + 2 },
        { input: text.file, left, top },
      ])
      .jpeg({ quality: 75 })
      .toBuffer()
    return { file, words: wordsOf([line]) }
  },
  'nothing written': async ({ chance: random, index }) => {
    const ground = await drawBackground(
      backgroundKinds[index % backgroundKinds.length] as BackgroundKind,
      { width: 1600, height: 1200 },
      random,
    )
    return { file: await jpeg(ground), words: [] }
  },
  'nothing in 12 megapixels': async ({ chance: random, index }) => {
    const kind = backgroundKinds[index % backgroundKinds.length] as BackgroundKind
    const ground = await drawBackground(kind, { width: LARGE.width / 2, height: LARGE.height / 2 }, random)
    const file = await sharp(ground).resize(LARGE.width, LARGE.height).jpeg({ quality: 88 }).toBuffer()
    return { file, words: [] }
  },
}
