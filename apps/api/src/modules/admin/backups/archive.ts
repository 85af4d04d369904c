import { z } from 'zod'

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
  /** Stored files that rows name and that were not there. */
  missing: z.array(z.string()),
  /** Stored files whose content was not what it was when they were stored. */
  damaged: z.array(z.string()),
  /** Present when the archive holds the database alone: the stored files its rows name. */
  elsewhere: z.array(z.object({ name: z.string(), size_bytes: z.number().int().min(0) })).optional(),
})
export type Manifest = z.infer<typeof manifestSchema>

export const MANIFEST_NAME = 'manifest.json'
const TABLES_FOLDER = 'database/'
const FILES_FOLDER = 'files/'

export const tableFile = (table: string): string => `${TABLES_FOLDER}${table}.jsonl`
export const storedFile = (path: string): string => `${FILES_FOLDER}${path}`

/** Store path for a name in an archive; null for a name that the store can't have produced. */
export function storedPath(name: string): string | null {
  const [, path] =
    /^files\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\/([0-9a-f]{2})\/\2[0-9a-f]{62})$/.exec(name) ?? []
  return path ?? null
}
