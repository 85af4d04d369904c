import type { AgentCall } from '@mira/shared'
import { READ_PAGE, SEARCH_WEB } from '@mira/shared/constants/web'
import { Globe } from 'lucide-react'
import { useText } from '../../../lib/i18n/i18n.ts'
import { CallLine } from './call-line.tsx'

/** True for web searches and page reads. */
export const isWebLookup = ({ name }: AgentCall) => name === SEARCH_WEB || name === READ_PAGE

/** One line for a web search or a page that the model read. */
export function WebLookup({ call }: { call: AgentCall }) {
  const text = useText('chat')
  const { name, state, found: hitCount = 0, summary = '' } = call
  const [kind, what] =
    name === SEARCH_WEB
      ? (['search', argumentOf(call, 'query')] as const)
      : (['read', argumentOf(call, 'url')] as const)
  return (
    <CallLine state={state} Icon={Globe}>
      {state === 'started' && text(`web.${kind}Started`, { what })}
      {state === 'finished' &&
        (call.allowed === true ? text('web.searchAllowed') : text(`web.${kind}Finished`, { what, count: hitCount }))}
      {state === 'failed' && text(`web.${kind}Failed`, { what, reason: summary })}
    </CallLine>
  )
}

/** Query or URL, as the model wrote it. */
function argumentOf({ arguments: input }: AgentCall, name: 'query' | 'url'): string {
  if (typeof input !== 'object' || input === null) return typeof input === 'string' ? input : ''
  return String((input as Record<string, unknown>)[name] ?? '')
}
