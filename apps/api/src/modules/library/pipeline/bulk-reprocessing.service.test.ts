import { expect, test } from 'vitest'
import { silentLog } from '../../../../test/database-template.ts'
import { NotFoundError } from '../../../errors.ts'
import { createBulkReprocessingService } from './bulk-reprocessing.service.ts'

test('an item that can’t be processed again doesn’t hold up the next ones', async () => {
  const ids = ['stuck', 'deleted', 'fine']
  const reprocessedIds: string[] = []
  const written: object[] = []
  const warnings: object[] = []
  const service = createBulkReprocessingService({
    store: {
      read: async () => ({ total: 3, enqueued: 0, startedAt: new Date(), touchedAt: new Date() }),
      countUnfinished: async () => 0,
      next: async () => ids.map((id) => ({ id, mediaType: 'image' })),
      write: async (_userId: string, progress: object) => void written.push(progress),
      forget: async () => {},
    },
    processing: {
      reprocess: async (_userId: string, id: string) => {
        if (id === 'stuck') throw new Error('refused')
        if (id === 'deleted') throw new NotFoundError('This item no longer exists.')
        reprocessedIds.push(id)
      },
    },
    queue: { enqueue: async () => {} },
    log: { ...silentLog, warn: (fields: object) => void warnings.push(fields) },
  } as never)
  await service.run({ user_id: 'anna' }, new AbortController().signal)
  expect(reprocessedIds).toEqual(['fine'])
  expect(written).toMatchObject([{ enqueued: 3 }])
  expect(warnings).toMatchObject([{ media_id: 'stuck' }])
})
