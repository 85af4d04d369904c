import type { BackupReason } from '@mira/shared'
import { z } from 'zod'
import type { ArchivedTable } from '../../../platform/database/load-snapshot.ts'
import type { OpenedZip } from '../../../platform/storage/zip.ts'

/** File name of an archive. Names sort by time; `-update` marks an archive written before an update. */
export const ARCHIVE_NAME = /^mira-backup-\d{8}-\d{6}(-update)?\.zip(\.sealed)?$/

export const isUpdateArchive = (name: string): boolean => name.includes('-update.')

export function archiveName(now: Date, { isSealed, reason }: { isSealed: boolean; reason?: BackupReason }): string {
  const time = now.toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-')
  return `mira-backup-${time}${reason === 'update' ? '-update' : ''}.zip${isSealed ? '.sealed' : ''}`
}

/**
 * Compares names of archives, newest first. Archives dated in the future, by a wrong clock, come last: their age is unknown.
 * @param now name of an archive written now.
 */
export const newestFirst =
  (now: string) =>
  (a: string, b: string): number =>
    Number(a > now) - Number(b > now) || (a < b ? 1 : -1)

const sha256Schema = z.string().regex(/^[0-9a-f]{64}$/)

/** Contents of manifest.json, the last file of an archive. */
export const manifestSchema = z.object({
  format: z.literal('mira.backup'),
  version: z.literal(1),
  mira_version: z.string(),
  created_at: z.iso.datetime(),
  migrations: z.array(z.string().regex(/^\d{14}_\w+$/)).min(1),
  /** Number of rows by table. */
  tables: z.record(z.string().regex(/^[a-z_0-9]+$/), z.number().int().min(0)),
  files: z.array(z.object({ name: z.string(), size_bytes: z.number().int().min(0), sha256: sha256Schema })),
  /** Stored files that rows refer to but that didn't exist. */
  missing: z.array(z.string()),
  /** Stored files whose content didn't match its hash. */
  damaged: z.array(z.string()),
  /** Stored files that rows refer to, in an archive of the database alone; undefined for a full archive. */
  elsewhere: z.array(z.object({ name: z.string(), size_bytes: z.number().int().min(0) })).optional(),
})
export type Manifest = z.infer<typeof manifestSchema>

export const MANIFEST_NAME = 'manifest.json'
const TABLES_FOLDER = 'database/'
const FILES_FOLDER = 'files/'

export const tableFile = (table: string): string => `${TABLES_FOLDER}${table}.jsonl`
export const storedFile = (path: string): string => `${FILES_FOLDER}${path}`

/** Path in the file store of an archive's entry; null when the entry isn't a stored file. */
export function storedPath(name: string): string | null {
  const [, path] =
    /^files\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\/([0-9a-f]{2})\/\2[0-9a-f]{62})$/.exec(name) ?? []
  return path ?? null
}

const MAX_BATCH_ROWS = 500
const MAX_BATCH_CHARACTERS = 2 * 1024 * 1024

/** The tables of an archive, read one after the other; `onRows` receives the number of rows read. */
export function archivedTables(zip: OpenedZip, manifest: Manifest, onRows: (count: number) => void): ArchivedTable[] {
  return Object.keys(manifest.tables).map((name) => ({
    name,
    async *pieces() {
      for await (const rows of linesOf(zip, tableFile(name))) {
        yield rows
        onRows(rows.length)
      }
    },
  }))
}

async function* linesOf(zip: OpenedZip, name: string): AsyncGenerator<string[]> {
  let rows: string[] = []
  let characters = 0
  let incompleteLine = ''
  // Readline would also split at other line separators, which rows may contain.
  for await (const piece of (await zip.open(name)).setEncoding('utf8')) {
    const lines = `${incompleteLine}${piece}`.split('\n')
    incompleteLine = lines.pop() ?? ''
    for (const line of lines) {
      rows.push(line)
      characters += line.length
      if (rows.length < MAX_BATCH_ROWS && characters < MAX_BATCH_CHARACTERS) continue
      yield rows
      rows = []
      characters = 0
    }
  }
  if (rows.length > 0) yield rows
}
