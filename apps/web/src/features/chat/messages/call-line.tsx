import type { AgentCall } from '@mira/shared'
import { CircleAlert, type LucideIcon } from 'lucide-react'
import { Spinner } from '../../../ui/spinner.tsx'

/** One line for a model's tool call: its state and a description. */
export function CallLine({ state, Icon, children }: CallLineProps) {
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
