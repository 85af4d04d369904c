import type { AuditEntryJson } from '@mira/shared'
import type { ReactNode } from 'react'
import { useFormat } from '../../lib/format.ts'
import { useText } from '../../lib/i18n.ts'
import { RelativeTime } from '../../lib/relative-time.tsx'
import { Badge, type BadgeTone } from '../../ui/badge.tsx'
import { detailParts, sentenceKey } from './audit-sentence.ts'

const tones: Record<AuditEntryJson['outcome'], BadgeTone> = { done: 'success', begun: 'neutral', failed: 'danger' }

/** One line of the log: a sentence that says who did what, and below it when, from where, and the word of the CSV file. */
export function AuditLine({ entry }: { entry: AuditEntryJson }) {
  const text = useText('audit')
  const format = useFormat()
  const words = { text, appText: useText('app'), usersText: useText('users'), errorsText: useText('errors'), format }
  const { action, outcome, address, via, actor_name: actor, subject_name: subject, subject_id: id } = entry
  const sentence = text.rich(sentenceKey(action), {
    actor: actor ?? text('somebody'),
    subject: subject ?? id ?? text('unknown'),
    action,
    who: (chunks: ReactNode) => <span className="font-medium">{chunks}</span>,
  })
  return (
    <li className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1 px-5 py-3">
      <div className="min-w-0 flex-1">
        <p className="text-14 wrap-anywhere">{sentence}</p>
        <p className="flex flex-wrap gap-x-3 text-13 text-muted">
          <RelativeTime moment={entry.created_at} />
          {address !== null && <span className="font-mono text-12 leading-5">{address}</span>}
          <span>{text(`via.${via}`)}</span>
          {detailParts(entry, words).map((part) => (
            <span key={part} className="wrap-anywhere">
              {part}
            </span>
          ))}
          <code className="text-12 leading-5 wrap-anywhere">{action}</code>
        </p>
      </div>
      <Badge tone={tones[outcome]}>{text(`outcome.${outcome}`)}</Badge>
    </li>
  )
}
