import { expect, test } from 'vitest'
import { chunksOf } from './embed.ts'

const sentence = (n: number) => `This is sentence number ${n} of a long story about a lighthouse. `
const story = Array.from({ length: 100 }, (_, n) => sentence(n) + (n % 17 === 16 ? '\n\n' : '')).join('')

const joined = (text: string) =>
  chunksOf(text)
    .map(({ body }) => body)
    .join('')

test('chunks make up the text, each starting at its offset', () => {
  const chunks = chunksOf(story)
  expect(joined(story)).toBe(story)
  for (const { body, characterOffset } of chunks) expect(story.startsWith(body, characterOffset)).toBe(true)
})

test('chunks have 800 to 1200 characters, and end with a sentence', () => {
  const chunks = chunksOf(story)
  expect(chunks.length).toBeGreaterThan(5)
  for (const { body } of chunks.slice(0, -1)) {
    expect(body.length).toBeGreaterThanOrEqual(800)
    expect(body.length).toBeLessThanOrEqual(1200)
    expect(body.trimEnd()).toMatch(/lighthouse\.$/)
  }
})

test('splits preferably at the end of a paragraph', () => {
  const text = `${'a '.repeat(450)}.\n\n${'b. '.repeat(300)}`
  expect(chunksOf(text)[0]?.body).toBe(`${'a '.repeat(450)}.\n\n`)
})

test('splits a text without boundaries between characters', () => {
  const text = '😀'.repeat(2000)
  expect(joined(text)).toBe(text)
  for (const { body } of chunksOf(text)) expect(body.isWellFormed()).toBe(true)
})

test('a short text is one chunk, and a blank one has none', () => {
  expect(chunksOf('Hello.')).toEqual([{ body: 'Hello.', characterOffset: 0 }])
  expect(chunksOf(' \n\n ')).toEqual([])
})
