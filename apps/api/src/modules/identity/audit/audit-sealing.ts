import type { Log } from '../../../log.ts'
import type { AuditChain, SealedEntry } from '../../../platform/database/audit-chain.ts'

export interface AuditSealingDeps {
  chain: AuditChain
  /** Days that entries are kept; null keeps them for good. */
  retentionDays(): number | null
  /** Undefined without a syslog receiver. */
  forward: ((entries: SealedEntry[]) => Promise<void>) | undefined
  log: Log
}

export type AuditSealing = ReturnType<typeof createAuditSealing>

const INTERVAL_MS = 30_000

/** Keeps the hash chain of the audit log up to date, and a syslog receiver informed. Several servers may do so at once. */
export function createAuditSealing({ chain, retentionDays, forward, log }: AuditSealingDeps) {
  const stopping = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined

  const run = async () => {
    await chain.seal(stopping.signal)
    if (forward) await chain.forward(forward, stopping.signal)
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

    /** Seals what is new, forgets links of expired entries, and verifies the whole chain. */
    async verify(): Promise<void> {
      await chain.seal(stopping.signal)
      await chain.removeExpired()
      const isIntact = await chain.verify(retentionDays(), stopping.signal)
      if (!isIntact) log.error('the audit log was changed from outside')
    },

    async close(): Promise<void> {
      clearInterval(timer)
      stopping.abort()
      await running
    },
  }
}
