import { z } from 'zod'
import { idSchema } from './ids-and-pages.ts'
import { codedSentenceSchema } from './sentences.ts'
import { offsiteAddressSchema } from './settings.ts'
import { timestampSchema } from './timestamp.ts'

export const backupReasons = ['manual', 'schedule', 'update'] as const
export type BackupReason = (typeof backupReasons)[number]

/** An archive of the whole instance: stored in the backup folder, in progress, or failed. */
export const backupSchema = z.object({
  id: idSchema,
  name: z.string(),
  state: z.enum(['waiting', 'running', 'completed', 'failed']),
  /** Progress in percent. */
  progress: z.number().int().min(0).max(100),
  size_bytes: z.number().int().nullable(),
  /** Number of stored files that were missing or damaged when they were backed up. */
  problems: z.number().int(),
  /** Reason for the failure, shown to the user. */
  error: z.string().nullable(),
  /** `error` as codes with parameters, for translation. */
  told: z.array(codedSentenceSchema),
  created_at: timestampSchema,
  finished_at: timestampSchema.nullable(),
  /** Reason for the backup. `update`: made before a newer version changed the database; it contains only the database. */
  reason: z.enum(backupReasons),
  /** Time of the last successful trial restore; null before the first. */
  proven_at: timestampSchema.nullable(),
  /** The last failed trial restore; null when there was none, or one has succeeded since. */
  unproven: z.object({ at: timestampSchema, reason: z.string(), told: z.array(codedSentenceSchema) }).nullable(),
})
export type Backup = z.output<typeof backupSchema>
export type BackupJson = z.input<typeof backupSchema>

/** POST /admin/backups/{id}/ticket: download link for a browser; the download must start within a minute. */
export const backupTicketSchema = z.object({
  /** A signed path. */
  url: z.string(),
  expires_at: timestampSchema,
})
export type BackupTicket = z.output<typeof backupTicketSchema>

/** State of the checks that compare stored files with their hashes. */
export const fileScrubbingSchema = z.object({
  /** Number of files that are damaged or missing and could not be repaired from a backup. */
  damaged: z.number().int(),
  /** Number of damaged or missing files that were replaced by a backup's copy. */
  repaired: z.number().int(),
  /** Number of stored files that nothing refers to, counted at the end of the last pass. */
  unknown: z.number().int(),
  /** Number of files checked in this pass. */
  checked: z.number().int(),
  pass_started_at: timestampSchema.nullable(),
  pass_finished: z.boolean(),
})
export type FileScrubbing = z.output<typeof fileScrubbingSchema>

/** State of the encrypted off-site copies. */
export const offsiteStateSchema = z.object({
  /** `s3://bucket/prefix` or a folder. */
  address: z.string(),
  last_at: timestampSchema.nullable(),
  failed: z.object({ at: timestampSchema, reason: z.string(), told: z.array(codedSentenceSchema) }).nullable(),
})
export type OffsiteState = z.output<typeof offsiteStateSchema>

/** POST /admin/backups/offsite/test: opens an address in the same way as the next copy. */
export const offsiteTestSchema = z.strictObject({ address: offsiteAddressSchema })
export const offsiteTestResponseSchema = z.object({
  ok: z.boolean(),
  /** Reason shown to the user, in English; empty on success. */
  detail: z.string(),
  /** Number of backups already at this address. */
  snapshots: z.number().int(),
})
export type OffsiteTestResponse = z.output<typeof offsiteTestResponseSchema>

/** GET /admin/backups: newest first. */
export const backupsResponseSchema = z.object({
  backups: z.array(backupSchema),
  /** Folder on the server. */
  directory: z.string(),
  /** Number of backups to keep. */
  kept: z.number().int(),
  /** True when new backups are encrypted. */
  encrypted: z.boolean(),
  /** Time of the next scheduled backup; null when none is scheduled. */
  next_at: timestampSchema.nullable(),
  /** Time at which a trial restore of any backup last succeeded. */
  last_proven_at: timestampSchema.nullable(),
  files: fileScrubbingSchema,
  /** State of the off-site copies; null when they're turned off. */
  offsite: offsiteStateSchema.nullable(),
})
export type BackupsResponse = z.output<typeof backupsResponseSchema>
export type BackupsResponseJson = z.input<typeof backupsResponseSchema>
