import type { AgentAnalyticsJson, AgentView } from '@mira/shared'
import { ArrowUpRight, CircleCheck, CirclePause, CircleX, TriangleAlert } from 'lucide-react'
import { useText } from '../../lib/i18n.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { agentIcon, useAgentWords } from './agent-words.ts'

const looks = {
  active: { tone: 'success', Icon: CircleCheck },
  warning: { tone: 'warning', Icon: TriangleAlert },
  error: { tone: 'danger', Icon: CircleX },
  unavailable: { tone: 'warning', Icon: CirclePause },
} as const

/** One agent: what it is for, whether it can be called now, and three commands to begin with. */
export function AgentCard({ agent, status = 'active', onOpen }: AgentCardProps) {
  const text = useText('agents')
  const { description, capabilities, commands } = useAgentWords()(agent)
  const { name, available, unavailable_reason: reason } = agent
  const Icon = agentIcon(name)
  const state = available ? status : 'unavailable'
  const look = looks[state]
  const headingId = `agent-${name}`
  return (
    <Card className="flex h-full flex-col gap-4">
      <div className="flex items-start gap-3">
        <span
          aria-hidden
          className="grid size-10 shrink-0 place-items-center rounded-card bg-accent-soft text-accent-text [&_svg]:size-5"
        >
          <Icon />
        </span>
        <div className="min-w-0 flex-1">
          <h2 id={headingId} className="text-16 font-semibold break-words">
            {name}
          </h2>
          <Badge tone={look.tone} icon={<look.Icon aria-hidden />} className="mt-1">
            {text(`status.${state}`)}
          </Badge>
        </div>
      </div>
      <p className="text-14 text-muted">{description}</p>
      {available && status !== 'active' && <p className="text-13 text-warning-text">{text(`trouble.${status}`)}</p>}
      {!available && reason && <p className="text-13 text-warning-text">{reason}</p>}
      <ul aria-label={text('card.capabilities')} className="flex flex-wrap gap-1.5">
        {capabilities.map((capability) => (
          <li key={capability}>
            <Badge>{capability}</Badge>
          </li>
        ))}
      </ul>
      <div className="mt-auto flex flex-col gap-2">
        <h3 className="text-13 font-medium text-muted">{text('card.commands')}</h3>
        <ul className="flex flex-col gap-1.5">
          {commands.map((command) => (
            <li key={command}>
              <button
                type="button"
                disabled={!available}
                onClick={() => onOpen(command)}
                className="group flex w-full touch-target items-center gap-2 rounded-control border border-border bg-control px-3 py-1.5 text-left text-14 shade-on-hover transition-colors disabled:cursor-not-allowed disabled:opacity-55"
              >
                <span className="min-w-0 flex-1 break-words">{command}</span>
                <ArrowUpRight aria-hidden className="size-4 shrink-0 text-muted" />
              </button>
            </li>
          ))}
        </ul>
        <Button aria-describedby={headingId} onClick={() => onOpen()} className="mt-1">
          {text('card.open')}
        </Button>
      </div>
    </Card>
  )
}

export type AgentCardProps = {
  agent: AgentView
  /** From its last calls, as the Agents Logs tell it; active before that is known. */
  status?: AgentAnalyticsJson['agents'][number]['status'] | undefined
  /** Opens its panel, with a command of the card or without. */
  onOpen: (command?: string) => void
}
