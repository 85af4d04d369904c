import { expect, test } from 'vitest'
import { snippetOf } from './present.ts'

const snippet = (body: string, ...words: string[]) => {
  const { content, highlights } = snippetOf(body, new Set(words), [])
  return { content, words: highlights.map(([from, to]) => content.slice(from, to)) }
}
const filler = 'Something else is written here. '.repeat(20)

test('the sentence with the words isn’t cut off', () => {
  const long = `The premium of the insurance ${'of the old and slow but beloved car '.repeat(8)}falls due on 1 February.`
  const { content } = snippet(`${filler}${long} ${filler}`, 'premium', 'due')
  expect(content).toContain('falls due on 1 February.')
})

test('another sentence with words that the first one lacks is also shown', () => {
  const { content, words } = snippet(
    `Car insurance with an excess of 300 euros. ${filler}The premium falls due on 1 February. ${filler}`,
    ...['car', 'insurance', 'falls', 'due'],
  )
  expect(content).toContain('The premium falls due on 1 February.')
  expect(words.toSorted()).toEqual(['Car', 'due', 'falls', 'insurance'])
})

test('an excerpt is a single line without control characters, limited in length', () => {
  const { content, words } = snippet(`one\n\n  two\tthree ${'word '.repeat(500)}`, 'two', 'three')
  expect(content.startsWith('one two three word')).toBe(true)
  expect(words).toEqual(['two', 'three'])
  expect(content.length).toBeLessThan(500)
  expect(content).not.toMatch(/\p{Cc}/u)
})
