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
