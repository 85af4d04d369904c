import type { AgentCall } from '@mira/shared'
import { MAKE_PICTURE, READ_PAGE, REMEMBER, SEARCH_MEMORY, SEARCH_WEB } from '@mira/shared/constants/agents'
import {
  Ban,
  CircleAlert,
  CircleCheck,
  CircleHelp,
  Globe,
  type LucideIcon,
  NotebookPen,
  Palette,
  Search,
} from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router-dom'
import { useFormat } from '../../../lib/format/format.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { rememberedPath } from '../../../lib/session/paths.ts'
import { Button } from '../../../ui/button.tsx'
import { Spinner } from '../../../ui/spinner.tsx'

/** One line for a model's tool call: its state and a description. */
function CallLine({ state, Icon, children }: CallLineProps) {
  return (
    <p className="flex max-w-full min-w-0 items-start gap-2 text-13 text-muted">
      <span className="flex h-5 shrink-0 items-center">
        {state === 'started' ? (
          <Spinner size="sm" />
        ) : state === 'failed' ? (
          <CircleAlert aria-hidden className="size-4 text-danger-text" />
        ) : (
          <Icon aria-hidden className="size-4" />
        )}
      </span>
      <span className="min-w-0 leading-5 break-words">{children}</span>
    </p>
  )
}

type CallLineProps = { state: AgentCall['state']; Icon: LucideIcon; children: React.ReactNode }

/** A fact about the user that the model proposes to remember, with buttons to decide and, once it's stored, a link to it. */
function ProposedFact({ call, isAnswering, onAnswer }: ProposedFactProps) {
  const text = useText('chat')
  const [decision, setDecision] = useState<boolean | null>(null)
  const decide = async (isKept: boolean) => {
    setDecision(isKept)
    await onAnswer(call.call_id, isKept)
    setDecision(null)
  }
  const isDisabled = isAnswering || decision !== null
  const { state } = call
  return (
    <div className="rounded-control border border-border bg-surface px-3 py-2 text-13">
      <p className="flex items-start gap-2">
        <span className="flex h-5 shrink-0 items-center">
          {state === 'failed' ? (
            <CircleAlert aria-hidden className="size-4 text-danger-text" />
          ) : (
            <NotebookPen aria-hidden className="size-4 text-muted" />
          )}
        </span>
        <span className="min-w-0 leading-5 wrap-anywhere">
          <span className={state === 'failed' ? 'text-danger-text' : 'text-muted'}>
            {state === 'waiting' && text('remember.ask')}
            {state === 'finished' && text('remember.kept')}
            {state === 'refused' && text('remember.refused')}
            {state === 'failed' && text('remember.failed', { reason: call.summary ?? '' })}
          </span>{' '}
          <span className="text-14">{factOf(call.arguments)}</span>
        </span>
      </p>
      {state === 'waiting' && (
        <div className="mt-2 flex flex-wrap gap-2">
          <Button
            size="sm"
            variant="primary"
            disabled={isDisabled}
            loading={decision === true}
            onClick={() => void decide(true)}
          >
            {text('remember.keep')}
          </Button>
          <Button size="sm" disabled={isDisabled} loading={decision === false} onClick={() => void decide(false)}>
            {text('remember.refuse')}
          </Button>
        </div>
      )}
      {state === 'finished' && (
        <Link to={rememberedPath} className="mt-1 ml-6 inline-block text-accent-text underline underline-offset-2">
          {text('remember.see')}
        </Link>
      )}
    </div>
  )
}

function factOf(input: unknown): string {
  return typeof input === 'object' && input !== null && 'text' in input ? String(input.text) : ''
}

type ProposedFactProps = {
  call: AgentCall
  /** True while the answer is being generated. */
  isAnswering: boolean
  onAnswer: (callId: string, isAllowed: boolean) => Promise<void>
}

/** True for web searches and page reads. */
const isWebLookup = ({ name }: AgentCall) => name === SEARCH_WEB || name === READ_PAGE

/** One line for a web search or a page that the model read. */
function WebLookup({ call }: { call: AgentCall }) {
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

/** One line for a picture being generated; the picture itself appears below the answer. */
function ImageGenerationCall({ call: { state, arguments: input, summary = '' } }: { call: AgentCall }) {
  const text = useText('chat')
  const prompt = typeof input === 'object' && input !== null && 'prompt' in input ? String(input.prompt) : ''
  return (
    <CallLine state={state} Icon={Palette}>
      {state === 'started' && text('drawing.started', { prompt })}
      {state === 'finished' && text('drawing.finished', { prompt, model: summary })}
      {state === 'failed' && text('drawing.failed', { prompt, reason: summary })}
    </CallLine>
  )
}

/** One line for a search in the memory: the query and the number of results. */
function MemorySearch({ call }: { call: AgentCall }) {
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

/** Readable arguments of an agent's call; empty when there were none. */
export function argumentsText(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  if (typeof value !== 'object') return String(value)
  const entries = Object.entries(value)
  if (entries.some(([, value]) => typeof value === 'object' && value !== null)) return JSON.stringify(value, null, 2)
  return entries.map(([name, value]) => `${name}: ${String(value)}`).join('\n')
}

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
            <ImageGenerationCall call={call} />
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

/** Asks the user to approve a call that would change something; enabled once the answer has ended. */
function Approval({ call, isAnswering, onAnswer }: ApprovalProps) {
  const text = useText('chat')
  const [decision, setDecision] = useState<boolean | null>(null)
  const decide = async (isAllowed: boolean) => {
    setDecision(isAllowed)
    await onAnswer(call.call_id, isAllowed)
    setDecision(null)
  }
  const isDisabled = isAnswering || decision !== null
  return (
    <div className="mt-1 rounded-control bg-warning-soft px-3 py-2 text-13">
      <p>{text(call.sends_out ? 'agents.askToSend' : 'agents.ask', { name: useCallName(call) })}</p>
      <div className="mt-2 flex flex-wrap gap-2">
        <Button
          size="sm"
          variant="primary"
          disabled={isDisabled}
          loading={decision === true}
          onClick={() => void decide(true)}
        >
          {text('agents.allow')}
        </Button>
        <Button size="sm" disabled={isDisabled} loading={decision === false} onClick={() => void decide(false)}>
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

/** Milliseconds for quick calls, instead of "0.0 s". */
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
