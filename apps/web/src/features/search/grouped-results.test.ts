import type { SearchResultJson } from '@mira/shared'
import { expect, it } from 'vitest'
import { groupedResults } from './search-results.tsx'

const result = (id: string, media_id: string, similarity_score: number, overrides: Partial<SearchResultJson> = {}) =>
  ({
    ...{ id, media_id, similarity_score, certainty: similarity_score < 0.5 ? 'perhaps' : 'found', ...overrides },
  }) as SearchResultJson
const idsOf = (items: { result: SearchResultJson; others: SearchResultJson[] }[]) =>
  items.map((item) => [item.result.id, ...item.others.map(({ id }) => id)])

it('shows each item once, with its other matches, and nothing with a very low score', () => {
  const { sure, perhaps } = groupedResults({
    results: [
      ...[result('page 2', 'lease', 0.9), result('dog', 'dog', 0.8), result('page 5', 'lease', 0.7)],
      ...[
        result('page 7', 'lease', 0.4),
        result('cat', 'cat', 0.3),
        result('noise', 'noise', 0.1, { matched: 'words' }),
      ],
    ],
  })
  expect(idsOf(sure)).toEqual([['page 2', 'page 5', 'page 7'], ['dog']])
  expect(idsOf(perhaps)).toEqual([['cat']])
})

it('shows the first few matches by meaning however low their score, as in a small library', () => {
  const results = Array.from({ length: 8 }, (_, n) => result(`${n}`, `${n}`, 0, { matched: 'meaning' }))
  expect(idsOf(groupedResults({ results }).perhaps)).toEqual([['0'], ['1'], ['2'], ['3'], ['4']])
})

it('shows a guess however low its score', () => {
  expect(groupedResults({ results: [result('bach', 'bach', 0.1, { is_guess: true })] }).perhaps).toHaveLength(1)
})
