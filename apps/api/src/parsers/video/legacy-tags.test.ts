import { expect, test } from 'vitest'
import { readLegacyTexts } from './av-tags.ts'

/** Text of hexadecimal bytes, one character for each. */
const bytes = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex').toString('latin1')

test.each([
  ['Windows Cyrillic', ['ca e8 ed ee', 'c3 f0 f3 ef ef e0 20 ea f0 ee e2 e8'], ['Кино', 'Группа крови']],
  ['Unix Cyrillic', ['eb c9 ce cf', 'e7 d2 d5 d0 d0 c1'], ['Кино', 'Группа']],
  [
    'simplified Chinese',
    ['b5 cb c0 f6 be fd', 'd4 c2 c1 c1 b4 fa b1 ed ce d2 b5 c4 d0 c4'],
    ['邓丽君', '月亮代表我的心'],
  ],
  ['Japanese', ['8f e3 82 f0 8c fc 82 a2 82 c4 95 e0 82 b1 82 a4'], ['上を向いて歩こう']],
  ['UTF-8 misread as Latin-1', ['42 6a c3 b6 72 6b'], ['Björk']],
  ['Latin-1', ['43 61 66 e9 20 4d fc 6c 6c 65 72', 'c9 64 69 74 68 20 50 69 61 66'], ['Café Müller', 'Édith Piaf']],
  ['Windows quotes', ['4d 6f 74 f6 72 20 93 52 6f 61 64 94'], ['Motör “Road”']],
])('reads tags in %s', (_name, tags, expected) => {
  expect(readLegacyTexts([...tags.map(bytes), 'plain'])).toEqual([...expected, 'plain'])
})

test('keeps text that isn’t Latin-1 or is too short to judge', () => {
  expect(readLegacyTexts(['Кино', 'Å', 'plain'])).toEqual(['Кино', 'Å', 'plain'])
})

test.each([
  ['windows-1251', 'cfe8eaede8ea20'],
  ['UTF-8', 'd09fd0b8d0bad0bdd0b8d0ba'],
  ['shift_jis', '8fe382f08cfc82a282c495e082b182a4'],
])('reads megabytes of lyrics in %s in the encoding of their beginning, wherever that is cut', (_name, hex) => {
  const expected = readLegacyTexts([bytes(hex)])[0] ?? ''
  expect(expected).toMatch(/Пикник|上を/)
  for (const before of ['', 'a']) {
    const [text] = readLegacyTexts([`${before}${bytes(hex).repeat(400_000)}\u0081`])
    expect(text?.startsWith(before + expected.repeat(400_000))).toBe(true)
  }
})

test('reads a title after long notes in its own encoding', () => {
  const notes = `${'plain words '.repeat(2_000)}Beyonc\xe9`
  expect(readLegacyTexts([notes, 'Caf\xe9'])).toEqual([notes, 'Café'])
})
