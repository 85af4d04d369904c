import { expect, test } from 'vitest'
import type { SqlTransaction } from '../../../platform/database/sql.ts'
import type { ReceivedFile } from '../../../platform/storage/files.ts'
import type { ImportCounts, ImportRow } from './imports.store.ts'
import { createMediaImporter, type MediaSource, type SourceItem } from './media-importer.ts'
import { DESCRIPTION_MAX_CHARACTERS, storableDescription } from './metadata-completion.ts'

test('cuts a long description between two characters', () => {
  expect(storableDescription(`${'a'.repeat(DESCRIPTION_MAX_CHARACTERS - 1)}🌊`).isWellFormed()).toBe(true)
})

test('stores a description together with its item, so that a crash right after can’t lose it', async () => {
  const descriptions: string[] = []
  const mediaImporter = createMediaImporter({
    store: { findImported: async () => new Map(), findPictures: async () => new Map(), record: async () => true },
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
        descriptions.push(`${id}: ${description}`)
      },
    },
    metadataCompletion: {
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
  const options = { counts: { imported: 0 } as ImportCounts, signal, saveProgress: async () => true }
  await expect(mediaImporter.importAll(row, source, options)).rejects.toThrow('the server is killed')
  expect(descriptions).toEqual(['new: Boats'])
})
