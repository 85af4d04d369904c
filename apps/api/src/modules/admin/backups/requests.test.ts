import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { silentLog } from '../../../../test/database-template.ts'
import type { BackupsService } from './backups.service.ts'
import { requestBackup, watchRequests } from './requests.ts'

let directory: string
let watcher: ReturnType<typeof watchRequests>
const find = vi.fn(async () => ({ state: 'running', progress: 7, fileName: 'a.mira', error: null, problems: 0 }))

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'mira-requests-'))
  find.mockClear()
  const backups = { beginOrFollow: async () => ({ id: 'backup' }), find } as unknown as BackupsService
  watcher = watchRequests({ directory, backups, log: silentLog })
})
afterEach(async () => {
  await watcher.close()
  rmSync(directory, { recursive: true })
})

test('a request that is withdrawn isn’t answered any more, and leaves no file', async () => {
  const interrupt = new AbortController()
  const onProgress = () => interrupt.abort()
  await expect(requestBackup(directory, onProgress, interrupt.signal)).rejects.toThrow('aborted')
  const callCount = find.mock.calls.length
  await new Promise((resolve) => setTimeout(resolve, 2_000))
  expect(find.mock.calls.length).toBeLessThanOrEqual(callCount + 1)
  expect(readdirSync(directory)).toEqual([])
})

test.each(['', '.new'])('an old answer%s without a request is deleted, and a new one is kept', async (suffix) => {
  const [oldName, newName] = ['0', '1'].map(
    (digit) => `answer-${digit.repeat(8)}-0000-4000-8000-000000000000.json${suffix}`,
  )
  for (const name of [oldName, newName]) writeFileSync(join(directory, name ?? ''), '{}')
  const hoursAgo = Date.now() / 1000 - 2 * 3600
  utimesSync(join(directory, oldName ?? ''), hoursAgo, hoursAgo)
  await vi.waitFor(() => expect(readdirSync(directory)).toEqual([newName]), { timeout: 10_000 })
})
