import { createHash, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterAll, expect, test } from 'vitest'
import { NotFoundError } from '../../../errors.ts'
import { openFolderStore } from '../../../platform/storage/folder-store.ts'
import { writeWholeFile } from '../../../platform/storage/whole-file.ts'
import { zipOf } from '../../../platform/storage/zip.ts'
import { MANIFEST_NAME, type Manifest, storedFile } from './archive.ts'
import { checkArchive } from './archive-check.ts'
import { openRepository } from './repository.ts'

const work = mkdtempSync(join(tmpdir(), 'mira-repository-'))
afterAll(() => rmSync(work, { recursive: true, force: true }))

const owner = randomUUID()
const pathOf = (content: string) => {
  const sha256 = createHash('sha256').update(content).digest('hex')
  return `${owner}/${sha256.slice(0, 2)}/${sha256}`
}

/** A database-only archive that names files. */
async function writeArchive(paths: string[]): Promise<string> {
  const manifest: Manifest = {
    ...{ format: 'mira.backup', version: 1, mira_version: '1', created_at: new Date().toISOString() },
    ...{ migrations: ['20260101000000_first'], tables: {}, files: [], missing: [], damaged: [] },
    elsewhere: paths.map((path) => ({ name: storedFile(path), size_bytes: 3 })),
  }
  const content = Readable.from([JSON.stringify(manifest)])
  const archive = join(work, 'snapshot.zip')
  const entry = { name: MANIFEST_NAME, modifiedAt: new Date(), isCompressible: true, content }
  await writeWholeFile(archive, zipOf(Readable.from([entry])))
  return archive
}

test('a snapshot is restored without the files that were deleted or damaged when it was uploaded', async () => {
  const [whole, deleted, damaged] = ['one', 'two', 'six'].map(pathOf) as [string, string, string]
  const contents = new Map([
    [whole, 'one'],
    [damaged, 'bad'],
  ])
  const repository = await openRepository(await openFolderStore(work), 'a passphrase', { isCreating: true })
  const paths = [whole, deleted, damaged]
  const added = await repository.upload({
    name: 'mira-backup-20260101-000000',
    archive: await writeArchive(paths),
    files: paths.map((path) => ({ path, sizeBytes: 3 })),
    openFile: async (path) => {
      const content = contents.get(path)
      if (content === undefined) throw new NotFoundError('gone')
      return { sizeBytes: content.length, stream: Readable.from([Buffer.from(content)], { objectMode: false }) }
    },
    signal: new AbortController().signal,
  })
  expect(added).toBe(1)

  const zip = await repository.openArchive({ folder: join(work, 'restoring') })
  const manifest = await checkArchive(zip, { knownMigrations: ['20260101000000_first'] })
  expect(manifest.files.map(({ name }) => name)).toEqual([storedFile(whole)])
  expect(manifest.missing).toEqual([deleted, damaged].map(storedFile))
  expect(await text(await zip.open(storedFile(whole)))).toBe('one')
  zip.close()
  repository.close()
})
