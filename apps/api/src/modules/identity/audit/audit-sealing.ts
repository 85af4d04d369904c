import type { Log } from '../../../log.ts'
import { createAuditChain, type SealedEntry } from '../../../platform/database/audit-chain.ts'
import type { Database } from '../../../platform/database/client.ts'
import { type SyslogTarget, sendToSyslog } from '../../../platform/net/syslog.ts'
import type { SettingsReader } from '../../../platform/settings/settings.service.ts'

export type AuditSealing = ReturnType<typeof createAuditSealing>

const INTERVAL_MS = 30_000

/** Hash chain of the audit log, and its copy to a syslog receiver. Several servers may run it at once. */
export function createAuditSealing({
  database,
  settings,
  syslog,
  log,
}: {
  database: Pick<Database, 'pool'>
  settings: SettingsReader
  /** Undefined without a receiver. */
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

    /** Seals new entries, removes links of expired ones, and verifies the whole chain. */
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
