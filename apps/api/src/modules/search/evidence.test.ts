import { expect, test } from 'vitest'
import { createJudge } from './evidence.ts'
import type { MomentRow } from './memory.store.ts'
import { noStems, type Term, wordsOf } from './terms.ts'

const termOf = (word: string): Term => ({ word, stems: noStems, weight: 1, isPrefix: false, isStopWord: false })

/** Matched share of a query's last word in a text, by a match or a guess. */
function shareOf(query: string, body: string): number {
  const terms = wordsOf(query).map(termOf)
  const rare = new Set(terms.slice(-1))
  const judge = createJudge({
    ...{ terms, phrases: [], stems: new Map(), rare, unknown: rare, language: 'english', averageBytes: () => 50 },
  })
  const { shares, guesses } = judge({ kind: 'text', body, language: 'english' } as MomentRow, wordsOf(body))
  return Math.max(shares.at(-1) ?? 0, ...(guesses.get(terms.length - 1)?.values() ?? []))
}

test('a similarly spelled word counts in a short query, and half as much in a sentence', () => {
  const [few, sentence] = ['old gente', 'why did they all go gente'].map((query) => shareOf(query, 'a gentle man'))
  expect(few).toBeGreaterThan(0.7)
  expect(sentence).toBeCloseTo((few ?? 0) / 2)
})

test('a part of a compound counts the same in a sentence', () => {
  const [few, sentence] = ['neues Boot', 'was für ein neues großes Boot'].map((query) =>
    shareOf(query, 'das Ruderboot'),
  )
  expect(sentence).toBe(few)
})

test('a single letter, as in “Ana’s”, doesn’t match the beginning of other words', () => {
  expect(shareOf('Ana stove s', 'the stolen station')).toBe(0)
})
