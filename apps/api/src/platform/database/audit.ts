import type { AuditAction, AuditEntry } from '@mira/shared'
import type { Prisma, PrismaClient } from './generated/client.ts'
import { newId } from './new-id.ts'

/** A line of the audit log: an administrator's action or a sign-in attempt. */
export interface AuditRecord {
  /** Method and path stand for what an API token was refused, where the route has no word. */
  action: AuditAction | `${string} /${string}`
  /** Null for somebody who is not signed in. */
  actorId: string | null
  address: string | null
  via: AuditEntry['via']
  /** `begun` where the line is written before the act, so that no act is without one. */
  outcome?: AuditEntry['outcome']
  /** The account, or the id of what it was done to. */
  subjectId?: string | null
  /** Username of the account that it was tried with; nothing of it is kept when nobody has it. */
  account?: string
  /** Name of a subject that isn't an account or is deleted by then. */
  subjectName?: string | null
  /** Names of changed fields and the like: never a secret, and nothing that a person wrote. */
  detail?: Record<string, unknown>
}

/**
 * Appends to the audit log, in the transaction that does what it tells of. Names of accounts are read there, as they are
 * now: the line outlives both.
 */
export async function recordAudit(client: PrismaClient | Prisma.TransactionClient, record: AuditRecord): Promise<void> {
  const { action, actorId, address, via, outcome = 'done', subjectId = null, subjectName = null, account } = record
  const name = account?.toLowerCase() ?? null
  const detail = JSON.stringify(record.detail ?? {})
  await client.$executeRaw`
    INSERT INTO audit_entries (id, actor_id, actor_name, address, via, action, outcome, subject_id, subject_name, detail)
    SELECT ${newId()}::uuid, ${actorId}::uuid, (SELECT username FROM users WHERE id = ${actorId}::uuid), ${address}, ${via},
      ${action}, ${outcome}, coalesce(${subjectId}, account.id::text), coalesce(${subjectName}, account.username), ${detail}::jsonb
    FROM (SELECT) AS one
    LEFT JOIN users account ON account.id::text = ${subjectId} OR lower(account.username) = ${name}`
}
