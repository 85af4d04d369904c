import { expect, test } from 'vitest'
import { createLog } from '../../log.ts'
import type { MomentRow, SearchScope } from './memory.store.ts'
import type { Term } from './terms.ts'
import { createWordSearch, type WordSearchDeps } from './words.ts'

const scope: SearchScope = {
  ...{ userId: 'ada', types: null, tags: [], from: null, to: null, phrases: [], excluded: null },
  includesFrames: true,
}
const stems = { english: null, spanish: null, french: null, german: null }
const termOf = (word: string): Term => ({ kind: 'word', parts: [{ word, stems }], isLast: false, chunk: word })
const moment: MomentRow = {
  ...{ id: '1', mediaId: '2', kind: 'text', position: 0, frameNumber: null, page: null, startSeconds: null },
  ...{ endSeconds: null, box: null, body: 'A lighthouse', language: 'simple', rank: 1 },
}

function searchWith(store: Partial<WordSearchDeps['store']>) {
  return createWordSearch({
    store: {
      parseWords: async () => [],
      findAll: async () => [moment],
      findSome: async (_scope, conditions) => ({ rows: [moment], counts: conditions.map(() => 1) }),
      findLike: async () => [],
      findTagged: async () => [],
      readMoments: async () => [],
      ...store,
    },
    stems: { stemsOf: async () => new Map() },
    log: createLog('silent'),
  })
}

test('what the words find is told when looking for words spelled nearly so fails', async () => {
  const { find } = searchWith({
    findLike: async () => {
      throw new Error('Query read timeout')
    },
  })
  const { hits } = await find(scope, [termOf('lighthouse')], 20, 100)
  expect(hits.map(({ moment: { id } }) => id)).toEqual(['1'])
})

test('looking for words spelled nearly so ends when it has taken long, however many patterns are left', async () => {
  let asked = 0
  const { find } = searchWith({
    findLike: async () => {
      asked++
      await new Promise((resolve) => setTimeout(resolve, 200))
      return []
    },
  })
  await find(scope, ['lightouse', 'restaurnt', 'stromrechnugsbetrag'].map(termOf), 20, 100)
  expect(asked).toBe(2)
})
