import type { AuditEntry, AuditFilters, AuditResponse } from '@mira/shared'
import type { Log } from '../../../log.ts'
import { createAuditChain, type SealedEntry } from '../../../platform/database/audit-chain.ts'
import type { Database } from '../../../platform/database/client.ts'
import { join, nothing, sql } from '../../../platform/database/sql.ts'
import { csvOf } from '../../../platform/lib/csv.ts'
import { type PageQuery, readPage } from '../../../platform/lib/page.ts'
import { type SyslogTarget, sendToSyslog } from '../../../platform/net/syslog.ts'
import type { SettingsReader } from '../../../platform/settings/settings.service.ts'

/** ILIKE pattern for texts that contain the given text. */
const patternOf = (text: string) => `%${text.replace(/[\\%_]/g, '\\$&')}%`

/** A page of entries, newest first. @param page.afterId id of the last entry of the previous page. */
async function listEntries(
  { pool }: Database,
  filters: AuditFilters,
  page: { limit: number; afterId: string | null },
): Promise<AuditEntry[]> {
  const { query, action, outcome, from, to } = filters
  const conditions = [
    ...(page.afterId ? [sql`id < ${page.afterId}`] : []),
    ...(query ? [sql`concat_ws(' ', actor_name, subject_name, address, action) ILIKE ${patternOf(query)}`] : []),
    ...(action ? [sql`action = ${action}`] : []),
    ...(outcome ? [sql`outcome = ${outcome}`] : []),
    ...(from ? [sql`created_at >= ${from}`] : []),
    ...(to ? [sql`created_at < ${to}`] : []),
  ]
  const { rows } = await pool.query<AuditEntry>(
    sql`SELECT id, created_at, actor_id, actor_name, address, via, action, outcome, subject_id, subject_name, detail
         FROM audit_entries ${conditions.length > 0 ? sql`WHERE ${join(conditions, ' AND ')}` : nothing}
         ORDER BY id DESC LIMIT ${page.limit}`,
  )
  return rows
}

export type AuditSealing = ReturnType<typeof createAuditSealing>

const INTERVAL_MS = 30_000

/** Seals the audit log in a hash chain, and copies its entries to a syslog receiver. Several servers may run it at once. */
export function createAuditSealing({
  database,
  settings,
  syslog,
  log,
}: {
  database: Pick<Database, 'pool'>
  settings: SettingsReader
  /** Receiver of a copy of the entries; undefined when none is configured. */
  syslog: SyslogTarget | undefined
  log: Log
}) {
  const chain = createAuditChain(database)
  const stopping = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined

  const run = async () => {
    await chain.seal(stopping.signal)
    if (syslog) await chain.forward((entries) => forward(syslog, entries), stopping.signal)
  }

  const runLogged = () => {
    running ??= run()
      .catch((error: unknown) => {
        if (!stopping.signal.aborted) log.warn({ err: error }, 'the audit log could not be sealed or sent to syslog')
      })
      .finally(() => {
        running = undefined
      })
  }

  return {
    start(): void {
      runLogged()
      timer = setInterval(runLogged, INTERVAL_MS).unref()
    },

    /** Seals new entries, removes the links of expired entries from the chain, and verifies the rest of the chain. */
    async verify(): Promise<void> {
      await chain.seal(stopping.signal)
      await chain.removeExpired()
      const isIntact = await chain.verify(settings.current().retention.audit_days, stopping.signal)
      if (!isIntact) log.error('the audit log was tampered with')
    },

    async close(): Promise<void> {
      clearInterval(timer)
      stopping.abort()
      await running
    },
  }
}

function forward(target: SyslogTarget, entries: SealedEntry[]): Promise<void> {
  const messages = entries.map(({ entry, sequence, hash }) => {
    const { id, created_at: at, detail, ...rest } = entry
    return { at, id, text: JSON.stringify({ sequence, hash, ...rest, detail: JSON.parse(detail) as unknown }) }
  })
  return sendToSyslog(target, messages)
}

export type AuditService = ReturnType<typeof createAuditService>

const EXPORT_BATCH_ROWS = 1000
const HEADINGS = ['time', 'actor', 'address', 'via', 'action', 'outcome', 'subject', 'subject_id', 'detail']

/** The audit log as administrators read it. */
export function createAuditService(database: Database) {
  async function* csvChunks(filters: AuditFilters): AsyncGenerator<string> {
    // Spreadsheets recognise UTF-8 only by this byte order mark.
    yield `\ufeff${csvOf([HEADINGS])}`
    for (let afterId: string | null = null; ; ) {
      const rows: AuditEntry[] = await listEntries(database, filters, { limit: EXPORT_BATCH_ROWS, afterId })
      if (rows.length > 0) yield csvOf(rows.map(csvRow))
      if (rows.length < EXPORT_BATCH_ROWS) return
      afterId = rows.at(-1)?.id ?? null
    }
  }

  return {
    /** A page of entries, newest first. @throws ValidationError for an invalid cursor. */
    async list(filters: AuditFilters, query: PageQuery): Promise<AuditResponse> {
      const { items, nextCursor } = await readPage(query, ({ limit, afterId = null }) =>
        listEntries(database, filters, { limit, afterId }),
      )
      return { entries: items, next_cursor: nextCursor }
    },

    /** All matching entries as a CSV file: its name, and its text in chunks. */
    exportCsv: (filters: AuditFilters): { name: string; text: AsyncGenerator<string> } => ({
      name: `audit_${new Date().toISOString().slice(0, 10)}.csv`,
      text: csvChunks(filters),
    }),
  }
}

function csvRow(entry: AuditEntry): string[] {
  const { created_at: createdAt, actor_name: actor, address, via, action, outcome, subject_name: subject } = entry
  const texts = [actor, address, via, action, outcome, subject, entry.subject_id].map((text) => text ?? '')
  return [createdAt.toISOString(), ...texts, JSON.stringify(entry.detail)]
}
