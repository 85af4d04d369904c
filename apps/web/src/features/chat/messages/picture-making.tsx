import type { AgentCall } from '@mira/shared'
import { CircleAlert, Palette } from 'lucide-react'
import { useText } from '../../../lib/i18n.ts'
import { Spinner } from '../../../ui/spinner.tsx'

/** What a model had drawn for an answer: one line; the picture stands below the answer. */
export function PictureMaking({ call: { state, arguments: asked, summary = '' } }: { call: AgentCall }) {
  const text = useText('chat')
  const prompt = typeof asked === 'object' && asked !== null && 'prompt' in asked ? String(asked.prompt) : ''
  return (
    <p className="flex max-w-full min-w-0 items-start gap-2 text-13 text-muted">
      <span className="flex h-5 shrink-0 items-center">
        {state === 'started' ? (
          <Spinner size="sm" />
        ) : state === 'failed' ? (
          <CircleAlert aria-hidden className="size-4 text-danger-text" />
        ) : (
          <Palette aria-hidden className="size-4" />
        )}
      </span>
      <span className="min-w-0 leading-5 break-words">
        {state === 'started' && text('drawing.started', { prompt })}
        {state === 'finished' && text('drawing.finished', { prompt, model: summary })}
        {state === 'failed' && text('drawing.failed', { prompt, reason: summary })}
      </span>
    </p>
  )
}
