import { createHash } from 'node:crypto'
import type pg from 'pg'
import { advisoryLocks } from './advisory-locks.ts'
import { inTransaction, raw, type SqlClient, sql } from './sql.ts'

/** An entry with its position in the chain. */
export interface SealedEntry {
  sequence: number
  /** Hexadecimal SHA-256. */
  hash: string
  entry: AuditRow
}

/** Columns of `audit_entries` as they are hashed and sent to syslog. */
export interface AuditRow {
  id: string
  created_at: Date
  actor_id: string | null
  actor_name: string | null
  address: string | null
  via: string
  action: string
  outcome: string
  subject_id: string | null
  subject_name: string | null
  /** JSON as PostgreSQL prints jsonb. */
  detail: string
}

interface Link {
  sequence: string
  hash: Buffer
  created_at: Date
}

/** A link with its entry, whose columns are null when the entry is missing. */
interface LinkedEntry {
  sequence: string
  hash: Buffer
  link_at: Date
  is_missing: boolean
}

const COLUMNS =
  'e.id, e.created_at, e.actor_id, e.actor_name, e.address, e.via, e.action, e.outcome, e.subject_id, e.subject_name, e.detail::text'
const BATCH_ROWS = 500
/** Time for which one server has the exclusive right to send; longer than sending a batch takes. */
const LEASE = '1 minute'
/** Upper limit of the time between writing an entry and its commit. */
const MAX_COMMIT_DELAY = '1 day'

export type AuditChain = ReturnType<typeof createAuditChain>

/**
 * The hash chain over the audit log. Entries are sealed shortly after they're written rather than in the same transaction,
 * because sealing is serialised and sign-ins would wait for each other.
 */
export function createAuditChain({ pool }: { pool: pg.Pool }) {
  const sealBatch = (): Promise<number> =>
    inTransaction(pool, async (tx) => {
      await tx.query(sql`SELECT pg_advisory_xact_lock(${advisoryLocks.auditChain})`)
      const last = await lastLink(tx)
      const { rows: entries } = await tx.query<AuditRow>(sql`SELECT ${raw(COLUMNS)} FROM audit_entries e
          WHERE (${last?.created_at ?? null}::timestamptz IS NULL
            OR e.created_at >= ${last?.created_at ?? null}::timestamptz - interval '${raw(MAX_COMMIT_DELAY)}')
            AND NOT EXISTS (SELECT FROM audit_links l WHERE l.entry_id = e.id)
          ORDER BY e.id LIMIT ${raw(BATCH_ROWS)}`)
      let hash = last?.hash ?? Buffer.alloc(0)
      const hashes = entries.map((entry) => {
        hash = hashOf(hash, entry)
        return hash
      })
      await tx.query(sql`INSERT INTO audit_links (sequence, entry_id, created_at, hash)
          SELECT ${last?.sequence ?? 0}::bigint + n, id, at, hash
          FROM unnest(${entries.map(({ id }) => id)}::uuid[], ${entries.map((e) => e.created_at)}::timestamptz[],
            ${hashes}::bytea[]) WITH ORDINALITY AS sealed (id, at, hash, n)`)
      return entries.length
    })

  /** Links after a sequence, with their entries. */
  const linksAfter = async (sequence: string) => {
    const { rows } = await pool.query<AuditRow & LinkedEntry>(
      sql`SELECT l.sequence, l.hash, l.created_at AS link_at, e.id IS NULL AS is_missing, ${raw(COLUMNS)}
       FROM audit_links l LEFT JOIN audit_entries e ON e.id = l.entry_id
       WHERE l.sequence > ${sequence} ORDER BY l.sequence LIMIT ${raw(BATCH_ROWS)}`,
    )
    return rows
  }

  /**
   * Time of the first entry that was changed or removed against the rules; null when there is none. Entries may only be
   * missing at the beginning of the chain, where they were removed because of their age.
   */
  const findBreak = async (retentionDays: number | null, signal?: AbortSignal): Promise<Date | null> => {
    const oldestKept = retentionDays === null ? null : Date.now() - retentionDays * 24 * 3600 * 1000
    let previous: LinkedEntry | undefined
    let isBeginning = true
    const isIntact = (link: LinkedEntry & AuditRow): boolean => {
      if (previous !== undefined && BigInt(link.sequence) !== BigInt(previous.sequence) + 1n) return false
      if (link.is_missing) {
        const isExpired = oldestKept !== null && link.link_at.getTime() < oldestKept
        return isBeginning && ((previous === undefined && link.sequence !== '1') || isExpired)
      }
      isBeginning = false
      if (previous === undefined && link.sequence !== '1') return false
      return hashOf(previous?.hash ?? Buffer.alloc(0), link).equals(link.hash)
    }
    for (;;) {
      signal?.throwIfAborted()
      const links = await linksAfter(previous?.sequence ?? '0')
      for (const link of links) {
        if (!isIntact(link)) return link.link_at
        previous = link
      }
      if (links.length < BATCH_ROWS) return null
    }
  }

  return {
    /** Adds entries that aren't in the chain yet. */
    async seal(signal?: AbortSignal): Promise<void> {
      for (;;) {
        signal?.throwIfAborted()
        if ((await sealBatch()) < BATCH_ROWS) return
      }
    },

    /** Removes the links of removed entries, except the last one, with which the first remaining entry is verified. */
    async removeExpired(): Promise<void> {
      await pool.query(
        `DELETE FROM audit_links WHERE sequence < (
           SELECT min(l.sequence) - 1 FROM audit_links l JOIN audit_entries e ON e.id = l.entry_id)`,
      )
    },

    /** Verifies the whole chain and stores the outcome. @returns true when every entry is as it was sealed. */
    async verify(retentionDays: number | null, signal?: AbortSignal): Promise<boolean> {
      const brokenAt = await findBreak(retentionDays, signal)
      await pool.query(
        sql`INSERT INTO audit_chain (id, verified_at, broken_at) VALUES (1, now(), ${brokenAt})
         ON CONFLICT (id) DO UPDATE SET verified_at = excluded.verified_at, broken_at = excluded.broken_at`,
      )
      return brokenAt === null
    },

    /** Time of the first entry that the last verification found changed or removed; null when there is none. */
    async brokenAt(): Promise<Date | null> {
      const { rows } = await pool.query<{ broken_at: Date | null }>('SELECT broken_at FROM audit_chain')
      return rows[0]?.broken_at ?? null
    },

    /**
     * Passes sealed entries to `send` in order and records the last one sent. Only one server does so at a time; after a
     * crash entries may be sent twice.
     */
    async forward(send: (entries: SealedEntry[]) => Promise<void>, signal?: AbortSignal): Promise<void> {
      await pool.query('INSERT INTO audit_chain (id) VALUES (1) ON CONFLICT (id) DO NOTHING')
      for (;;) {
        signal?.throwIfAborted()
        const { rows } = await pool.query<{ sent_through: string }>(
          `UPDATE audit_chain SET sending_until = now() + interval '${LEASE}'
           WHERE coalesce(sending_until, '-infinity') < now() RETURNING sent_through`,
        )
        if (rows[0] === undefined) return
        const links = await linksAfter(rows[0].sent_through)
        const last = links.at(-1)
        if (last === undefined) break
        await send(links.filter(({ is_missing: isMissing }) => !isMissing).map(sealedEntry))
        await pool.query(sql`UPDATE audit_chain SET sent_through = ${last.sequence}, sending_until = NULL`)
      }
      await pool.query('UPDATE audit_chain SET sending_until = NULL')
    },
  }
}

async function lastLink(tx: SqlClient): Promise<Link | undefined> {
  const { rows } = await tx.query<Link>({
    text: 'SELECT sequence, hash, created_at FROM audit_links ORDER BY sequence DESC LIMIT 1',
  })
  return rows[0]
}

function sealedEntry(link: LinkedEntry & AuditRow): SealedEntry {
  const { sequence, hash, link_at: _linkAt, is_missing: _isMissing, ...entry } = link
  return { sequence: Number(sequence), hash: hash.toString('hex'), entry }
}

function hashOf(previous: Buffer, entry: AuditRow): Buffer {
  const { id, created_at: at, actor_id: actorId, actor_name: actorName, address, via, action, outcome } = entry
  const { subject_id: subjectId, subject_name: subjectName, detail } = entry
  const text = JSON.stringify([
    ...[id, at.toISOString(), actorId, actorName, address, via],
    ...[action, outcome, subjectId, subjectName, detail],
  ])
  return createHash('sha256').update(previous).update(text).digest()
}
