import { expect, test } from 'vitest'
import { sendsOnlyKnownWords } from './outbound-words.ts'

const said = ['What is the weather in Porto tomorrow, and on 3 May?']
const sends = (value: unknown) => sendsOnlyKnownWords(JSON.stringify(value), said, 'Tells the weather of a place')

test.each([
  ['an excerpt', { query: 'weather in Porto tomorrow' }],
  ['an excerpt with what stands between its words', { query: 'Porto tomorrow, and on 3 May' }],
  ['words in their order', { query: 'weather Porto' }],
  ['a number of the message', { query: 'weather', day: 3 }, false],
  ['nothing', {}],
  ['an empty text', { query: '' }],
])('%s goes out', (_name, value, isSent = true) => {
  expect(sends(value)).toBe(isSent)
})

test.each([
  ['a word that nobody wrote', { query: 'weather swordfish' }],
  ['words in another order', { query: 'Porto tomorrow weather weather' }],
  ['a word twice', { query: 'Porto Porto' }],
  ['part of a word', { query: 'por' }],
  ['letters in circles', { query: 'ⓟⓞⓡⓣⓞ' }],
  ['braille', { query: '⠎⠺⠕⠗⠙' }],
  ['full-width letters', { query: 'ｐｏｒｔｏ' }],
  ['booleans', { query: [true, false, true] }],
  ['a boolean', { query: 'Porto', detailed: true }],
  ['the length of a list', { query: ['', '', ''] }],
  ['a list of excerpts', { query: ['Porto', 'weather', 'Porto'] }],
  ['objects in each other', { query: { q: { query: 'Porto' } } }],
  ['the order of names', { q: '', query: '', text: '', input: '' }],
  ['empty objects', { query: [{}, {}] }],
  ['null', { query: null }],
  ['names', { swordfish: 'Porto' }],
  ['spaces', { query: 'weather  Porto' }],
  ['punctuation of its own', { query: 'weather, Porto!' }],
  ['large and small letters', { query: 'wEaThEr PoRtO' }],
  ['large and small letters in an excerpt', { query: 'wEaThEr in PoRtO' }],
])('%s waits for a click', (_name, value) => {
  expect(sends(value)).toBe(false)
})

test('single words are those of the newest messages, excerpts those of any', () => {
  const earlier = ['The lighthouse of Mira', ...Array.from({ length: 5 }, () => 'Thanks')]
  expect(sendsOnlyKnownWords('{"query":"lighthouse of Mira"}', earlier)).toBe(true)
  expect(sendsOnlyKnownWords('{"query":"lighthouse Mira"}', earlier)).toBe(false)
})
