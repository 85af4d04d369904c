import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rawPdf } from '../../../test/pdf-files.ts'
import { testSandboxing } from '../../../test/test-sandboxing.ts'
import type { PdfReader } from './pdf.ts'
import { linesOf } from './pdf-lines.ts'
import { createPdfReader } from './pdf-reader.ts'

let folder: string
let pdf: PdfReader
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mira-lines-'))
  pdf = createPdfReader({ sandboxing: testSandboxing })
})
afterAll(async () => {
  await pdf.close()
  rmSync(folder, { recursive: true, force: true })
})

interface DrawnText {
  text: string
  x: number
  y?: number
}

const SIZE = 12
/** Width of every glyph, in points. */
const WIDTH = 6
/** Space between two words, in points. */
const GAP = 4

/** Text of a page on which these are drawn in order, in alternating fonts. */
async function textOf(drawn: DrawnText[]): Promise<string> {
  const characters = [...new Set(drawn.flatMap(({ text }) => [...text]))]
  const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0')
  const codes = (text: string) => [...text].map((one) => hex(characters.indexOf(one) + 65, 2)).join('')
  const content = drawn
    .map(({ text, x, y = 700 }, index) => `BT /F${index % 2} ${SIZE} Tf 1 0 0 1 ${x} ${y} Tm <${codes(text)}> Tj ET`)
    .join('\n')
  const rows = characters.map((one, index) => `<${hex(index + 65, 2)}> <${hex(one.charCodeAt(0), 4)}>`)
  const cmap = `1 begincodespacerange <00> <ff> endcodespacerange\n${rows.length} beginbfchar\n${rows.join('\n')}\nendbfchar`
  const stream = (text: string) => `<</Length ${text.length}>>stream\n${text}\nendstream`
  const widths = `/FirstChar 65/LastChar 164/Widths[${'500 '.repeat(100)}]`
  const filename = join(folder, 'drawn.pdf')
  writeFileSync(
    filename,
    rawPdf([
      '<</Type/Catalog/Pages 2 0 R>>',
      '<</Type/Pages/Kids[3 0 R]/Count 1>>',
      '<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F0 5 0 R/F1 6 0 R>>>>/Contents 4 0 R>>',
      stream(content),
      `<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 7 0 R${widths}>>`,
      `<</Type/Font/Subtype/Type1/BaseFont/Times-Roman/ToUnicode 7 0 R${widths}>>`,
      stream(cmap),
    ]),
  )
  const texts: string[] = []
  for await (const batch of pdf.texts(filename, new AbortController().signal))
    texts.push(...batch.map(({ text }) => text))
  return texts.join('\f')
}

/** Glyphs of a right-to-left word, from left to right. */
const fromRight = (word: string, right: number): DrawnText[] =>
  [...word].map((text, index) => ({ text, x: right - (index + 1) * WIDTH })).reverse()

test('reads a line of Arabic from right to left, in whatever order it was drawn', async () => {
  const words = [...fromRight('مرحبا', 300), ...fromRight('بالعالم', 266)]
  expect(await textOf(words)).toBe('مرحبا بالعالم')
  expect(await textOf(words.toSorted((one, other) => one.x - other.x))).toBe('مرحبا بالعالم')
  expect(await textOf(words.toReversed())).toBe('مرحبا بالعالم')
})

test('reads numbers and Latin words in a Hebrew line, and a Latin line around a Hebrew word, from left to right', async () => {
  const address = [
    ...fromRight('רחוב', 300),
    { text: 'Main', x: 240 },
    { text: '15', x: 220 },
    ...fromRight('דירה', 215),
  ]
  expect(await textOf(address)).toBe('רחוב 15 Main דירה')
  const english = [{ text: 'He', x: 50 }, { text: 'said', x: 66 }, ...fromRight('שלום', 118), { text: 'again', x: 122 }]
  expect(await textOf(english)).toBe('He said שלום again')
})

test.each([
  ['Он', 'сказал', 'снова'],
  ['Αυτός', 'είπε', 'πάλι'],
  ['彼は言', 'った', 'また'],
])('reads a line of another script around a Hebrew word from left to right: %s', async (first, second, last) => {
  const hebrew = 'שלום'
  const firstX = 50
  const secondX = firstX + first.length * WIDTH + GAP
  const right = secondX + (second.length + hebrew.length) * WIDTH + GAP
  const line = [
    { text: first, x: firstX },
    { text: second, x: secondX },
    ...fromRight(hebrew, right),
    { text: last, x: right + GAP },
  ]
  expect(await textOf(line)).toBe(`${first} ${second} שלום ${last}`)
})

test('attaches a mark drawn separately to the letter before it, also when each is drawn twice to look bold', () => {
  const run = (str: string, x: number) => ({
    ...{ str, dir: 'rtl', transform: [1, 0, 0, 1, x, 100], width: 6, height: 12, hasEOL: false },
  })
  const runs = [run('ש', 60), run('\u05B8', 58), run('ל', 54), run('\u05B9', 62), run('ם', 48)]
  const bold = runs.flatMap((one) => [one, one])
  for (const all of [runs, bold]) expect(linesOf(all, (x, y) => [x, y])).toBe('ש\u05B8ל\u05B9ם')
})

test('reads text only once when it’s drawn several times, to look bold or for its shadow', async () => {
  const offer = [0, 0.3, 0.6].map((shift) => ({ text: 'Offer', x: 50 + shift, y: 700 - shift }))
  expect(await textOf([...offer, { text: 'Offer', x: 50, y: 670 }])).toBe('Offer\nOffer')
})

test('keeps a soft hyphen at the end of a line, and reads one in a number as a hyphen', async () => {
  const broken = [
    { text: 'Infor\u00AD', x: 50, y: 700 },
    { text: 'mation', x: 50, y: 680 },
  ]
  expect(await textOf(broken)).toBe('Infor\u00AD\nmation')
  expect(await textOf([{ text: '030\u00AD12\u00AD45', x: 50 }])).toBe('030-12-45')
  expect(await textOf([{ text: 'A\u00AD4 INFOR\u00ADMATION', x: 50 }])).toBe('A-4 INFOR\u00ADMATION')
})
