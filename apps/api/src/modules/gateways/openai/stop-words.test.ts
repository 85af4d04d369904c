import { expect, test } from 'vitest'
import { watchForStops } from './stop-words.ts'

function shownText(words: string[], pieces: string[]): string {
  const watch = watchForStops(words)
  let text = ''
  for (const piece of pieces) text += watch.add(piece)
  return text + watch.end()
}

test('no half of a character is sent alone', () => {
  const watch = watchForStops(['\n\n'])
  expect([watch.add('sun 😀'), watch.add('!'), watch.end()]).toEqual(['sun ', '😀', '!'])
})

test.each([
  [[], ['one ', 'two'], 'one two'],
  [['END'], ['one E', 'ND two'], 'one '],
  [['END'], ['one E', 'N', ' two'], 'one EN two'],
  [['\n\n', 'two'], ['one two\n\nthree'], 'one '],
  [['x'], ['abc'], 'abc'],
])('a text that stops before %j: %j tells %j', (words, pieces, expected) => {
  expect(shownText(words, pieces)).toBe(expected)
})
