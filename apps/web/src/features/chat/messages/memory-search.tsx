import type { AgentCall } from '@mira/shared'
import { Search } from 'lucide-react'
import { useText } from '../../../lib/i18n/i18n.ts'
import { CallLine } from './call-line.tsx'

/** One line for a search in the memory: the query and the number of results. */
export function MemorySearch({ call }: { call: AgentCall }) {
  const text = useText('chat')
  const query = queryOf(call.arguments)
  const { state, found: hitCount = 0, summary = '' } = call
  return (
    <CallLine state={state} Icon={Search}>
      {state === 'started' && text('lookups.started', { query })}
      {state === 'finished' && text('lookups.finished', { query, count: hitCount })}
      {state === 'failed' && text('lookups.failed', { query, reason: summary })}
    </CallLine>
  )
}

/** Search query, as the model wrote it. */
function queryOf(input: unknown): string {
  if (typeof input === 'object' && input !== null && 'query' in input) return String(input.query)
  return typeof input === 'string' ? input : ''
}
