import {
  createReadStream,
  createWriteStream,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BackupLocation, type BackupRole, runBackupProcess } from '../../../../test/backup-process.ts'
import { createServerDatabase, silentLog } from '../../../../test/database-template.ts'
import { insertChatSession, insertUser } from '../../../../test/factories.ts'
import { templateFile } from '../../../../test/laid-database.ts'
import { openDatabase } from '../../../platform/database/client.ts'
import { listMigrations, MIGRATIONS_DIR } from '../../../platform/database/migrate.ts'
import { newId } from '../../../platform/database/new-id.ts'
import { createDiskFiles } from '../../../platform/storage/disk.ts'
import { seal } from '../../../platform/storage/sealed.ts'
import { openZip } from '../../../platform/storage/zip.ts'
import { ARCHIVE_NAME } from './archive.ts'
import { checkArchive } from './archive-check.ts'
import { backUpWithoutServer } from './back-up-without-server.ts'

const serverUrl = process.env.TEST_DATABASE_URL
/** Kills per test. */
const KILLS = process.env.TEST_LONG ? 20 : 1
const FILES = 40

const work = mkdtempSync(join(tmpdir(), 'mira-kills-'))
let location: BackupLocation
let drop: (() => Promise<void>) | undefined
const contents = new Map<string, string>()

const open = () => openDatabase({ ...location, templateFile: templateFile(), log: silentLog })
const fileOf = (path: string) => join(location.dataDir, 'files', path)

beforeAll(async () => {
  const server = serverUrl === undefined ? undefined : await createServerDatabase(serverUrl)
  drop = server?.drop
  location = {
    dataDir: join(work, 'data'),
    databaseUrl: server?.databaseUrl,
    backupDir: join(work, 'backups'),
    archive: '',
  }
  const database = await open()
  const files = await createDiskFiles({ directory: join(location.dataDir, 'files') })
  const { id: userId } = await insertUser(database)
  for (let n = 0; n < FILES; n++) {
    const text = `Letter ${n}. `.repeat(2_000)
    const { path, sha256, sizeBytes } = await files.put(userId, Buffer.from(text))
    contents.set(path, text)
    const item = { userId, mediaType: 'document', originalFilename: `${n}.txt`, contentType: 'text/plain' }
    await database.prisma.mediaItem.create({ data: { ...item, id: newId(), path, sha256, sizeBytes } as never })
    await insertChatSession(database, userId, `conversation ${n}`)
  }
  await database.close()
  const archive = await backUpWithoutServer({ config: location, onProgress: () => {}, log: silentLog })
  // outside the folder, where it doesn't count towards the kept archives
  location.archive = join(work, 'whole.zip')
  writeFileSync(location.archive, readFileSync(archive.file))
}, 600_000)
afterAll(async () => {
  await drop?.()
  rmSync(work, { recursive: true, force: true })
})

/** Fails unless every row and every file exists, and every archive is complete. */
async function expectNothingLost(): Promise<void> {
  const database = await open()
  expect(await database.prisma.chatSession.count()).toBe(FILES)
  const items = await database.prisma.mediaItem.findMany({ select: { path: true } })
  await database.close()
  expect(items.map(({ path }) => path).sort()).toEqual([...contents.keys()].sort())
  for (const [path, text] of contents) expect(readFileSync(fileOf(path), 'utf8')).toBe(text)
  const knownMigrations = await listMigrations(MIGRATIONS_DIR)
  const names = readdirSync(location.backupDir).filter((name) => ARCHIVE_NAME.test(name))
  for (const archive of [location.archive, ...names.map((name) => join(location.backupDir, name))]) {
    const zip = await openZip(archive)
    await checkArchive(zip, { knownMigrations })
    zip.close()
  }
}

/** Kills the process `KILLS` times, at moments spread over its run. @returns the number of kills before its end. */
async function killOften(
  role: BackupRole,
  prepare: () => Promise<void> | void,
  overrides: Partial<BackupLocation> = {},
): Promise<number> {
  const { durationMs } = await runBackupProcess(role, { ...location, ...overrides })
  let killed = 0
  for (let n = 0; n < KILLS; n++) {
    await prepare()
    const { isKilled } = await runBackupProcess(
      role,
      { ...location, ...overrides },
      ((n + Math.random()) / KILLS) * durationMs,
    )
    if (isKilled) killed++
    // scrubbing is tested with damaged files, which the last pass repairs
    if (role !== 'scrub') await expectNothingLost()
  }
  return killed
}

test('a backup killed at any moment loses nothing and leaves no incomplete archive', async () => {
  const killed = await killOften('backup', () => {})
  console.info(`killed during backups: ${killed} of ${KILLS}`)
  await runBackupProcess('backup', location)
  await expectNothingLost()
}, 3_600_000)

test('scrubbing killed at any moment loses nothing, and the next pass repairs the damage', async () => {
  const [first = '', second = ''] = contents.keys()
  const damage = () => {
    writeFileSync(fileOf(first), 'damaged')
    rmSync(fileOf(second), { force: true })
  }
  const killed = await killOften('scrub', damage)
  console.info(`killed while scrubbing: ${killed} of ${KILLS}`)
  await runBackupProcess('scrub', location)
  await expectNothingLost()
}, 3_600_000)

const removeReplaced = () => {
  for (const name of readdirSync(location.dataDir)) {
    if (name.startsWith('replaced-')) rmSync(join(location.dataDir, name), { recursive: true })
  }
}

test('a restore of an encrypted archive killed at any moment leaves no decrypted copy beside it', async () => {
  const folder = mkdtempSync(join(work, 'sealed-'))
  const sealed = { archive: join(folder, 'whole.zip.sealed'), passphrase: 'a passphrase of ours' }
  await pipeline(seal(createReadStream(location.archive), sealed.passphrase, 1), createWriteStream(sealed.archive))
  const expectNoLeftovers = () => {
    removeReplaced()
    expect(readdirSync(folder)).toEqual(['whole.zip.sealed'])
    // the usual contents while nothing is restored
    const usual = ['database', 'files', 'database.lock', 'restoring', 'scratch', 'backups']
    expect(readdirSync(location.dataDir).filter((name) => !usual.includes(name))).toEqual([])
  }
  const killed = await killOften('restore', expectNoLeftovers, sealed)
  console.info(`killed during restores of an encrypted archive: ${killed} of ${KILLS}`)
  expectNoLeftovers()
}, 3_600_000)

test('a restore killed at any moment loses nothing and can be repeated', async () => {
  const killed = await killOften('restore', removeReplaced)
  console.info(`killed during restores: ${killed} of ${KILLS}`)
  await runBackupProcess('restore', location)
  await expectNothingLost()
}, 3_600_000)
