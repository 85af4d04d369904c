import { expect, test } from 'vitest'
import { chooseWords, type OcrWord, parseOcrWords, placeWords, textOf } from './ocr-words.ts'

const ocrWord = (text: string, confidence: number, line = '1.1.1'): OcrWord => ({
  ...{ text, confidence, line },
  ...{ paragraph: line.slice(0, 3), left: 10, top: 20, width: 30, height: 10 },
})
const textChosen = (words: OcrWord[]) => textOf(chooseWords(words).words)

test('reads only words from the engine’s table', () => {
  const table = [
    '1\t1\t0\t0\t0\t0\t0\t0\t600\t400\t-1\t',
    '4\t1\t1\t1\t1\t0\t60\t40\t200\t30\t-1\t',
    '5\t1\t1\t1\t1\t1\t60\t40\t90\t30\t96.123\tHello',
    '5\t1\t1\t1\t1\t2\t160\t40\t100\t30\t95\t ',
    '5\t1\t1',
    '',
  ].join('\n')
  expect(parseOcrWords(table)).toEqual([
    { text: 'Hello', left: 60, top: 40, width: 90, height: 30, confidence: 96.123, line: '1.1.1', paragraph: '1.1' },
  ])
})

test('keeps lines and separates paragraphs', () => {
  const words = [ocrWord('One', 90), ocrWord('two', 90), ocrWord('three', 90, '1.1.2'), ocrWord('four', 90, '1.2.1')]
  expect(textOf(words)).toBe('One two\nthree\n\nfour')
})

test('drops noise: unsure words, signs, lines of single letters', () => {
  expect(
    textChosen([ocrWord('Harbour', 92), ocrWord('xq', 20), ocrWord('—', 40), ocrWord('&', 88), ocrWord('opn', 45)]),
  ).toBe('Harbour & opn')
  expect(textChosen([ocrWord('Harbour', 92), ocrWord('l', 95, '2.1.1'), ocrWord('|', 95, '2.1.2')])).toBe('Harbour')
})

test('keeps only sure words when nearly everything is noise', () => {
  const noise = Array.from({ length: 30 }, (_, index) => ocrWord('aeb', 15, `3.1.${index}`))
  expect(textChosen([...noise, ocrWord('MMM', 67)])).toBe('')
  expect(textChosen([...noise, ocrWord('HARBOUR', 91)])).toBe('HARBOUR')
  expect(chooseWords([ocrWord('ab', 99)])).toMatchObject({ words: [], sureCharacters: 0 })
  expect(chooseWords([])).toEqual({ words: [], meanConfidence: 0, sureCharacters: 0 })
})

test('converts boxes to the original image, however it was rotated and scaled for reading', () => {
  const word = { ...ocrWord('Word', 90), left: 50, top: 20, width: 20, height: 10 }
  const boxOf = (picture: Parameters<typeof placeWords>[1]) => placeWords([word], picture)[0]?.box
  const plain = { width: 200, height: 100, read: { width: 200, height: 100 }, scale: 1, turnedByDegrees: 0 }
  expect(boxOf(plain)).toEqual([0.25, 0.2, 0.1, 0.1])
  expect(boxOf({ ...plain, turnedByDegrees: 180 })).toEqual([0.65, 0.7, 0.1, 0.1])
  expect(boxOf({ ...plain, read: { width: 100, height: 50 }, scale: 0.5 })).toEqual([0.5, 0.4, 0.2, 0.2])
  // clockwise: the left side is now the top
  expect(boxOf({ ...plain, read: { width: 100, height: 200 }, turnedByDegrees: 90 })).toEqual([0.1, 0.3, 0.05, 0.2])
})
