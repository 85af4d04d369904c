import { z } from 'zod'
import { codedSentenceSchema } from './sentences.ts'
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
  /** The same in machine words. */
  told: z.array(codedSentenceSchema),
  created_at: timestampSchema,
  finished_at: timestampSchema.nullable(),
})
export type Backup = z.output<typeof backupSchema>
export type BackupJson = z.input<typeof backupSchema>

/** POST /admin/backups/{id}/ticket: where a browser downloads it from, begun within a minute. */
export const backupTicketSchema = z.object({
  /** A signed path. */
  url: z.string(),
  expires_at: timestampSchema,
})
export type BackupTicket = z.output<typeof backupTicketSchema>
export type BackupTicketJson = z.input<typeof backupTicketSchema>

/** GET /admin/backups: newest first; as many as are kept. */
export const backupsAnswerSchema = z.object({
  backups: z.array(backupSchema),
  /** The folder on the server. */
  directory: z.string(),
  /** How many are kept. */
  kept: z.number().int(),
  /** Whether those that are made from now on are encrypted. */
  encrypted: z.boolean(),
  /** When the next one is made by itself; null when none is. */
  next_at: timestampSchema.nullable(),
})
export type BackupsAnswer = z.output<typeof backupsAnswerSchema>
export type BackupsAnswerJson = z.input<typeof backupsAnswerSchema>
