import { expect, test } from 'vitest'
import type { SqlTransaction } from '../../../platform/database/sql.ts'
import type { ReceivedFile } from '../../../platform/storage/files.ts'
import { DESCRIPTION_MAX_CHARACTERS, shortened } from './completing.ts'
import type { ImportCounts, ImportRow } from './imports.store.ts'
import { createMediaImporter, type MediaSource, type SourceItem } from './media-importer.ts'

test('a long description is cut between two characters', () => {
  expect(shortened(`${'a'.repeat(DESCRIPTION_MAX_CHARACTERS - 1)}🌊`).isWellFormed()).toBe(true)
})

test('a description is stored with its item: what ends right after has it already', async () => {
  const described: string[] = []
  const bringing = createMediaImporter({
    store: { findKnown: async () => new Map(), findPictures: async () => new Map(), record: async () => true },
    files: { receiveFile: async () => ({}) as ReceivedFile },
    uploads: {
      admit: (_userId, _bytes, work) => work(),
      async accept({ alongside }) {
        await alongside?.({} as SqlTransaction, { id: 'new', isNew: true, isRestored: false, wasFailed: false })
        throw new Error('the server is killed')
      },
    },
    media: { setMetadata: async () => {} },
    corrections: {
      describeNewIn: async (_sql, _userId, id, description) => {
        described.push(`${id}: ${description}`)
      },
    },
    completing: {
      complete: async () => {},
      itemsOf: async () => new Map(),
      matchByName: async () => [],
      favoriteTagOf: async () => 'favorite',
    },
  })
  const item = { sourceId: '1', name: 'boat.png', sizeBytes: 1, tags: [], isFavorite: false, description: 'Boats' }
  const source: MediaSource<SourceItem> = {
    async *items() {
      yield { ...item, takenAt: null, takenLocal: null, latitude: null, longitude: null }
    },
    writeFiles: async () => [{ filename: '/nowhere/at/all' }],
  }
  const row = { id: '1', userId: '1', source: 'takeout' } as ImportRow
  const { signal } = new AbortController()
  const under = { counts: { imported: 0 } as ImportCounts, signal, saveProgress: async () => true }
  await expect(bringing.importAll(row, source, under)).rejects.toThrow('the server is killed')
  expect(described).toEqual(['new: Boats'])
})
