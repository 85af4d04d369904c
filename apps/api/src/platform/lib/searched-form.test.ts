import { expect, test } from 'vitest'
import { searchedForm, wholeWords } from './searched-form.ts'

test.each([
  ['a hyphen at a line break', 'the orches-\ntra', 'the orchestra'],
  ['another kind of hyphen', 'Bücher‐\r\n  regal', 'Bücherregal'],
  ['several line breaks', 'Donau-\ndampf-\nschiff', 'Donaudampfschiff'],
  ['quoted lines of an email', '> orches-\n> tra', '> orchestra'],
  ['a soft hyphen', 'Donau\u00addampf\u00ad\nschiff', 'Donaudampfschiff'],
  ['zero-width characters', '\ufeffca\u200btal\u2060ogue', 'catalogue'],
  ['ligatures', 'the oﬃce, ﬂoor', 'the office, floor'],
  ['full-width letters', 'ＡＢＣ１２３', 'ABC123'],
  ['half-width letters', 'ｶﾞｲﾄﾞ', 'ガイド'],
  ['combining accents', 'Cafe\u0301', 'Café'],
  ['no-break spaces', '10\u00a0000\u202f€', '10 000 €'],
  ['a no-break hyphen', 'e\u2011mail', 'e‐mail'],
  ['lines of a script without spaces', '自行\n車', '自行車'],
  ['a stretched Arabic word', 'كتـــاب', 'كتاب'],
  ['Arabic presentation forms', 'ﻛﺘﺎﺏ', 'كتاب'],
  ['footnotes', 'Umsatz² and 10³ of 5 m²', 'Umsatz 2 and 10 3 of 5 m2'],
  ['fractions', '3½ cups', '3 1⁄2 cups'],
])('%s: searches for the words as a reader sees them', (_kind, text, form) => {
  expect(wholeWords(text)).toBe(form)
})

test.each([
  'a list -\nof things',
  '1990-\n1995',
  'well-known',
  'plain words, as most are',
  'Größe und Façade',
  'dash —\nand so on',
])('%j is searched for as written', (text) => {
  expect(wholeWords(text)).toBe(text)
})

test('words map back to the original text, with its line breaks and without adjacent characters', () => {
  const input = '\u00adZwölf oﬃ\u00adce orches-\ntra ＡＢＣ e\u0301nd'
  const { text, originalRangeOf } = searchedForm(input, '')
  expect(text).toBe('Zwölf office orchestra ABC énd')
  const originalOf = (word: string) => {
    const from = text.indexOf(word)
    const place = originalRangeOf(from, from + word.length)
    return input.slice(place.from, place.to)
  }
  expect(['Zwölf', 'office', 'orchestra', 'ABC', 'BC', 'énd'].map(originalOf)).toEqual([
    'Zwölf',
    'oﬃ\u00adce',
    'orches-\ntra',
    'ＡＢＣ',
    'ＢＣ',
    'e\u0301nd',
  ])
})
