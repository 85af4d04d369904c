import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openTestDatabase, silentLog } from '../../../../test/database-template.ts'
import { writeWholeFile } from '../../../platform/storage/whole-file.ts'
import { createArchiveFolder } from './archive-folder.ts'
import { createBackupsService } from './backups.service.ts'
import { createBackupsStore } from './backups.store.ts'

test.each([
  ['keeps writing', null],
  ['fails', new Error('the network share is away')],
  ['would write for another minute', 'a minute'],
])('a server that %s after another took over its backup leaves the other’s archive intact', async (_, failure) => {
  const directory = mkdtempSync(join(tmpdir(), 'mira-backup-takeover-'))
  const database = await openTestDatabase()
  onTestFinished(async () => {
    await database.close()
    rmSync(directory, { recursive: true })
  })
  const store = createBackupsStore(database)
  const { id = '', fileName = '' } = (await store.add('mira-backup-20260101-000000.zip', async () => {})) ?? {}
  const server = (content: () => AsyncGenerator<Buffer>) => {
    const service = createBackupsService({
      ...{ store, folder: createArchiveFolder(directory), log: silentLog, neededBytes: async () => 1 },
      writer: {
        write: async (filename: string, { signal }: { signal: AbortSignal }) => {
          const sizeBytes = await writeWholeFile(filename, content(), signal)
          return { sizeBytes, missing: [], damaged: [] }
        },
      },
      queue: { enqueue: async () => {} },
      settings: { current: () => ({ retention: { backups_kept: 2 } }) },
      notifications: { notify: async () => {} },
    } as never)
    return service.run(id, new AbortController().signal)
  }
  let pieces = 0
  const takenOver = Promise.withResolvers<void>()
  const first = server(async function* () {
    yield Buffer.alloc(200_000, 'first')
    await takenOver.promise
    if (failure instanceof Error) throw failure
    // its next heartbeat stops it
    for (; failure !== null && pieces < 600; pieces++) {
      await sleep(100)
      yield Buffer.from('first')
    }
    yield Buffer.alloc(200_000, 'first')
  })
  await vi.waitFor(() => expect(readdirSync(directory)).toHaveLength(1))
  await database.prisma.backup.update({ where: { id }, data: { heartbeatAt: new Date(0) } })
  await server(async function* () {
    yield Buffer.from('second')
  })
  takenOver.resolve()
  await first
  expect(pieces).toBeLessThan(300)
  expect(readdirSync(directory)).toEqual([fileName])
  expect(readFileSync(join(directory, fileName), 'utf8')).toBe('second')
  expect(await store.find(id)).toMatchObject({ state: 'completed', sizeBytes: 6n, error: null })
})
