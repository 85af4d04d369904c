import { useFormat } from '../../../lib/format/format.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Banner } from '../../../ui/banner.tsx'
import { Button } from '../../../ui/button.tsx'
import { Spinner } from '../../../ui/spinner.tsx'
import { agentIcon } from './agent-words.ts'
import type { CallState } from './agents-queries.ts'
import { CallResult } from './call-result.tsx'

/** Progress or result of a call. */
export function CallOutcome({ call, showsAgent = false, choices = [], onChoose }: CallOutcomeProps) {
  const text = useText('agents')
  return (
    <div aria-live="polite" className="flex min-w-0 flex-col gap-3 empty:hidden">
      {call.step === 'running' && (
        <p className="flex items-center gap-2.5 text-14 text-muted">
          <Spinner size="sm" />
          {call.progress ?? (call.agent === null ? text('call.choosing') : text('call.running', { agent: call.agent }))}
        </p>
      )}
      {call.step === 'stopped' && <p className="text-14 text-muted">{text('call.stopped')}</p>}
      {call.step === 'failed' && (
        <Banner tone="error" title={text('call.failed')}>
          {call.reason}
        </Banner>
      )}
      {call.step === 'unsure' && (
        <Banner tone="info" title={text('ask.unsure')}>
          <span className="block">{text('ask.choose')}</span>
          <span className="mt-2 flex flex-wrap gap-2">
            {(call.candidates.length > 0 ? call.candidates.map(({ name }) => name) : choices)
              .filter((name) => choices.includes(name))
              .map((name) => (
                <Button key={name} size="sm" onClick={() => onChoose?.(name)}>
                  {name}
                </Button>
              ))}
          </span>
        </Banner>
      )}
      {call.step === 'finished' && (
        <section aria-label={text('call.result', { agent: call.agent })} className="flex min-w-0 flex-col gap-3">
          {showsAgent && <AnsweringAgent {...call} />}
          <CallResult data={call.response.data} output={call.response.output} />
        </section>
      )}
    </div>
  )
}

function AnsweringAgent({ agent, confidence }: { agent: string; confidence: number | null }) {
  const text = useText('agents')
  const format = useFormat()
  const Icon = agentIcon(agent)
  return (
    <p className="flex flex-wrap items-center gap-2 text-13 text-muted">
      <Badge tone="accent" icon={<Icon aria-hidden />}>
        {agent}
      </Badge>
      {confidence !== null && text('ask.confidence', { percent: format.percent(confidence * 100, 0) })}
    </p>
  )
}

type CallOutcomeProps = {
  call: CallState
  /** Show the name of the agent that answered. */
  showsAgent?: boolean
  /** Agents to choose from when it's unclear which one was meant. */
  choices?: string[]
  onChoose?: (agent: string) => void
}
