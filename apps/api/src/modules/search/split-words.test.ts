import { describe, expect, test } from 'vitest'
import { isUnspaced, placedWordsOf, queryWordsOf, wordsOf } from './terms.ts'

describe('the words of a text', () => {
  test('are in lower case, composed and without punctuation', () => {
    expect(wordsOf('The “Café” (no. 42) — O’Neil’s e-mail: ANNA@X.ORG')).toEqual(
      'the café no 42 o neil s e mail anna x org'.split(' '),
    )
    expect(wordsOf('Cafe\u0301')).toEqual(['café'])
  })

  test.each([
    ['Chinese', '紅色自行車', ['紅色', '色自', '自行', '行車', '車']],
    ['Japanese', '東京タワー', ['東京', '京タ', 'タワ', 'ワー', 'ー']],
    ['Korean', '자전거', ['자전', '전거', '거']],
    ['Thai', 'รถไฟ', ['รถ', 'ถไ', 'ไฟ', 'ฟ']],
    ['beyond the basic plane', '𠮷野', ['𠮷野', '野']],
  ])('of %s are each pair of neighbouring characters, and the last character', (_script, text, words) => {
    expect(wordsOf(text)).toEqual(words)
  })

  test('of mixed scripts are split by the rules of each', () => {
    expect(wordsOf('iPhone15の写真')).toEqual(['iphone15', 'の写', '写真', '真'])
  })
})

describe('the words of a query', () => {
  test('are pairs of characters, and a single character alone', () => {
    expect(queryWordsOf('自行車')).toEqual(['自行', '行車'])
    expect(queryWordsOf('犬')).toEqual(['犬'])
    expect(queryWordsOf('犬 photo')).toEqual(['犬', 'photo'])
  })

  test('are all among the words of a text that contains the query', () => {
    const text = new Set(wordsOf('昨日、東京タワーで写真を撮りました。The red bicycle'))
    for (const query of ['東京タワー', '写真を撮', 'red BICYCLE', '撮りました']) {
      for (const word of queryWordsOf(query)) expect([query, word, text.has(word)]).toEqual([query, word, true])
    }
  })

  test.each(['', '   ', '🎈🎈', '-- && || !', '“”', '\u0000'])('of %j are none', (text) => {
    expect(queryWordsOf(text)).toEqual([])
  })
})

test('words have their positions in the text, whatever the size of its characters', () => {
  for (const text of ['A 🎈 red-hot Cafe\u0301', '𠮷野家の写真 x', 'วันที่ 5']) {
    for (const { word, from, to } of placedWordsOf(text)) {
      expect(text.slice(from, to).normalize('NFC').toLowerCase()).toBe(word)
    }
  }
  expect(placedWordsOf('x 写真').map(({ word, from, to }) => [word, from, to])).toEqual([
    ['x', 0, 1],
    ['写真', 2, 4],
    ['真', 3, 4],
  ])
})

test('a script without spaces is recognised by any of its characters', () => {
  expect(['写', 'カ', '가', 'ก', 'a写'].every(isUnspaced)).toBe(true)
  expect(['a', 'é', 'я', '1', '🎈', ''].some(isUnspaced)).toBe(false)
})
