import { expect, test } from 'vitest'
import type { Candidate } from './hits.ts'
import type { MomentKind, MomentRow } from './memory.store.ts'
import { noPreferenceMatch } from './preferences.ts'
import { type Ranking, rankHits } from './score.ts'
import { noStems, type Term } from './terms.ts'

function momentOf(id: string, kind: MomentKind = 'text', page: number | null = 1): MomentRow {
  return {
    ...{ id, mediaId: `item of ${id}`, kind, position: 0, frameNumber: null, page, startSeconds: null },
    ...{ endSeconds: null, box: null, body: '', language: 'english' },
  }
}

/** A moment with these strengths of the terms and this cosine. */
function candidate(moment: MomentRow, strengths: number[], cosine: number | null = null, semanticScore = 0): Candidate {
  const words = new Map(
    strengths.flatMap((strength, index) => (strength > 0 ? [[index, new Set(['harbour'])] as const] : [])),
  )
  const shares = strengths.map((strength) => (strength > 0 ? 1 : 0))
  const evidence = {
    strengths,
    counts: strengths,
    shares,
    pairs: strengths.map(() => 0),
    phrases: 0,
    words,
    guesses: new Map(),
  }
  return { moment, evidence, cosine, itemCosine: cosine, semanticScore }
}

const ranking = (more: Partial<Ranking> = {}): Ranking => ({
  terms: ['harbour', 'voices'].map((word) => ({ word, stems: noStems, weight: 1, isPrefix: false, isStopWord: false })),
  ...{ rarities: [2, 2], trust: 1, background: { moments: [0], items: [0] }, by: 'location' },
  itemLengths: new Map(),
  ...{ preferenceMatchOf: () => noPreferenceMatch, isOnlyPreferences: false, isFramed: false, ...more },
})
const order = (candidates: Candidate[], more: Partial<Ranking> = {}) =>
  rankHits(candidates, ranking(more), 10).map(({ moment }) => moment.id)

test('a text near in meaning comes before one with few of the words if the engine is trusted', () => {
  const all = [candidate(momentOf('few words'), [0.3, 0], 0.1), candidate(momentOf('near'), [0, 0], 0.9)]
  expect(order(all)).toEqual(['near', 'few words'])
  expect(order(all, { trust: 0 })).toEqual(['few words', 'near'])
})

test('a text with the words comes before one that is only near', () => {
  expect(order([candidate(momentOf('near'), [0, 0], 0.9), candidate(momentOf('words'), [1, 1], 0.1)])).toEqual([
    'words',
    'near',
  ])
})

test('the probability of a hit doesn’t depend on hits above it, and improbable hits stay listed', () => {
  const hits = rankHits(
    [candidate(momentOf('both'), [1, 1]), candidate(momentOf('one'), [1, 0]), candidate(momentOf('far'), [0, 0], 0.1)],
    ranking({ background: { moments: [0, 0.9], items: [0, 0.9] } }),
    10,
  )
  expect(hits.map(({ moment, probability }) => [moment.id, probability])).toEqual([
    ['both', 0.98],
    ['one', 0.41],
    ['far', 0],
  ])
})

test('a hit with a third of a long question is found when it stands out, but not beside one with all of it', () => {
  const terms = ['harbour', 'voices', 'lanterns'].map((word) => ({ ...ranking().terms[0], word })) as Term[]
  const options = { terms, rarities: [2, 2, 2], trust: 0 }
  const certainty = (all: Candidate[]) => rankHits(all, ranking(options), 10).map(({ probability }) => probability)
  const part = candidate(momentOf('part'), [1.2, 0, 0])
  expect(certainty([part])[0]).toBeGreaterThan(0.5)
  expect(certainty([part, candidate(momentOf('all'), [1, 1, 1])])[1]).toBeLessThan(0.5)
})

test('nearness makes nothing certain when the engine isn’t trusted', () => {
  const certainty = (trust: number) =>
    rankHits([candidate(momentOf('near'), [0, 0], 0.9, 0.97)], ranking({ trust }), 10)[0]?.probability
  expect([certainty(1), certainty(0)]).toEqual([0.97, 0.44])
})

test('a page is found by one word of its file’s name and one of its own', () => {
  const name: MomentRow = { ...momentOf('name', 'name', null), mediaId: 'item of page' }
  expect(
    order([candidate(momentOf('other'), [1.2, 0]), candidate(momentOf('page'), [0, 1]), candidate(name, [1.5, 0])])[0],
  ).toBe('page')
})

test('a preferred hit comes first among equals, and the others stay listed', () => {
  const all = [candidate(momentOf('a'), [1, 0]), candidate(momentOf('b'), [1, 0])]
  const prefers = (name: string) =>
    order(all, {
      preferenceMatchOf: ({ mediaId }) =>
        mediaId === `item of ${name}` ? { share: 1, boost: 0.4 } : noPreferenceMatch,
    })
  expect([prefers('a'), prefers('b')]).toEqual([
    ['a', 'b'],
    ['b', 'a'],
  ])
})

test('a text that only matches by meaning has no matched words', () => {
  const caption: MomentRow = { ...momentOf('caption', 'caption'), mediaId: 'item' }
  const [hit] = rankHits([candidate(caption, [0, 0], 0.9, 0.97)], ranking(), 10)
  expect(hit).toMatchObject({ matched: 'meaning', matchedWords: new Set() })
})

test('an item with the words spread over its pages comes before one with an equally good page', () => {
  const pageOf = (item: string, page: number): MomentRow => ({
    ...momentOf(`${item} ${page}`, 'text', page),
    mediaId: item,
  })
  const all = [
    candidate(pageOf('one page', 1), [1, 0]),
    candidate(pageOf('one page', 2), [0, 0]),
    candidate(pageOf('both pages', 1), [1, 0]),
    candidate(pageOf('both pages', 2), [0, 0.9]),
  ]
  expect(order(all).slice(0, 1)).toEqual(['both pages 1'])
  const lengths = new Map([['both pages', 50]])
  expect(order(all, { itemLengths: lengths }).slice(0, 1)).toEqual(['one page 1'])
})

test('in a question about a named item’s contents, texts count only by other words; the name alone answers a query for it', () => {
  const name = candidate(momentOf('name', 'name', null), [1, 0])
  const within = (strengths: number[]) => {
    const text = candidate({ ...momentOf('text'), mediaId: name.moment.mediaId }, strengths)
    const hits = rankHits([name, text], ranking({ isFramed: true, by: 'moment' }), 10)
    return hits.find(({ moment }) => moment.id === 'text')?.probability
  }
  expect(within([0.5, 0])).toBe(0)
  expect(within([0, 1])).toBeGreaterThan(0.9)
  const options = { isFramed: true, terms: ranking().terms.slice(0, 1), rarities: [2] }
  expect(rankHits([name], ranking(options), 10)[0]?.probability).toBeGreaterThan(0.9)
})
