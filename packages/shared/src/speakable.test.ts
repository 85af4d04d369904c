import { expect, test } from 'vitest'
import { splitForSpeech, toSpeakableText } from './speakable.ts'

test.each([
  ['# Weather\n\nIt is **12 °C** and _windy_ [1].', 'Weather.\nIt is 12 °C and windy.'],
  ['- one\n- [x] two\n3. three', 'one.\ntwo.\n3. three.'],
  ['See [the page](https://example.org/a_b) or https://example.org.', 'See the page or.'],
  ['Before\n```js\nalert(1)\n```\nafter `code`.', 'Before.\nafter code.'],
  ['| a | b |\n|---|---|\n| 1 | 2 |', 'a , b.\n1 , 2.'],
  ['2 * 3 = 6, snake_case stays', '2 * 3 = 6, snake_case stays.'],
  ['![a lighthouse](x.png)\n\n> “Quoted.”', 'a lighthouse.\n“Quoted.”'],
  ['```\nnothing else\n```', ''],
])('%j is read aloud without markup', (markdown, expected) => {
  expect(toSpeakableText(markdown)).toBe(expected)
})

test('cuts long texts after sentences, else after words, else anywhere', () => {
  expect(splitForSpeech('One two. Three four. Five.', 12)).toEqual(['One two.', 'Three four.', 'Five.'])
  expect(splitForSpeech('alpha beta gamma', 11)).toEqual(['alpha beta', 'gamma'])
  expect(splitForSpeech('x'.repeat(25), 10)).toEqual(['x'.repeat(10), 'x'.repeat(10), 'x'.repeat(5)])
  expect(splitForSpeech('👩‍🔬'.repeat(3), 7)).toEqual(['👩‍🔬', '👩‍🔬', '👩‍🔬'])
  expect(splitForSpeech('  ', 10)).toEqual([])
})
