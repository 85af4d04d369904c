import type { Config } from '../../../config.ts'
import type { Context } from '../../../context-type.ts'
import { createAuditChain, type SealedEntry } from '../../../platform/database/audit-chain.ts'
import { type SyslogTarget, sendToSyslog } from '../../../platform/net/syslog.ts'
import { createAuditSealing } from './audit-sealing.ts'

/** Builds what seals the audit log and sends it to syslog. */
export function buildAudit({
  config,
  database,
  settings,
  log,
}: Pick<Context, 'database' | 'settings' | 'log'> & { config: Config }) {
  const forwardTo = (target: SyslogTarget) => (entries: SealedEntry[]) =>
    sendToSyslog(
      target,
      entries.map(({ entry, sequence, hash }) => {
        const { id, created_at: at, detail, ...rest } = entry
        return { at, id, text: JSON.stringify({ sequence, hash, ...rest, detail: JSON.parse(detail) as unknown }) }
      }),
    )
  return createAuditSealing({
    chain: createAuditChain(database),
    retentionDays: () => settings.current().retention.audit_days,
    forward: config.auditSyslog && forwardTo(config.auditSyslog),
    log,
  })
}
