import { expect, test } from 'vitest'
import { passagesOf } from './passages.ts'

const sentence = (n: number) => `This is sentence number ${n} of a long story about a lighthouse. `
const story = Array.from({ length: 100 }, (_, n) => sentence(n) + (n % 17 === 16 ? '\n\n' : '')).join('')

const joined = (text: string) =>
  passagesOf(text)
    .map(({ body }) => body)
    .join('')

test('passages are the text, each beginning where it says', () => {
  const passages = passagesOf(story)
  expect(joined(story)).toBe(story)
  for (const { body, characterOffset } of passages) expect(story.startsWith(body, characterOffset)).toBe(true)
})

test('passages have a length that one thing is said in, and end with a sentence', () => {
  const passages = passagesOf(story)
  expect(passages.length).toBeGreaterThan(5)
  for (const { body } of passages.slice(0, -1)) {
    expect(body.length).toBeGreaterThanOrEqual(800)
    expect(body.length).toBeLessThanOrEqual(1200)
    expect(body.trimEnd()).toMatch(/lighthouse\.$/)
  }
})

test('the end of a paragraph is preferred', () => {
  const text = `${'a '.repeat(450)}.\n\n${'b. '.repeat(300)}`
  expect(passagesOf(text)[0]?.body).toBe(`${'a '.repeat(450)}.\n\n`)
})

test('a text without any border is parted between characters', () => {
  const text = '😀'.repeat(2000)
  expect(joined(text)).toBe(text)
  for (const { body } of passagesOf(text)) expect(body.isWellFormed()).toBe(true)
})

test('a short text is one passage, blanks are none', () => {
  expect(passagesOf('Hello.')).toEqual([{ body: 'Hello.', characterOffset: 0 }])
  expect(passagesOf(' \n\n ')).toEqual([])
})
