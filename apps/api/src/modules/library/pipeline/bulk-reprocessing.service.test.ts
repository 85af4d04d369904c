import { expect, test } from 'vitest'
import { silentLog } from '../../../../test/database-template.ts'
import { NotFoundError } from '../../../errors.ts'
import { createBulkReprocessingService } from './bulk-reprocessing.service.ts'

const runOf = (isLastAttempt: boolean) => ({ signal: new AbortController().signal, isLastAttempt })

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
  await service.run({ user_id: 'anna' }, runOf(false))
  expect(reprocessedIds).toEqual(['fine'])
  expect(written).toMatchObject([{ enqueued: 3 }])
  expect(warnings).toMatchObject([{ media_id: 'stuck' }])
})

test('an item whose tables are locked is tried again, and only skipped at the last attempt', async () => {
  const reprocessedIds: string[] = []
  const jobs: object[] = []
  const service = createBulkReprocessingService({
    store: {
      read: async () => ({ total: 3, enqueued: 0, startedAt: new Date(), touchedAt: new Date() }),
      countUnfinished: async () => 1,
      next: async (_job: object, after: string) =>
        ['1', '2', '3'].filter((id) => after.length > 1 || id > after).map((id) => ({ id, mediaType: 'image' })),
      write: async () => {},
    },
    processing: {
      reprocess: async (_userId: string, id: string) => {
        if (id === '2') throw Object.assign(new Error('deadlock detected'), { code: '40P01' })
        reprocessedIds.push(id)
      },
    },
    queue: { enqueue: async (_name: string, job: object) => void jobs.push(job) },
    log: silentLog,
  } as never)
  // The rest becomes another job, so that its retries don't repeat the first item.
  await service.run({ user_id: 'anna' }, runOf(true))
  expect(jobs).toEqual([{ user_id: 'anna', after: '1' }])
  await expect(service.run({ user_id: 'anna', after: '1' }, runOf(false))).rejects.toThrow('deadlock')
  await service.run({ user_id: 'anna', after: '1' }, runOf(true))
  expect(jobs.at(-1)).toEqual({ user_id: 'anna', after: '3' })
  expect(reprocessedIds).toEqual(['1', '3'])
})
