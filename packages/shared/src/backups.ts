import { z } from 'zod'
import { idSchema, timestampSchema } from './timestamp.ts'

/** An archive of the whole instance: one that lies in the folder of the backups, is being made, or failed. */
export const backupSchema = z.object({
  id: idSchema,
  name: z.string(),
  state: z.enum(['waiting', 'running', 'completed', 'failed']),
  /** Percent. */
  progress: z.number().int().min(0).max(100),
  size_bytes: z.number().int().nullable(),
  /** Why it failed, for a person. */
  error: z.string().nullable(),
  created_at: timestampSchema,
  finished_at: timestampSchema.nullable(),
  /** A signed path that a browser downloads it from; null until it is completed. */
  url: z.string().nullable(),
})
export type Backup = z.output<typeof backupSchema>
export type BackupJson = z.input<typeof backupSchema>

/** GET /admin/backups: newest first; as many as are kept. */
export const backupsAnswerSchema = z.object({
  backups: z.array(backupSchema),
  /** The folder on the server. */
  directory: z.string(),
  /** How many are kept. */
  kept: z.number().int(),
})
export type BackupsAnswer = z.output<typeof backupsAnswerSchema>
export type BackupsAnswerJson = z.input<typeof backupsAnswerSchema>
