import type { AgentCall } from '@mira/shared'
import { Search } from 'lucide-react'
import { useText } from '../../../lib/i18n/i18n.ts'
import { CallLine } from './call-line.tsx'

/** One line for a search in the memory: the query and the number of results. */
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

/** Search query, as the model wrote it. */
function queryOf(given: unknown): string {
  if (typeof given === 'object' && given !== null && 'query' in given) return String(given.query)
  return typeof given === 'string' ? given : ''
}
