import { VERSION } from '../../../config.ts'
import { NotFoundError, UnavailableError } from '../../../errors.ts'
import type { Snapshot, SnapshotTable } from '../../../platform/database/snapshot.ts'
import { hashing } from '../../../platform/lib/hashing.ts'
import { openUntilBadSector } from '../../../platform/storage/bad-sectors.ts'
import type { Files } from '../../../platform/storage/files.ts'
import { seal } from '../../../platform/storage/sealed.ts'
import { writeWholeFile } from '../../../platform/storage/whole-file.ts'
import { type ZipEntry, zipOf } from '../../../platform/storage/zip.ts'
import { MANIFEST_NAME, type Manifest, storedFile, tableFile } from './archive.ts'

/** Result of writing an archive. */
export interface WrittenArchive {
  sizeBytes: number
  /** Number of stored files that the archive contains. */
  fileCount: number
  /** Stored files that rows refer to but that didn't exist. */
  missing: string[]
  /** Stored files that were already damaged when they were copied into the archive. */
  damaged: string[]
  /** Stored files that a database-only archive lists without containing them; empty for a full archive. */
  elsewhere: { name: string; size_bytes: number }[]
}

export type ArchiveWriter = ReturnType<typeof createArchiveWriter>

/** Writes archives of the instance as it is at one moment: first a snapshot of the rows, then the stored files, which never change. */
export function createArchiveWriter({
  openSnapshot,
  files,
  passphrase,
}: {
  /** Waits while another snapshot is open. */
  openSnapshot(signal?: AbortSignal): Promise<Snapshot>
  files: Files
  /** Encrypts the archives; undefined for plain ones. */
  passphrase: string | undefined
}) {
  return {
    /**
     * Writes an archive to a file.
     * @param options.onProgress receives percents from 0 to 99.
     * @param options.isDatabaseOnly lists the stored files instead of copying them.
     * @param options.isStoreOptional lists the stored files with a size of 0 if their store is unavailable.
     * @throws StorageFullError when there is no room.
     */
    async write(
      filename: string,
      options: {
        onProgress?: (percent: number) => void
        signal?: AbortSignal
        isDatabaseOnly?: boolean
        isStoreOptional?: boolean
      } = {},
    ): Promise<WrittenArchive> {
      const snapshot = await openSnapshot(options.signal)
      const manifest: Manifest = {
        format: 'mira.backup',
        version: 1,
        mira_version: VERSION,
        created_at: new Date().toISOString(),
        migrations: snapshot.migrations,
        tables: {},
        files: [],
        missing: [],
        damaged: [],
        ...(options.isDatabaseOnly ? { elsewhere: [] } : {}),
      }
      let isClosed = false
      const closeSnapshot = async () => {
        if (isClosed) return
        isClosed = true
        await snapshot.close()
      }
      try {
        const storedBytes = options.isDatabaseOnly ? 0 : (await files.usage()).sizeBytes
        const tableBytes = snapshot.tables.reduce((sum, table) => sum + table.sizeBytes, 0)
        const progress = progressOf(storedBytes + tableBytes, options.onProgress)
        const entries = entriesOf(snapshot, manifest, { ...options, progress, closeSnapshot })
        const zip = passphrase === undefined ? zipOf(entries) : seal(zipOf(entries), passphrase)
        const sizeBytes = await writeWholeFile(filename, zip, options.signal)
        const fileCount = manifest.files.length - snapshot.tables.length
        const { missing, damaged, elsewhere = [] } = manifest
        return { sizeBytes, fileCount, missing, damaged, elsewhere }
      } finally {
        await closeSnapshot()
      }
    },
  }

  /** Sizes of the stored files by path; null if their store is optional and unavailable. */
  async function sizesOfFiles(options: {
    signal: AbortSignal | undefined
    isStoreOptional: boolean
  }): Promise<Map<string, number> | null> {
    const sizes = new Map<string, number>()
    try {
      for await (const { path, sizeBytes } of files.list()) {
        options.signal?.throwIfAborted()
        sizes.set(path, sizeBytes)
      }
    } catch (error) {
      if (options.isStoreOptional && error instanceof UnavailableError) return null
      throw error
    }
    return sizes
  }

  async function* entriesOf(
    snapshot: Snapshot,
    manifest: Manifest,
    options: {
      progress(bytes: number): void
      closeSnapshot(): Promise<void>
      signal?: AbortSignal
      isStoreOptional?: boolean
    },
  ): AsyncGenerator<ZipEntry> {
    const { progress, closeSnapshot, signal, isStoreOptional = false } = options
    const modifiedAt = new Date(manifest.created_at)
    const addedToManifest = (name: string, content: AsyncIterable<Uint8Array | string>) =>
      hashing(content, ({ sizeBytes, sha256 }) => manifest.files.push({ name, size_bytes: sizeBytes, sha256 }))
    for (const table of snapshot.tables) {
      const name = tableFile(table.name)
      const content = addedToManifest(name, linesOf(table, manifest, progress))
      yield { name, modifiedAt, content, isCompressible: true }
    }
    const paths = await snapshot.listFiles()
    await closeSnapshot()
    const sizes = manifest.elsewhere === undefined ? null : await sizesOfFiles({ signal, isStoreOptional })
    for (const path of paths) {
      const name = storedFile(path)
      if (manifest.elsewhere !== undefined) {
        const sizeBytes = sizes === null ? 0 : sizes.get(path)
        if (sizeBytes === undefined) manifest.missing.push(name)
        else manifest.elsewhere.push({ name, size_bytes: sizeBytes })
        continue
      }
      const file = await openUntilBadSector(files, path).catch(nullIfNotFound)
      if (file === null) {
        manifest.missing.push(name)
        continue
      }
      yield { name, modifiedAt, content: addedToManifest(name, file.stream), isCompressible: false }
      if (!path.endsWith(`/${manifest.files.at(-1)?.sha256}`)) manifest.damaged.push(name)
      progress(file.sizeBytes)
    }
    yield { name: MANIFEST_NAME, modifiedAt, content: manifestText(manifest), isCompressible: true }
  }
}

/** Returns null for a file deleted during the backup, which the archive then lists as missing; rethrows other errors. */
function nullIfNotFound(error: unknown): null {
  if (error instanceof NotFoundError) return null
  throw error
}

async function* linesOf(table: SnapshotTable, manifest: Manifest, progress: (bytes: number) => void) {
  let count = 0
  let writtenBytes = 0
  for await (const rows of table.pieces()) {
    const text = `${rows.join('\n')}\n`
    yield text
    count += rows.length
    // Progress is measured in bytes of the database. Rows are larger or smaller as text, so their sum is capped at the table's size.
    const bytes = Math.min(text.length, table.sizeBytes - writtenBytes)
    writtenBytes += bytes
    progress(bytes)
  }
  progress(table.sizeBytes - writtenBytes)
  manifest.tables[table.name] = count
}

/** Text of the manifest, one line per file. Yielded in chunks, since all of it may exceed the maximum length of a string. */
async function* manifestText({ files, ...rest }: Manifest) {
  yield `${JSON.stringify(rest).slice(0, -1)},"files":[`
  for (const [index, file] of files.entries()) yield `${index === 0 ? '\n' : ',\n'}${JSON.stringify(file)}`
  yield '\n]}\n'
}

/** Returns a function that adds up bytes and reports the percentage each time it increases. */
function progressOf(totalBytes: number, report: (percent: number) => void = () => {}) {
  let doneBytes = 0
  let reported = -1
  return (bytes: number) => {
    doneBytes += bytes
    const percent = Math.min(99, Math.floor((100 * doneBytes) / Math.max(totalBytes, 1)))
    if (percent > reported) report(percent)
    reported = Math.max(reported, percent)
  }
}
