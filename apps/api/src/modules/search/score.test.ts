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

/** A moment that holds the terms so much, and lies so near. */
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

test('what is near in meaning comes before what holds few of the words, where the engine can be trusted', () => {
  const all = [candidate(momentOf('few words'), [0.3, 0], 0.1), candidate(momentOf('near'), [0, 0], 0.9)]
  expect(order(all)).toEqual(['near', 'few words'])
  expect(order(all, { trust: 0 })).toEqual(['few words', 'near'])
})

test('nearness never outweighs a text that holds the words', () => {
  expect(order([candidate(momentOf('near'), [0, 0], 0.9), candidate(momentOf('words'), [1, 1], 0.1)])).toEqual([
    'words',
    'near',
  ])
})

test('how sure a place is does not depend on how many others are ranked above it, and hides nothing', () => {
  const places = rankHits(
    [candidate(momentOf('both'), [1, 1]), candidate(momentOf('one'), [1, 0]), candidate(momentOf('far'), [0, 0], 0.1)],
    ranking({ background: { moments: [0, 0.9], items: [0, 0.9] } }),
    10,
  )
  expect(places.map(({ moment, probability }) => [moment.id, probability])).toEqual([
    ['both', 0.98],
    ['one', 0.41],
    ['far', 0],
  ])
})

test('a place that holds a third of a long question and stands out is found, beside one that holds all it is not', () => {
  const terms = ['harbour', 'voices', 'lanterns'].map((word) => ({ ...ranking().terms[0], word })) as Term[]
  const options = { terms, rarities: [2, 2, 2], trust: 0 }
  const certainty = (all: Candidate[]) => rankHits(all, ranking(options), 10).map(({ probability }) => probability)
  const part = candidate(momentOf('part'), [1.2, 0, 0])
  expect(certainty([part])[0]).toBeGreaterThan(0.5)
  expect(certainty([part, candidate(momentOf('all'), [1, 1, 1])])[1]).toBeLessThan(0.5)
})

test('nearness makes nothing certain where the engine tells little', () => {
  const certainty = (trust: number) =>
    rankHits([candidate(momentOf('near'), [0, 0], 0.9, 0.97)], ranking({ trust }), 10)[0]?.probability
  expect([certainty(1), certainty(0)]).toEqual([0.97, 0.44])
})

test('a page is found by a word of its file’s name and another of its own', () => {
  const name: MomentRow = { ...momentOf('name', 'name', null), mediaId: 'item of page' }
  expect(
    order([candidate(momentOf('other'), [1.2, 0]), candidate(momentOf('page'), [0, 1]), candidate(name, [1.5, 0])])[0],
  ).toBe('page')
})

test('what the query prefers comes first among equals, and nothing else is left out', () => {
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

test('another text of the same place that is nearer in meaning alone is shown without words that it has not', () => {
  const caption: MomentRow = { ...momentOf('caption', 'caption'), mediaId: 'item' }
  const [place] = rankHits([candidate(caption, [0, 0], 0.9, 0.97)], ranking(), 10)
  expect(place).toMatchObject({ matched: 'meaning', matchedWords: new Set() })
})

test('what is asked may be spread over the pages of an item: it comes before one with as good a page', () => {
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

test('what a thing is called is no answer to what it says of something else, and no less an answer to what it says', () => {
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
