import { expect, test, vi } from 'vitest'
import { silentLog } from '../test/database-template.ts'
import { buildJobs } from './job-handlers.ts'

test('the clean-up runs its other parts when some fail, and reports every failure', async () => {
  const completed: string[] = []
  const part = (name: string) => async () => void completed.push(name)
  const { handlers } = buildJobs({
    log: silentLog,
    database: { pool: {} },
    settings: { current: () => ({ retention: {} }) },
    rollups: { beforeRemoving: vi.fn().mockRejectedValue(new Error('no rollups')) },
    emptyAccountTrash: part('accounts'),
    partialUploads: { cleanUp: vi.fn().mockRejectedValue(new Error('no folder')) },
    imports: { cleanUp: part('imports') },
    auditSealing: { verify: part('audit log') },
    processing: { handlers: {} },
    watchedFolders: {},
  } as unknown as Parameters<typeof buildJobs>[0])
  const signal = new AbortController().signal
  await expect(handlers['clean-up']({}, { signal } as never)).rejects.toThrow('no rollups; Error: no folder')
  expect(completed).toEqual(['accounts', 'imports', 'audit log'])
})

test('the sweep runs its other parts when some fail, and reports every failure', async () => {
  const completed: string[] = []
  const sweeping = (name: string) => ({ sweep: async () => void completed.push(name) })
  const failing = (reason: string) => ({ sweep: vi.fn().mockRejectedValue(new Error(reason)) })
  const { sweep } = buildJobs({
    log: silentLog,
    database: { pool: {} },
    queue: { enqueue: async (name: string) => void completed.push(name) },
    unreferencedFiles: { hasDue: async () => true },
    processing: { handlers: {}, ...failing('no items') },
    resuming: { resumeSoon: () => void completed.push('resuming') },
    backups: sweeping('backups'),
    trialRestores: sweeping('trial restores'),
    webhookNotices: failing('no notices'),
    webhookDeliveries: sweeping('deliveries'),
    imports: sweeping('imports'),
    partialUploads: {},
    auditSealing: {},
    watchedFolders: {},
    wordIndex: { isWaiting: async () => true },
    embeddingSwitch: { waiting: async () => [] },
  } as unknown as Parameters<typeof buildJobs>[0])
  await expect(sweep()).rejects.toThrow('no items; Error: no notices')
  expect(completed).toEqual([
    ...['resuming', 'delete-files', 'backups', 'trial restores', 'deliveries', 'imports', 'index-words'],
  ])
})
