import type { AgentCall } from '@mira/shared'
import { CircleAlert, NotebookPen } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router-dom'
import { useText } from '../../../lib/i18n/i18n.ts'
import { rememberedPath } from '../../../lib/session/paths.ts'
import { Button } from '../../../ui/button.tsx'

/** A fact about the person that an answer proposes to remember: kept on a click, and where to find it then. */
export function ProposedFact({ call, isAnswering, onAnswer }: ProposedFactProps) {
  const text = useText('chat')
  const [decision, setDecision] = useState<boolean | null>(null)
  const answer = async (isKept: boolean) => {
    setDecision(isKept)
    await onAnswer(call.call_id, isKept)
    setDecision(null)
  }
  const isOff = isAnswering || decision !== null
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
            disabled={isOff}
            loading={decision === true}
            onClick={() => void answer(true)}
          >
            {text('remember.keep')}
          </Button>
          <Button size="sm" disabled={isOff} loading={decision === false} onClick={() => void answer(false)}>
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
