import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { S3_ACCESS, startS3Server } from '../../../../test/s3-server.ts'
import { NotFoundError, RemoteStoreError } from '../../../errors.ts'
import { openFolderStore } from '../../../platform/storage/folder-store.ts'
import { openS3Store } from '../../../platform/storage/s3-store.ts'
import { writeWholeFile } from '../../../platform/storage/whole-file.ts'
import { zipOf } from '../../../platform/storage/zip.ts'
import { MANIFEST_NAME, type Manifest, storedFile } from './archive.ts'
import { checkArchive } from './archive-check.ts'
import { openRepository } from './repository.ts'

const work = mkdtempSync(join(tmpdir(), 'mira-repository-'))
afterAll(() => rmSync(work, { recursive: true, force: true }))

const firstName = 'mira-backup-20260101-000000'
const owner = randomUUID()
const pathOf = (content: string | Buffer) => {
  const sha256 = createHash('sha256').update(content).digest('hex')
  return `${owner}/${sha256.slice(0, 2)}/${sha256}`
}

/** A database-only archive that lists stored files. */
async function writeArchive(paths: string[], missing: string[]): Promise<string> {
  const manifest: Manifest = {
    ...{ format: 'mira.backup', version: 1, mira_version: '1', created_at: new Date().toISOString() },
    ...{ migrations: ['20260101000000_first'], tables: {}, files: [], damaged: [] },
    missing: missing.map(storedFile),
    elsewhere: paths.map((path) => ({ name: storedFile(path), size_bytes: 3 })),
  }
  const content = Readable.from([JSON.stringify(manifest)])
  const archive = join(work, 'snapshot.zip')
  const entry = { name: MANIFEST_NAME, modifiedAt: new Date(), isCompressible: true, content }
  await writeWholeFile(archive, zipOf(Readable.from([entry])))
  return archive
}

/** Uploads a snapshot of files; those without contents here are gone. */
async function uploadTo(
  repository: Awaited<ReturnType<typeof openRepository>>,
  paths: string[],
  contents: Map<string, string | Buffer>,
  { name = firstName, missing = [] }: { name?: string; missing?: string[] } = {},
) {
  return repository.upload({
    name,
    archive: await writeArchive(paths, missing),
    files: paths.map((path) => ({ path, sizeBytes: contents.get(path)?.length ?? 3 })),
    missing,
    openFile: async (path) => {
      const content = contents.get(path)
      if (content === undefined) throw new NotFoundError('gone')
      return { sizeBytes: content.length, stream: Readable.from([Buffer.from(content)], { objectMode: false }) }
    },
    signal: new AbortController().signal,
  })
}

test('restores a snapshot without the files that were deleted or damaged during its upload', async () => {
  const [intact, deleted, damaged] = ['one', 'two', 'six'].map(pathOf) as [string, string, string]
  const contents = new Map([
    [intact, 'one'],
    [damaged, 'bad'],
  ])
  const folder = mkdtempSync(join(work, 'place-'))
  const repository = await openRepository(await openFolderStore(folder), 'a passphrase', { isCreating: true })
  expect(await uploadTo(repository, [intact, deleted, damaged], contents)).toBe(1)

  const zip = await repository.openArchive({ folder: join(work, 'restoring') })
  const manifest = await checkArchive(zip, { knownMigrations: ['20260101000000_first'] })
  expect(manifest.files.map(({ name }) => name)).toEqual([storedFile(intact)])
  expect(manifest.missing).toEqual([deleted, damaged].map(storedFile))
  expect(await text(await zip.open(storedFile(intact)))).toBe('one')
  zip.close()
  repository.close()
})

describe('a repository in a folder', () => {
  const path = pathOf('one')
  let folder: string
  const open = async () => openRepository(await openFolderStore(folder), 'a passphrase', { isCreating: true })
  /** Replaces it with a symlink to itself, which not even root can read. */
  const makeUnreadable = (name: string) => {
    renameSync(join(folder, name), join(folder, `${name} aside`))
    symlinkSync(join(folder, name), join(folder, name))
  }
  const makeReadable = (name: string) => {
    rmSync(join(folder, name))
    renameSync(join(folder, `${name} aside`), join(folder, name))
  }
  const expectComplete = async () => {
    const repository = await open()
    expect(await repository.listSnapshots()).toHaveLength(1)
    expect(await text((await repository.openFile(path)) ?? Readable.from([]))).toBe('one')
  }
  beforeEach(async () => {
    folder = mkdtempSync(join(work, 'place-'))
    await uploadTo(await open(), [path], new Map([[path, 'one']]))
  })

  test('creates no new key when its key is missing or unreadable', async () => {
    makeUnreadable('mira-key.sealed')
    await expect(open()).rejects.toBeInstanceOf(RemoteStoreError)
    rmSync(join(folder, 'mira-key.sealed'))
    await expect(open()).rejects.toThrow('mira-key.sealed is missing')
    writeFileSync(join(folder, 'mira-key.sealed'), '')
    makeReadable('mira-key.sealed')
    await expectComplete()
  })

  test('keeps the copy just made, with its files, after the clock was set back', async () => {
    const repository = await open()
    const other = pathOf('two')
    for (const day of ['02', '03']) {
      await uploadTo(repository, [other], new Map([[other, 'two']]), { name: `mira-backup-202601${day}-000000` })
    }
    await repository.prune({ keepCount: 2, written: firstName, now: new Date() })
    expect((await repository.listSnapshots()).sort()).toEqual([firstName, 'mira-backup-20260103-000000'])
    expect(await text((await repository.openFile(path)) ?? Readable.from([]))).toBe('one')
  })

  test('copies dated in the future replace no newer ones and aren’t restored as the newest', async () => {
    const repository = await open()
    const nameOf = (day: number) => `mira-backup-2026010${day}-000000`
    const ahead = ['mira-backup-20990101-000000', 'mira-backup-20990102-000000']
    for (const name of [...ahead, nameOf(2), nameOf(3)]) {
      await uploadTo(repository, [path], new Map(), { name })
      if (!ahead.includes(name)) await repository.prune({ keepCount: 3, written: name, now: new Date() })
    }
    expect((await repository.listSnapshots()).sort()).toEqual([firstName, nameOf(2), nameOf(3)])
    await uploadTo(repository, [path], new Map(), { name: 'mira-backup-20990103-000000' })
    const warnings: string[] = []
    const openAt = async (now: string) => {
      const onWarning = (sentence: string) => warnings.push(sentence)
      const zip = await repository.openArchive({ folder: join(work, 'restoring'), now: new Date(now), onWarning })
      zip.close()
    }
    await openAt('2026-01-04')
    expect(warnings).toEqual([
      expect.stringMatching(/20990103-000000\. The clock was wrong.*Restoring mira-backup-20260103-000000;/),
    ])
    await openAt('2099-02-01')
    // the clock of this machine is slightly behind
    await openAt('2099-01-02T23:58:00Z')
    expect(warnings).toHaveLength(1)
  })

  test('restores a copy with files that it lacked but an earlier copy had', async () => {
    const repository = await open()
    const [lost, other] = ['lost', 'two'].map(pathOf) as [string, string]
    const name = 'mira-backup-20260102-000000'
    await uploadTo(repository, [other], new Map([[other, 'two']]), { name, missing: [path, lost] })
    await repository.prune({ keepCount: 1, written: name, now: new Date() })
    const zip = await repository.openArchive({ folder: join(work, 'restoring') })
    const manifest = await checkArchive(zip, { knownMigrations: ['20260101000000_first'] })
    expect(manifest.files.map(({ name }) => name)).toEqual([other, path].map(storedFile))
    expect(manifest.missing).toEqual([storedFile(lost)])
    expect(await text(await zip.open(storedFile(path)))).toBe('one')
    zip.close()
  })

  test('keeps all files when the snapshots can’t be listed', async () => {
    const repository = await open()
    makeUnreadable('snapshots')
    await expect(repository.prune({ keepCount: 7, written: firstName, now: new Date() })).rejects.toBeInstanceOf(
      RemoteStoreError,
    )
    rmSync(join(folder, 'snapshots'))
    await repository.prune({ keepCount: 7, written: firstName, now: new Date() })
    writeFileSync(join(folder, 'snapshots'), '')
    makeReadable('snapshots')
    await expectComplete()
  })
})

test('a download resumes after its connection breaks', async () => {
  const s3 = await startS3Server()
  const content = randomBytes(300_000)
  const path = pathOf(content)
  const options = {
    ...{ bucket: 'backups', prefix: '', endpoint: s3.endpoint, region: 'us-east-1' },
    variables: { endpoint: 'E', accessKeyId: 'A', secretAccessKey: 'S' },
  }
  const store = await openS3Store({ ...options, credentials: S3_ACCESS })
  const repository = await openRepository(store, 'a passphrase', { isCreating: true })
  await uploadTo(repository, [path], new Map([[path, content]]))
  s3.breaksAfterBytes = 100_000
  expect((await buffer((await repository.openFile(path)) ?? Readable.from([]))).equals(content)).toBe(true)
  expect(s3.breaksAfterBytes).toBeUndefined()
  repository.close()
  await s3.close()
})
