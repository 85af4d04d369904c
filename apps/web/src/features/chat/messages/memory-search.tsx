import type { AgentCall } from '@mira/shared'
import { CircleAlert, Search } from 'lucide-react'
import { useText } from '../../../lib/i18n.ts'
import { Spinner } from '../../../ui/spinner.tsx'

/** What a model looked for in the memory while it answered, and how much there was: one line. */
export function MemorySearch({ call }: { call: AgentCall }) {
  const text = useText('chat')
  const query = queryOf(call.arguments)
  const { state, found = 0, summary = '' } = call
  return (
    <p className="flex max-w-full min-w-0 items-start gap-2 text-13 text-muted">
      <span className="flex h-5 shrink-0 items-center">
        {state === 'started' ? (
          <Spinner size="sm" />
        ) : state === 'failed' ? (
          <CircleAlert aria-hidden className="size-4 text-danger-text" />
        ) : (
          <Search aria-hidden className="size-4" />
        )}
      </span>
      <span className="min-w-0 leading-5 break-words">
        {state === 'started' && text('lookups.started', { query })}
        {state === 'finished' && text('lookups.finished', { query, count: found })}
        {state === 'failed' && text('lookups.failed', { query, reason: summary })}
      </span>
    </p>
  )
}

/** What was looked for, as the model wrote it. */
function queryOf(given: unknown): string {
  if (typeof given === 'object' && given !== null && 'query' in given) return String(given.query)
  return typeof given === 'string' ? given : ''
}
