import { describe, expect, it } from 'vitest'
import { spokenSince } from './spoken-sentences.ts'

const speak = (text: string, from = 0, isEnd = false) => spokenSince(text, from, isEnd, 'Code.')

describe('spokenSince', () => {
  it('waits for the end of a sentence', () => {
    expect(speak('Lisbon is a ci')).toEqual({ speech: '', next: 0 })
    expect(speak('Lisbon is a city. It li')).toEqual({ speech: 'Lisbon is a city.', next: 18 })
  })

  it('continues where it stopped', () => {
    expect(speak('Lisbon is a city. It lies low. And', 18)).toEqual({ speech: 'It lies low.', next: 31 })
  })

  it('reads the rest at the end', () => {
    expect(speak('One. Two without a stop', 5, true)).toEqual({ speech: 'Two without a stop', next: 23 })
  })

  it('doesn’t take numbers and initials for ends of sentences', () => {
    expect(speak('Version 3. 1 by J. Doe is').speech).toBe('')
  })

  it('reads a line of a list when it is complete', () => {
    expect(speak('- **first** thing\n- sec').speech).toBe('first thing')
  })

  it('announces code and waits for its end', () => {
    expect(speak('Look:\n```ts\nlet a = 1. \n').speech).toBe('Look:')
    expect(speak('Look:\n```ts\nlet a = 1. \n```\nDone. ').speech).toBe('Look: Code. Done.')
    expect(speak('1. ```ts\n   let a = 1. \n').speech).toBe('')
    expect(speak('1. ```ts\n   let a = 1. \n   ```\n2. Done. ').speech).toBe('Code. 2. Done.')
    expect(speak('Look:\n```ts\nlet a', 0, true).speech).toBe('Look: Code.')
  })

  it('omits Markdown marks, table rules and URLs', () => {
    expect(
      speak('# Title\n\nSee [the docs](https://example.com) in `npm`. \n| a | b |\n| - | - |\n', 0, true).speech,
    ).toBe('Title See the docs in npm . a b')
  })

  it('omits citations', () => {
    expect(speak('Three months [1][12]. More [2].', 0, true).speech).toBe('Three months. More.')
  })

  it('recognises the ends of Spanish and Chinese sentences', () => {
    expect(speak('¿Qué tal? Muy b').speech).toBe('¿Qué tal?')
    expect(speak('你好。再').speech).toBe('你好。')
  })
})
