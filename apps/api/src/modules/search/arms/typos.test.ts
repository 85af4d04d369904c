import { expect, test } from 'vitest'
import { misspellingPatterns } from './words.ts'

const isFound = (typed: string, text: string) =>
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
])('%s finds a text that holds %s', (typed, word) => {
  expect(isFound(typed, `a ${word} in the middle`)).toBe(true)
  expect(isFound(typed, word)).toBe(true)
})

test('a word finds no text that only shares letters with it', () => {
  expect(isFound('restaurnt', 'the rest of us ran to the tower')).toBe(false)
  expect(isFound('tabel', 'a cable for the tall lamp')).toBe(false)
})

test.each([5, 7, 8, 15, 100])('a word of %i letters makes few patterns, which an index finds', (length) => {
  const word = Array.from({ length }, (_, index) => String.fromCharCode(97 + ((index * 7) % 26))).join('')
  const patterns = misspellingPatterns(word)
  expect(patterns.length).toBeLessThan(45)
  for (const pattern of patterns) {
    // three letters in a row, or the beginning of a word
    expect(pattern).toMatch(/[^%_]{3}|^(% )?[^%_]{2}/)
  }
})
