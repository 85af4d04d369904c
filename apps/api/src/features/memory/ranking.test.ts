import { expect, test } from 'vitest'
import type { MomentRow } from './memory.store.ts'
import { rankPlaces } from './ranking.ts'

function momentOf(id: string, body: string, rank: number): MomentRow {
  return {
    ...{ id, mediaId: `item of ${id}`, kind: 'text', position: 0, frameNumber: null, page: 1, startSeconds: null },
    ...{ endSeconds: null, box: null, body, language: 'english', rank },
  }
}
const holds = (...words: string[]) => [{ weight: 1, words: new Set(words) }]

test('a text that is found by its words is shown with them, however near its meaning is, too', () => {
  const dense = momentOf('a', 'harbour harbour', 1)
  const sparse = momentOf('b', 'voices of the harbour', 0.1)
  const [first] = rankPlaces(
    [
      { moment: dense, matches: holds('harbour') },
      { moment: sparse, matches: holds('harbour') },
    ],
    [1],
    [{ kind: 'meaning', moment: sparse, probability: 0.97 }],
    10,
  )
  expect(first).toMatchObject({ moment: { id: 'b' }, matched: 'meaning', matchedWords: new Set(['harbour']) })
})

test('another text of the same place that is nearer in meaning is shown without words that it has not', () => {
  const said = momentOf('a', 'the harbour', 0.1)
  const caption: MomentRow = { ...said, id: 'caption', kind: 'caption', body: 'boats by the sea' }
  const dense = momentOf('b', 'harbour harbour', 1)
  const places = rankPlaces(
    [
      { moment: dense, matches: holds('harbour') },
      { moment: said, matches: holds('harbour') },
    ],
    [1],
    [{ kind: 'meaning', moment: caption, probability: 0.97 }],
    10,
  )
  expect(places.find(({ moment }) => moment.id === 'caption')).toMatchObject({
    matched: 'meaning',
    matchedWords: new Set(),
  })
})
