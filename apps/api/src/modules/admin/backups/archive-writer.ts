import { stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { ConflictError, NotFoundError } from '../../../errors.ts'
import type { Snapshot, SnapshotTable } from '../../../platform/database/snapshot.ts'
import { hashing } from '../../../platform/lib/hashing.ts'
import type { Files } from '../../../platform/storage/files.ts'
import type { ZipEntry } from '../../../platform/storage/zip.ts'
import { MANIFEST_NAME, type Manifest, storedFile, tableFile } from './archive.ts'

export interface ArchiveWriterDeps {
  /** Undefined while another process reads one. */
  openSnapshot(): Promise<Snapshot | undefined>
  files: Pick<Files, 'open' | 'usage' | 'useLocal'>
  zipOf(entries: AsyncIterable<ZipEntry>): Readable
  /** Writes a file whole or not at all, and returns its size. */
  writeWholeFile(filename: string, content: Readable, signal?: AbortSignal): Promise<number>
  version: string
}

/** Result of writing an archive. */
export interface WrittenArchive {
  sizeBytes: number
  /** Stored files that are in it, and that were lost or damaged before. */
  fileCount: number
  missing: string[]
  damaged: string[]
  /** Stored files that a database-only archive names. */
  elsewhere: { name: string; size_bytes: number }[]
}

export type ArchiveWriter = ReturnType<typeof createArchiveWriter>

/** Writes everything of an instance as it is at one moment: rows first, then stored files, which never change. */
export function createArchiveWriter({ openSnapshot, files, zipOf, writeWholeFile, version }: ArchiveWriterDeps) {
  const sizeOf = (path: string) =>
    files.useLocal(path, async (filename) => (await stat(filename)).size).catch((error: unknown) => ifGone(error))

  return {
    /**
     * @param options.onProgress is told percents from 0 to 99.
     * @param options.isDatabaseOnly names the stored files instead of copying them.
     * @throws ConflictError while another process makes a backup; StorageFullError when there is no room.
     */
    async write(
      filename: string,
      options: { onProgress?: (percent: number) => void; signal?: AbortSignal; isDatabaseOnly?: boolean } = {},
    ): Promise<WrittenArchive> {
      const snapshot = await openSnapshot()
      if (snapshot === undefined) throw new ConflictError('A backup is being made already.', { code: 'backup_running' })
      const manifest: Manifest = {
        format: 'mira.backup',
        version: 1,
        mira_version: version,
        created_at: new Date().toISOString(),
        migrations: snapshot.migrations,
        tables: {},
        files: [],
        missing: [],
        damaged: [],
        ...(options.isDatabaseOnly ? { elsewhere: [] } : {}),
      }
      let isClosed = false
      const letGo = async () => {
        if (isClosed) return
        isClosed = true
        await snapshot.close()
      }
      try {
        const storedBytes = options.isDatabaseOnly ? 0 : (await files.usage()).sizeBytes
        const tableBytes = snapshot.tables.reduce((sum, table) => sum + table.sizeBytes, 0)
        const progress = progressOf(storedBytes + tableBytes, options.onProgress)
        const entries = entriesOf(snapshot, manifest, progress, letGo)
        const sizeBytes = await writeWholeFile(filename, zipOf(entries), options.signal)
        const fileCount = manifest.files.length - snapshot.tables.length
        const { missing, damaged, elsewhere = [] } = manifest
        return { sizeBytes, fileCount, missing, damaged, elsewhere }
      } finally {
        await letGo()
      }
    },
  }

  async function* entriesOf(
    snapshot: Snapshot,
    manifest: Manifest,
    progress: (bytes: number) => void,
    letGo: () => Promise<void>,
  ): AsyncGenerator<ZipEntry> {
    const modifiedAt = new Date(manifest.created_at)
    const listed = (name: string, content: AsyncIterable<Uint8Array | string>) =>
      hashing(content, ({ sizeBytes, sha256 }) => manifest.files.push({ name, size_bytes: sizeBytes, sha256 }))
    for (const table of snapshot.tables) {
      const name = tableFile(table.name)
      const content = listed(name, linesOf(table, manifest, progress))
      yield { name, modifiedAt, content, isCompressible: true }
    }
    const paths = await snapshot.listFiles()
    await letGo()
    for (const path of paths) {
      const name = storedFile(path)
      if (manifest.elsewhere !== undefined) {
        const sizeBytes = await sizeOf(path)
        if (sizeBytes === null) manifest.missing.push(name)
        else manifest.elsewhere.push({ name, size_bytes: sizeBytes })
        continue
      }
      const file = await files.open(path).catch(ifGone)
      if (file === null) {
        manifest.missing.push(name)
        continue
      }
      yield { name, modifiedAt, content: listed(name, file.stream), isCompressible: false }
      if (!path.endsWith(`/${manifest.files.at(-1)?.sha256}`)) manifest.damaged.push(name)
      progress(file.sizeBytes)
    }
    yield { name: MANIFEST_NAME, modifiedAt, content: manifestText(manifest), isCompressible: true }
  }
}

/** Ignores files deleted during the backup: the archive lists but doesn't contain them. */
function ifGone(error: unknown): null {
  if (error instanceof NotFoundError) return null
  throw error
}

async function* linesOf(table: SnapshotTable, manifest: Manifest, progress: (bytes: number) => void) {
  let count = 0
  let written = 0
  for await (const rows of table.pieces()) {
    const text = `${rows.join('\n')}\n`
    yield text
    count += rows.length
    // as text, rows are longer or shorter than in the database
    const bytes = Math.min(text.length, table.sizeBytes - written)
    written += bytes
    progress(bytes)
  }
  progress(table.sizeBytes - written)
  manifest.tables[table.name] = count
}

/** The manifest, a line for each file: it may be longer than the longest string. */
async function* manifestText({ files, ...rest }: Manifest) {
  yield `${JSON.stringify(rest).slice(0, -1)},"files":[`
  for (const [at, file] of files.entries()) yield `${at === 0 ? '\n' : ',\n'}${JSON.stringify(file)}`
  yield '\n]}\n'
}

/** Counts bytes, and tells the percent whenever it is another one. */
function progressOf(totalBytes: number, tell: (percent: number) => void = () => {}) {
  let done = 0
  let told = -1
  return (bytes: number) => {
    done += bytes
    const percent = Math.min(99, Math.floor((100 * done) / Math.max(totalBytes, 1)))
    if (percent > told) tell(percent)
    told = Math.max(told, percent)
  }
}
