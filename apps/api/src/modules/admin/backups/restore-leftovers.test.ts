import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { createServerDatabase, openTestDatabase, silentLog } from '../../../../test/database-template.ts'
import { insertMediaItem, insertUser } from '../../../../test/factories.ts'
import { UnfinishedRestoreError } from '../../../platform/database/restored-folders.ts'
import { openEmbeddedSnapshot, openServerSnapshot } from '../../../platform/database/snapshot.ts'
import { createDiskFiles } from '../../../platform/storage/disk.ts'
import { createArchiveWriter } from './archive-writer.ts'
import { restoreArchive } from './restore-archive.ts'

let isStuck: (path: string) => boolean = () => false
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>()
  const rmSync: typeof fs.rmSync = (path, options) => {
    if (isStuck(String(path))) throw new Error('the disk is read-only')
    fs.rmSync(path, options)
  }
  return { ...fs, rmSync }
})
vi.mock('node:fs/promises', async (original) => {
  const promises = await original<typeof import('node:fs/promises')>()
  const rm: typeof promises.rm = async (path, options) => {
    if (isStuck(String(path))) throw new Error('the disk is read-only')
    return promises.rm(path, options)
  }
  return { ...promises, rm }
})

const serverUrl = process.env.TEST_DATABASE_URL ?? ''
const work = mkdtempSync(join(tmpdir(), 'mira-restore-leftovers-'))
const archive = join(work, 'archive.zip')
let warnings: string[] = []

beforeAll(async () => {
  const database = await openTestDatabase()
  const files = await createDiskFiles({ directory: join(work, 'files') })
  const { id } = await insertUser(database)
  const { path } = await files.put(id, Buffer.from('a letter'))
  await insertMediaItem(database, id, { path })
  const openSnapshot = () =>
    database.engine === 'embedded'
      ? openEmbeddedSnapshot(database.pool)
      : openServerSnapshot(database.databaseUrl ?? '')
  await createArchiveWriter({ openSnapshot, files, passphrase: undefined }).write(archive)
  await database.close()
})
afterEach(() => {
  isStuck = () => false
  warnings = []
})
afterAll(() => rmSync(work, { recursive: true, force: true }))

const restoreInto = (dataDir: string, databaseUrl?: string) =>
  restoreArchive({
    ...{ archive, isReplacing: true, log: silentLog, config: { dataDir, databaseUrl } },
    onWarning: (sentence) => warnings.push(sentence),
  })

test('a restore that can’t clean up still succeeds, and warns of the leftover', { timeout: 120_000 }, async () => {
  const dataDir = mkdtempSync(join(work, 'data-'))
  mkdirSync(join(dataDir, 'database'))
  writeFileSync(join(dataDir, 'database', 'PG_VERSION'), 'old')
  const staging = join(dataDir, 'restoring')
  // from the moment when everything is in place
  isStuck = (path) => [staging, join(dataDir, 'database.lock')].includes(path) && existsSync(join(dataDir, 'files'))
  const { asideFolder, rowCount } = await restoreInto(dataDir)
  expect(rowCount).toBeGreaterThan(0)
  expect(readFileSync(join(asideFolder ?? '', 'database', 'PG_VERSION'), 'utf8')).toBe('old')
  expect(warnings).toEqual([`${staging} could not be removed: the disk is read-only. Delete it.`])
})

describe.runIf(serverUrl !== '')('on a PostgreSQL server', () => {
  const dataDir = join(work, 'server')
  let databaseUrl: string
  let drop: () => Promise<void>
  beforeAll(async () => {
    ;({ databaseUrl, drop } = await createServerDatabase(serverUrl))
    await restoreInto(dataDir, databaseUrl)
  }, 120_000)
  afterAll(() => drop())

  test('a restore that can’t move all previous files still succeeds, and warns of them', {
    timeout: 120_000,
  }, async () => {
    const files = join(dataDir, 'files')
    writeFileSync(join(files, 'only here'), 'x')
    isStuck = (path) => path === join(files, 'only here')
    const { asideFolder } = await restoreInto(dataDir, databaseUrl)
    expect(existsSync(join(asideFolder ?? '', 'files', 'only here'))).toBe(true)
    expect(warnings).toEqual([expect.stringContaining(`Previous files are still in ${files}: the disk is read-only.`)])
  })

  test('a restore that loses the response to COMMIT fails as unfinished instead of claiming that nothing changed', {
    timeout: 120_000,
  }, async () => {
    const { query } = pg.Client.prototype
    const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(async function (
      this: pg.Client,
      ...args: unknown[]
    ) {
      const result: unknown = await Reflect.apply(query, this, args as never)
      if (args[0] === 'COMMIT') throw new Error('Connection terminated unexpectedly')
      return result
    } as never)
    try {
      await expect(restoreInto(dataDir, databaseUrl)).rejects.toThrow(UnfinishedRestoreError)
    } finally {
      spy.mockRestore()
    }
  })
})
