import { expect, test } from 'vitest'
import { chooseWords, type OcrWord, parseOcrWords, placeWords, textOf } from './ocr-words.ts'

const foundWord = (text: string, confidence: number, line = '1.1.1'): OcrWord => ({
  ...{ text, confidence, line },
  ...{ paragraph: line.slice(0, 3), left: 10, top: 20, width: 30, height: 10 },
})
const textChosen = (words: OcrWord[]) => textOf(chooseWords(words).words)

test('words are read from the table of the engine, and nothing else is', () => {
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

test('lines stay lines, and paragraphs are apart', () => {
  const words = [
    foundWord('One', 90),
    foundWord('two', 90),
    foundWord('three', 90, '1.1.2'),
    foundWord('four', 90, '1.2.1'),
  ]
  expect(textOf(words)).toBe('One two\nthree\n\nfour')
})

test('noise is dropped: unsure words, signs, lines of single letters', () => {
  expect(
    textChosen([
      foundWord('Harbour', 92),
      foundWord('xq', 20),
      foundWord('—', 40),
      foundWord('&', 88),
      foundWord('opn', 45),
    ]),
  ).toBe('Harbour & opn')
  expect(textChosen([foundWord('Harbour', 92), foundWord('l', 95, '2.1.1'), foundWord('|', 95, '2.1.2')])).toBe(
    'Harbour',
  )
})

test('where nearly all is noise, only what is surely a word stays', () => {
  const noise = Array.from({ length: 30 }, (_, index) => foundWord('aeb', 15, `3.1.${index}`))
  expect(textChosen([...noise, foundWord('MMM', 67)])).toBe('')
  expect(textChosen([...noise, foundWord('HARBOUR', 91)])).toBe('HARBOUR')
  expect(chooseWords([foundWord('ab', 99)])).toMatchObject({ words: [], sureCharacters: 0 })
  expect(chooseWords([])).toEqual({ words: [], meanConfidence: 0, sureCharacters: 0 })
})

test('boxes are those of the picture that is meant, however it was turned and scaled for reading', () => {
  const word = { ...foundWord('Word', 90), left: 50, top: 20, width: 20, height: 10 }
  const boxOf = (picture: Parameters<typeof placeWords>[1]) => placeWords([word], picture)[0]?.box
  const plain = { width: 200, height: 100, read: { width: 200, height: 100 }, scale: 1, turnedByDegrees: 0 }
  expect(boxOf(plain)).toEqual([0.25, 0.2, 0.1, 0.1])
  expect(boxOf({ ...plain, turnedByDegrees: 180 })).toEqual([0.65, 0.7, 0.1, 0.1])
  expect(boxOf({ ...plain, read: { width: 100, height: 50 }, scale: 0.5 })).toEqual([0.5, 0.4, 0.2, 0.2])
  // clockwise: what was left is above
  expect(boxOf({ ...plain, read: { width: 100, height: 200 }, turnedByDegrees: 90 })).toEqual([0.1, 0.3, 0.05, 0.2])
})
