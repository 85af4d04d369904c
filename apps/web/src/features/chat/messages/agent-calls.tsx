import type { AgentCall } from '@mira/shared'
import { MAKE_PICTURE, REMEMBER, SEARCH_MEMORY } from '@mira/shared/constants/agents'
import { SEARCH_WEB } from '@mira/shared/constants/web'
import { Ban, CircleAlert, CircleCheck, CircleHelp } from 'lucide-react'
import { useState } from 'react'
import { useFormat } from '../../../lib/format/format.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { Spinner } from '../../../ui/spinner.tsx'
import { argumentsText } from './arguments-text.ts'
import { MemorySearch } from './memory-search.tsx'
import { PictureMaking } from './picture-making.tsx'
import { ProposedFact } from './proposed-fact.tsx'
import { isWebLookup, WebLookup } from './web-lookup.tsx'

/** Calls of an answer: a compact card for each agent, and one line for each search. */
export function AgentCalls({ calls, isAnswering, onAnswer }: AgentCallsProps) {
  const text = useText('chat')
  return (
    <ul aria-label={text('agents.label')} className="mb-3 flex flex-col gap-2 last:mb-0">
      {calls.map((call) => (
        <li key={call.call_id}>
          {call.name === REMEMBER ? (
            <ProposedFact call={call} isAnswering={isAnswering} onAnswer={onAnswer} />
          ) : call.name === SEARCH_MEMORY ? (
            <MemorySearch call={call} />
          ) : call.name === MAKE_PICTURE ? (
            <PictureMaking call={call} />
          ) : isWebLookup(call) && call.state !== 'waiting' && call.state !== 'refused' ? (
            <WebLookup call={call} />
          ) : (
            <AgentCard call={call} />
          )}
          {call.state === 'waiting' && call.name !== REMEMBER && (
            <Approval call={call} isAnswering={isAnswering} onAnswer={onAnswer} />
          )}
        </li>
      ))}
    </ul>
  )
}

/** Asks whether a call that would change something may be made; the answer must have come to its end first. */
function Approval({ call, isAnswering, onAnswer }: ApprovalProps) {
  const text = useText('chat')
  const [decision, setDecision] = useState<boolean | null>(null)
  const answer = async (isAllowed: boolean) => {
    setDecision(isAllowed)
    await onAnswer(call.call_id, isAllowed)
    setDecision(null)
  }
  const isOff = isAnswering || decision !== null
  return (
    <div className="mt-1 rounded-control bg-warning-soft px-3 py-2 text-13">
      <p>{text(call.sends_out ? 'agents.askToSend' : 'agents.ask', { name: useCallName(call) })}</p>
      <div className="mt-2 flex flex-wrap gap-2">
        <Button
          size="sm"
          variant="primary"
          disabled={isOff}
          loading={decision === true}
          onClick={() => void answer(true)}
        >
          {text('agents.allow')}
        </Button>
        <Button size="sm" disabled={isOff} loading={decision === false} onClick={() => void answer(false)}>
          {text('agents.refuse')}
        </Button>
      </div>
    </div>
  )
}

/** Display name of a call. */
function useCallName({ name }: AgentCall): string {
  const text = useText('chat')
  return name === SEARCH_WEB ? text('web.name') : name
}

function AgentCard({ call }: { call: AgentCall }) {
  const text = useText('chat')
  const format = useFormat()
  const argumentLine = argumentsText(call.arguments)
  return (
    <div className="max-w-full min-w-0 rounded-control border border-border bg-surface px-3 py-2 text-13">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
        <StateIcon state={call.state} />
        <span className="font-medium">{useCallName(call)}</span>
        <span className={call.state === 'failed' ? 'text-danger-text' : 'text-muted'}>
          {text(`agents.${call.state}`)}
        </span>
        {call.duration_ms !== undefined && (
          <span className="text-muted tabular-nums">{briefDuration(call.duration_ms, format)}</span>
        )}
      </div>
      {call.summary !== undefined && <p className="mt-1 break-words">{call.summary}</p>}
      {argumentLine !== '' && (
        <details className="mt-1" open={call.state === 'waiting'}>
          <summary className="w-fit cursor-pointer rounded-control py-0.5 text-muted hover:text-text pointer-coarse:py-3">
            {text('agents.arguments')}
          </summary>
          <pre
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
            tabIndex={0}
            className="mt-1 max-h-60 overflow-auto rounded-control bg-surface-sunken p-2 font-mono text-12"
          >
            {argumentLine}
          </pre>
        </details>
      )}
    </div>
  )
}

/** Calls are often done in no time, which "0.0 s" would say badly. */
function briefDuration(milliseconds: number, format: ReturnType<typeof useFormat>): string {
  return milliseconds < 100 ? `${format.number(milliseconds)} ms` : format.duration(milliseconds / 1000)
}

function StateIcon({ state }: { state: AgentCall['state'] }) {
  if (state === 'started') return <Spinner size="sm" />
  if (state === 'waiting') return <CircleHelp aria-hidden className="size-4 shrink-0 text-warning-text" />
  if (state === 'refused') return <Ban aria-hidden className="size-4 shrink-0 text-muted" />
  if (state === 'failed') return <CircleAlert aria-hidden className="size-4 shrink-0 text-danger-text" />
  return <CircleCheck aria-hidden className="size-4 shrink-0 text-success-text" />
}

type AgentCallsProps = {
  calls: readonly AgentCall[]
  /** True while the answer is being generated. */
  isAnswering: boolean
  onAnswer: (callId: string, isAllowed: boolean) => Promise<void>
}
type ApprovalProps = Omit<AgentCallsProps, 'calls'> & { call: AgentCall }
