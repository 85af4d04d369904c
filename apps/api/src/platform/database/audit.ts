import type { AuditAction, AuditEntry } from '@mira/shared'
import type { Prisma, PrismaClient } from './generated/client.ts'
import { newId } from './new-id.ts'

/** A line of the audit log: an administrator's action or a sign-in attempt. */
export interface AuditRecord {
  /** Method and path for a refused API token, when the route has no action name. */
  action: AuditAction | `${string} /${string}`
  /** Account that acts; null when nobody is signed in. */
  actorId: string | null
  address: string | null
  via: AuditEntry['via']
  /** `begun` for an entry that's written before the action, so that no action can happen without an entry. */
  outcome?: AuditEntry['outcome']
  /** Id of the account or object that the action concerns. */
  subjectId?: string | null
  /** Attempted username; not stored unless an account has it. */
  account?: string
  /** Name of a subject that isn't an account, or that no longer exists. */
  subjectName?: string | null
  /** Names of changed fields and the like; never secrets or texts of users. */
  detail?: Record<string, unknown>
}

/**
 * Appends to the audit log, in the transaction of the action. Stores the current names of actor and account, because the
 * entry outlives both.
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
