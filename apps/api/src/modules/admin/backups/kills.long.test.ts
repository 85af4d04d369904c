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
import { type BackupPlace, type BackupRole, runBackupProcess } from '../../../../test/backup-process.ts'
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
import { backUpAlone } from './back-up-alone.ts'

const serverUrl = process.env.TEST_DATABASE_URL
/** Kills of each of the three roles. */
const KILLS = process.env.TEST_LONG ? 20 : 1
const FILES = 40

const work = mkdtempSync(join(tmpdir(), 'mira-kills-'))
let place: BackupPlace
let drop: (() => Promise<void>) | undefined
const contents = new Map<string, string>()

const open = () => openDatabase({ ...place, templateFile: templateFile(), log: silentLog })
const fileOf = (path: string) => join(place.dataDir, 'files', path)

beforeAll(async () => {
  const server = serverUrl === undefined ? undefined : await createServerDatabase(serverUrl)
  drop = server?.drop
  place = {
    dataDir: join(work, 'data'),
    databaseUrl: server?.databaseUrl,
    backupDir: join(work, 'backups'),
    archive: '',
  }
  const database = await open()
  const files = await createDiskFiles({ directory: join(place.dataDir, 'files') })
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
  const archive = await backUpAlone({ config: place, onProgress: () => {}, log: silentLog })
  // outside of the folder, where it is not one of those that are kept
  place.archive = join(work, 'whole.zip')
  writeFileSync(place.archive, readFileSync(archive.file))
}, 600_000)
afterAll(async () => {
  await drop?.()
  rmSync(work, { recursive: true, force: true })
})

/** Fails unless every row and every file is there, and every archive is whole. */
async function expectNothingLost(): Promise<void> {
  const database = await open()
  expect(await database.prisma.chatSession.count()).toBe(FILES)
  const items = await database.prisma.mediaItem.findMany({ select: { path: true } })
  await database.close()
  expect(items.map(({ path }) => path).sort()).toEqual([...contents.keys()].sort())
  for (const [path, text] of contents) expect(readFileSync(fileOf(path), 'utf8')).toBe(text)
  const knownMigrations = await listMigrations(MIGRATIONS_DIR)
  const names = readdirSync(place.backupDir).filter((name) => ARCHIVE_NAME.test(name))
  for (const archive of [place.archive, ...names.map((name) => join(place.backupDir, name))]) {
    const zip = await openZip(archive)
    await checkArchive(zip, { knownMigrations })
    zip.close()
  }
}

/** Kills it at any moment of its run, `KILLS` times. */
async function killOften(
  role: BackupRole,
  between: () => Promise<void> | void,
  changed: Partial<BackupPlace> = {},
): Promise<number> {
  const { durationMs } = await runBackupProcess(role, { ...place, ...changed })
  let killed = 0
  for (let n = 0; n < KILLS; n++) {
    await between()
    const { isKilled } = await runBackupProcess(
      role,
      { ...place, ...changed },
      ((n + Math.random()) / KILLS) * durationMs,
    )
    if (isKilled) killed++
    // re-reading is tested with damaged files, which are repaired in the end
    if (role !== 'scrub') await expectNothingLost()
  }
  return killed
}

test('a backup that is killed at any moment loses nothing, and leaves no archive that is not whole', async () => {
  const killed = await killOften('backup', () => {})
  console.info(`killed during backups: ${killed} of ${KILLS}`)
  await runBackupProcess('backup', place)
  await expectNothingLost()
}, 3_600_000)

test('re-reading files that is killed at any moment loses nothing, and the next one repairs what is damaged', async () => {
  const [first = '', second = ''] = contents.keys()
  const damage = () => {
    writeFileSync(fileOf(first), 'damaged')
    rmSync(fileOf(second), { force: true })
  }
  const killed = await killOften('scrub', damage)
  console.info(`killed while re-reading: ${killed} of ${KILLS}`)
  await runBackupProcess('scrub', place)
  await expectNothingLost()
}, 3_600_000)

const removeReplaced = () => {
  for (const name of readdirSync(place.dataDir)) {
    if (name.startsWith('replaced-')) rmSync(join(place.dataDir, name), { recursive: true })
  }
}

test('a restore of an encrypted archive that is killed at any moment leaves nothing of it beside it', async () => {
  const folder = mkdtempSync(join(work, 'sealed-'))
  const sealed = { archive: join(folder, 'whole.zip.sealed'), passphrase: 'a passphrase of ours' }
  await pipeline(seal(createReadStream(place.archive), sealed.passphrase, 1), createWriteStream(sealed.archive))
  const between = () => {
    removeReplaced()
    expect(readdirSync(folder)).toEqual(['whole.zip.sealed'])
    // what is there while nobody restores
    const usual = ['database', 'files', 'database.lock', 'restoring', 'scratch', 'backups']
    expect(readdirSync(place.dataDir).filter((name) => !usual.includes(name))).toEqual([])
  }
  const killed = await killOften('restore', between, sealed)
  console.info(`killed during restores of an encrypted archive: ${killed} of ${KILLS}`)
  between()
}, 3_600_000)

test('a restore that is killed at any moment loses nothing, and can be made again', async () => {
  const killed = await killOften('restore', removeReplaced)
  console.info(`killed during restores: ${killed} of ${KILLS}`)
  await runBackupProcess('restore', place)
  await expectNothingLost()
}, 3_600_000)
