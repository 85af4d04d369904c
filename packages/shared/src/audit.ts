import { z } from 'zod'
import { timestampSchema } from './timestamp.ts'

/** One line of the audit log: who did what to whom, from where. Names are as they were then. */
export const auditEntrySchema = z.object({
  id: z.uuid(),
  created_at: timestampSchema,
  /** Null for somebody who was not signed in, or for the server's own command line. */
  actor_id: z.uuid().nullable(),
  actor_name: z.string().nullable(),
  /** IP address of the request; null for the command line. */
  address: z.string().nullable(),
  /** By what they were let in. */
  via: z.enum(['session', 'token', 'signed', 'none', 'command']),
  /** One of `auditActions`, or method and path of a route that has no word of its own. */
  action: z.string(),
  outcome: z.enum(['done', 'begun', 'failed']),
  subject_id: z.string().nullable(),
  subject_name: z.string().nullable(),
  /** Additional data, such as names of changed fields; never a secret. */
  detail: z.record(z.string(), z.unknown()),
})
export type AuditEntry = z.output<typeof auditEntrySchema>
export type AuditEntryJson = z.input<typeof auditEntrySchema>

/** Filters of the audit log, combined with AND. */
export const auditFiltersSchema = z.object({
  /** Looked for in names, addresses and actions. */
  query: z.string().trim().max(200).optional(),
  action: z.string().trim().max(100).optional(),
  outcome: auditEntrySchema.shape.outcome.optional(),
  from: timestampSchema.optional(),
  to: timestampSchema.optional(),
})
export type AuditFilters = z.output<typeof auditFiltersSchema>

/** GET /admin/audit: newest first. */
export const auditQuerySchema = auditFiltersSchema.extend({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().max(500).optional(),
})
export const auditResponseSchema = z.object({
  entries: z.array(auditEntrySchema),
  next_cursor: z.string().nullable(),
})
export type AuditResponse = z.output<typeof auditResponseSchema>
export type AuditResponseJson = z.input<typeof auditResponseSchema>
