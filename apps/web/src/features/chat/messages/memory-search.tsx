import type { AgentCall } from '@mira/shared'
import { Search } from 'lucide-react'
import { useText } from '../../../lib/i18n.ts'
import { CallLine } from './call-line.tsx'

/** What a model looked for in the memory while it answered, and how much there was: one line. */
export function MemorySearch({ call }: { call: AgentCall }) {
  const text = useText('chat')
  const query = queryOf(call.arguments)
  const { state, found = 0, summary = '' } = call
  return (
    <CallLine state={state} Icon={Search}>
      {state === 'started' && text('lookups.started', { query })}
      {state === 'finished' && text('lookups.finished', { query, count: found })}
      {state === 'failed' && text('lookups.failed', { query, reason: summary })}
    </CallLine>
  )
}

/** What was looked for, as the model wrote it. */
function queryOf(given: unknown): string {
  if (typeof given === 'object' && given !== null && 'query' in given) return String(given.query)
  return typeof given === 'string' ? given : ''
}
