import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { archiveWithMissingOwner, readArchive } from '../../../../test/archives.ts'
import {
  type BackedUpInstance,
  restoreInto,
  startBackedUpInstance,
  withoutRestoreMarks,
} from '../../../../test/backed-up-instance.ts'
import { createServerDatabase } from '../../../../test/database-template.ts'
import { createLog } from '../../../log.ts'
import { MIGRATIONS_DIR, migrate } from '../../../platform/database/migrate.ts'
import { backUpWithoutServer } from './back-up-without-server.ts'

const serverUrl = process.env.TEST_DATABASE_URL ?? ''
const log = createLog('silent')

describe.runIf(serverUrl !== '')('a restore on a PostgreSQL server', () => {
  const work = mkdtempSync(join(tmpdir(), 'mira-restore-server-'))
  let instance: BackedUpInstance
  let archive: string

  beforeAll(async () => {
    instance = await startBackedUpInstance()
    archive = instance.archive
  })
  afterAll(async () => {
    await instance.mira.close()
    rmSync(work, { recursive: true, force: true })
  })

  test('moves an embedded instance to a server, and a server to itself', { timeout: 120_000 }, async () => {
    const embedded = join(work, 'other machine')
    await restoreInto(archive, embedded)
    const { file } = await backUpWithoutServer({
      config: { dataDir: embedded, databaseUrl: undefined, backupDir: join(embedded, 'backups') },
      onProgress: () => {},
      log,
    })
    const { databaseUrl, drop } = await createServerDatabase(serverUrl)
    const dataDir = join(work, 'server')
    const config = { dataDir, databaseUrl, backupDir: join(dataDir, 'backups') }
    await restoreInto(file, dataDir, { databaseUrl })
    await expect(restoreInto(file, dataDir, { databaseUrl })).rejects.toThrow(/--replace/)
    const otherClient = new pg.Client({ connectionString: databaseUrl, application_name: 'mira-listen' })
    await otherClient.connect()
    await expect(restoreInto(file, dataDir, { databaseUrl, isReplacing: true })).rejects.toThrow(/Stop all servers/)
    await otherClient.end()
    const half = join(work, 'half.zip')
    writeFileSync(half, await archiveWithMissingOwner(archive))
    await expect(restoreInto(half, dataDir, { databaseUrl, isReplacing: true })).rejects.toThrow(/foreign key/)
    await expect(restoreInto(file, dataDir, { databaseUrl })).rejects.toThrow(/--replace/)
    expect(readdirSync(dataDir)).toEqual(['files'])
    const { asideFolder } = await restoreInto(file, dataDir, { databaseUrl, isReplacing: true })
    expect(readdirSync(asideFolder as string)).toEqual(['files'])

    const { file: secondFile } = await backUpWithoutServer({ config, onProgress: () => {}, log })
    const [before, after] = [await readArchive(file), await readArchive(secondFile)]
    expect(withoutRestoreMarks({ ...after.tables, settings: [] })).toEqual(
      withoutRestoreMarks({ ...before.tables, settings: [] }),
    )
    expect(after.files).toEqual(before.files)
    await drop()
  })

  test('leaves every file in place when it fails at the end, and sets all of them aside when it succeeds', {
    timeout: 120_000,
  }, async () => {
    const { databaseUrl, drop } = await createServerDatabase(serverUrl)
    const dataDir = join(work, 'interrupted')
    await restoreInto(archive, dataDir, { databaseUrl })
    const filesIn = (folder: string) =>
      readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
        entry.isFile() ? [relative(folder, join(entry.parentPath, entry.name))] : [],
      )
    const files = join(dataDir, 'files')
    const [first = '', ...others] = filesIn(files)
    writeFileSync(join(files, 'only here'), 'x')
    // a folder in place of the file
    rmSync(join(files, first))
    mkdirSync(join(files, first, 'in the way'), { recursive: true })
    const target = { databaseUrl, isReplacing: true }
    await expect(restoreInto(archive, dataDir, target)).rejects.toThrow()
    expect(readdirSync(dataDir)).toEqual(['files'])
    expect(filesIn(files).sort()).toEqual([...others, 'only here'].sort())

    rmSync(join(files, first), { recursive: true })
    const { asideFolder } = await restoreInto(archive, dataDir, target)
    expect(filesIn(join(asideFolder ?? '', 'files')).sort()).toEqual([...others, 'only here'].sort())
    expect(filesIn(files).sort()).toEqual([first, ...others].sort())
    await drop()
  })

  const memoryDisk = '/dev/shm'
  const hasOtherDisk = existsSync(memoryDisk) && statSync(memoryDisk).dev !== statSync(work).dev
  test.skipIf(!hasOtherDisk)(
    'keeps the previous files when they are on a separate disk',
    {
      timeout: 120_000,
    },
    async () => {
      const { databaseUrl, drop } = await createServerDatabase(serverUrl)
      const dataDir = join(work, 'two disks')
      const disk = mkdtempSync(join(memoryDisk, 'mira-files-'))
      onTestFinished(async () => {
        rmSync(disk, { recursive: true })
        await drop()
      })
      mkdirSync(dataDir)
      symlinkSync(disk, join(dataDir, 'files'))
      const { fileCount } = await restoreInto(archive, dataDir, { databaseUrl })
      writeFileSync(join(disk, 'only here'), 'x')
      const { asideFolder } = await restoreInto(archive, dataDir, { databaseUrl, isReplacing: true })
      expect([asideFolder, readdirSync(dataDir)]).toEqual([null, ['files']])
      const names = readdirSync(disk, { recursive: true, encoding: 'utf8' })
      expect(names.filter((name) => /[0-9a-f]{64}$/.test(name))).toHaveLength(fileCount)
      expect(names).toContain('only here')
    },
  )

  test('replaces an older version of Mira, but not a database with other tables', { timeout: 120_000 }, async () => {
    const { databaseUrl, drop } = await createServerDatabase(serverUrl)
    const client = new pg.Client({ connectionString: databaseUrl })
    await client.connect()
    await client.query('CREATE TABLE parcels (id int)')
    const dataDir = join(work, 'older')
    const target = { databaseUrl, isReplacing: true }
    await expect(restoreInto(archive, dataDir, target)).rejects.toThrow(/not Mira’s/)
    await client.query('DROP TABLE parcels')
    await migrate(client, MIGRATIONS_DIR, { only: ['20261120120000_spine'] })
    await client.end()
    await expect(restoreInto(archive, dataDir, { databaseUrl })).rejects.toThrow(/--replace/)
    expect((await restoreInto(archive, dataDir, target)).rowCount).toBeGreaterThan(0)
    await drop()
  })
})
