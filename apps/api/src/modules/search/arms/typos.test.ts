import { expect, test } from 'vitest'
import { misspellingPatterns } from './words.ts'

const isMatch = (typed: string, text: string) =>
  misspellingPatterns(typed).some((pattern) =>
    new RegExp(`^${pattern.replaceAll('%', '.*').replaceAll('_', '.')}$`, 'su').test(text),
  )

test.each([
  ['tacle', 'table'],
  ['tabel', 'table'],
  ['talbe', 'table'],
  ['tble5', 'table5'],
  ['tabble', 'table'],
  ['restaurnt', 'restaurant'],
  ['elementaire', 'élémentaire'],
  ['rechnung', 'stromrechnungsbetrag'],
  ['stromrechnugsbetrag', 'stromrechnungsbetrag'],
])('%s finds a text with %s', (typed, word) => {
  expect(isMatch(typed, `a ${word} in the middle`)).toBe(true)
  expect(isMatch(typed, word)).toBe(true)
})

test('a word doesn’t find a text that only shares letters with it', () => {
  expect(isMatch('restaurnt', 'the rest of us ran to the tower')).toBe(false)
  expect(isMatch('tabel', 'a cable for the tall lamp')).toBe(false)
})

test.each([5, 7, 8, 15, 100])('a word of %i letters gives few patterns, which an index can find', (length) => {
  const word = Array.from({ length }, (_, index) => String.fromCharCode(97 + ((index * 7) % 26))).join('')
  const patterns = misspellingPatterns(word)
  expect(patterns.length).toBeLessThan(45)
  for (const pattern of patterns) {
    // three letters in a row, or the beginning of a word
    expect(pattern).toMatch(/[^%_]{3}|^(% )?[^%_]{2}/)
  }
})
