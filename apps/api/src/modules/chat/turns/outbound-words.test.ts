import { expect, test } from 'vitest'
import { sendsOnlyKnownWords } from './outbound-words.ts'

const userTexts = ['What is the weather in Porto tomorrow, and on 3 May?']
const isAllowed = (value: unknown) =>
  sendsOnlyKnownWords(JSON.stringify(value), userTexts, 'Tells the weather of a place')

test.each([
  ['an excerpt', { query: 'weather in Porto tomorrow' }],
  ['an excerpt with the punctuation between its words', { query: 'Porto tomorrow, and on 3 May' }],
  ['words in their order', { query: 'weather Porto' }],
  ['a number of the message', { query: 'weather', day: 3 }, false],
  ['an empty object', {}],
  ['an empty string', { query: '' }],
])('approval is checked for %s', (_name, value, isExpected = true) => {
  expect(isAllowed(value)).toBe(isExpected)
})

test.each([
  ['a word that nobody wrote', { query: 'weather swordfish' }],
  ['words in another order', { query: 'Porto tomorrow weather weather' }],
  ['a word twice', { query: 'Porto Porto' }],
  ['part of a word', { query: 'por' }],
  ['circled letters', { query: 'ⓟⓞⓡⓣⓞ' }],
  ['braille', { query: '⠎⠺⠕⠗⠙' }],
  ['full-width letters', { query: 'ｐｏｒｔｏ' }],
  ['booleans', { query: [true, false, true] }],
  ['a boolean', { query: 'Porto', detailed: true }],
  ['the length of a list', { query: ['', '', ''] }],
  ['a list of excerpts', { query: ['Porto', 'weather', 'Porto'] }],
  ['nested objects', { query: { q: { query: 'Porto' } } }],
  ['the order of keys', { q: '', query: '', text: '', input: '' }],
  ['empty objects', { query: [{}, {}] }],
  ['null', { query: null }],
  ['keys', { swordfish: 'Porto' }],
  ['extra spaces', { query: 'weather  Porto' }],
  ['added punctuation', { query: 'weather, Porto!' }],
  ['mixed case', { query: 'wEaThEr PoRtO' }],
  ['mixed case in an excerpt', { query: 'wEaThEr in PoRtO' }],
])('approval is needed for %s', (_name, value) => {
  expect(isAllowed(value)).toBe(false)
})

test('single words must come from the newest messages, excerpts from any', () => {
  const earlier = ['The lighthouse of Mira', ...Array.from({ length: 5 }, () => 'Thanks')]
  expect(sendsOnlyKnownWords('{"query":"lighthouse of Mira"}', earlier)).toBe(true)
  expect(sendsOnlyKnownWords('{"query":"lighthouse Mira"}', earlier)).toBe(false)
})
