import { expect, test } from 'vitest'
import { createStopWordFilter } from './stop-words.ts'

function textBeforeStops(words: string[], pieces: string[]): string {
  const watch = createStopWordFilter(words)
  let text = ''
  for (const piece of pieces) text += watch.add(piece)
  return text + watch.end()
}

test('never sends half of a surrogate pair', () => {
  const watch = createStopWordFilter(['\n\n'])
  expect([watch.add('sun 😀'), watch.add('!'), watch.end()]).toEqual(['sun ', '😀', '!'])
})

test.each([
  [[], ['one ', 'two'], 'one two'],
  [['END'], ['one E', 'ND two'], 'one '],
  [['END'], ['one E', 'N', ' two'], 'one EN two'],
  [['\n\n', 'two'], ['one two\n\nthree'], 'one '],
  [['x'], ['abc'], 'abc'],
])('with the stop words %j, %j becomes %j', (words, pieces, expected) => {
  expect(textBeforeStops(words, pieces)).toBe(expected)
})
