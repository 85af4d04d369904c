import { expect, test } from 'vitest'
import type { LineLetter } from './line-recogniser.ts'
import { type LineReading, languageOf, mergeReadings } from './merge-readings.ts'

/** Letters as PaddleOCR returns them, a hundredth of the line apart; `_` leaves a gap without a space. */
function lettersOf(text: string, confidence = 99): LineLetter[] {
  return [...text].flatMap((letter, index) => (letter === '_' ? [] : { text: letter, centre: index / 100, confidence }))
}
const read = (code: string, ...words: [string, number][]): LineReading => ({
  code,
  words: words.map(([text, confidence]) => ({ text, confidence })),
})
const joined = (letters: LineLetter[], readings: LineReading[], language: string) =>
  mergeReadings({ letters, readings }, language)
    .map(({ text }) => text)
    .join(' ')

test('takes accents from Tesseract, letters and capitals from PaddleOCR', () => {
  expect(joined(lettersOf('Manana cerrado'), [read('spa', ['mañana', 90], ['cerrado', 93])], 'spa')).toBe(
    'Mañana cerrado',
  )
  expect(joined(lettersOf('StraBe gesperrt'), [read('deu', ['Straße', 96], ['gespertt', 60])], 'deu')).toBe(
    'Straße gesperrt',
  )
  expect(joined(lettersOf('FUR ALLE'), [read('deu', ['Für', 80], ['alle', 80])], 'deu')).toBe('FÜR ALLE')
})

test('takes the case of same-shaped letters from Tesseract when it agrees on the others', () => {
  expect(joined(lettersOf('Qx7741'), [read('eng', ['QX7741', 70])], 'eng')).toBe('QX7741')
  expect(joined(lettersOf('COx552', 82), [read('eng', ['COX552', 90])], 'eng')).toBe('COX552')
  expect(joined(lettersOf('vS. late', 75), [read('eng', ['vs.', 92], ['late', 95])], 'eng')).toBe('vs. late')
  expect(joined(lettersOf('getXmlSize'), [read('eng', ['getXmlSize', 92])], 'eng')).toBe('getXmlSize')
  expect(joined(lettersOf('case'), [read('eng', ['Case', 88])], 'eng')).toBe('case')
  // ignored when all are lower case or it's unsure
  expect(joined(lettersOf('FUSION'), [read('eng', ['fusion', 85])], 'eng')).toBe('FUSION')
  expect(joined(lettersOf('WXZ'), [read('eng', ['wxz', 50])], 'eng')).toBe('WXZ')
})

test('drops accents that the language doesn’t have', () => {
  expect(joined(lettersOf('Boulangerie'), [read('fra', ['Boülañgerie', 62])], 'fra')).toBe('Boulangerie')
})

test('takes the letters of a word from Tesseract only when it’s sure', () => {
  expect(joined(lettersOf('Bibliotheguel'), [read('fra', ['Bibliothèque', 95])], 'fra')).toBe('Bibliothèque')
  expect(
    joined(lettersOf('Estacion del Norte'), [read('spa', ['Estación', 96], ['del', 97], ['Nofte', 69])], 'spa'),
  ).toBe('Estación del Norte')
})

test('restores lost spaces, even with a speck in them', () => {
  expect(joined(lettersOf('ab_7'), [read('deu', ['ab', 94], ['7', 90])], 'deu')).toBe('ab 7')
  expect(joined(lettersOf('HARBOUR'), [read('eng', ['HA', 91], ['RBOUR', 91])], 'eng')).toBe('HARBOUR')
  expect(joined(lettersOf('Calle_Mayor'), [read('spa', ['Calle’Mayor', 60])], 'spa')).toBe('Calle Mayor')
  expect(joined(lettersOf('Geschenke'), [read('deu', ['Ge&schenke', 28])], 'deu')).toBe('Geschenke')
})

test('drops an unsure lone sign at the end of a line, the tail of a letter in another', () => {
  const letters = [
    { text: '/', centre: 0.02, confidence: 67 },
    { text: ' ', centre: 0.05, confidence: 99 },
    ...lettersOf('at noon'),
  ]
  expect(joined(letters, [read('eng', ['/', 65], ['at', 96], ['noon', 97])], 'eng')).toBe('at noon')
  expect(joined(lettersOf('- at noon -', 97), [], 'eng')).toBe('- at noon -')
  expect(joined(lettersOf('/ -', 60), [], 'eng')).toBe('')
})

test('ignores a reading of something else', () => {
  expect(joined(lettersOf('Salida de emergencia'), [read('eng', ['—', 90], ['f', 95])], 'eng')).toBe(
    'Salida de emergencia',
  )
  expect(joined(lettersOf('Ausgang'), [], 'eng')).toBe('Ausgang')
})

test('picks the language that reads the same letters and has their accents', () => {
  const letters = lettersOf('Fruhstuck ab 7')
  const readings = [
    read('eng', ['Friihstiick', 60], ['ab', 95], ['7', 90]),
    read('fra', ['Frühstück', 90], ['ab', 95], ['7', 92]),
    read('deu', ['Frühstück', 97], ['ab', 94], ['7', 90]),
  ]
  expect(languageOf([{ letters, readings }], { expected: 'eng' })).toBe('deu')
  expect(languageOf([])).toBeNull()
})

test('words have their positions in the line', () => {
  const [first, second] = mergeReadings({ letters: lettersOf('One two'), readings: [] }, null)
  expect([first?.text, second?.text]).toEqual(['One', 'two'])
  expect([first?.from, first?.to]).toEqual([0, expect.closeTo(0.025)])
  expect([second?.from, second?.to]).toEqual([expect.closeTo(0.035), expect.closeTo(0.065)])
})
