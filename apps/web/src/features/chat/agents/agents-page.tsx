import type { AgentAnalyticsJson, AgentView } from '@mira/shared'
import { useQuery } from '@tanstack/react-query'
import { Activity, ArrowUpRight, Bot, CircleCheck, CirclePause, CircleX, Percent, TriangleAlert } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { useLocation, useNavigate, useSearchParams } from 'react-router-dom'
import { LoadFailed } from '../../../lib/components/query-list.tsx'
import { useFormat } from '../../../lib/format/format.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { useSentenceText } from '../../../lib/i18n/sentences.ts'
import { useUser } from '../../../lib/session/session.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card, CardHeader } from '../../../ui/card.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { PageHeader } from '../../../ui/page-header.tsx'
import { LoadingRegion, Skeleton } from '../../../ui/skeleton.tsx'
import { StatCard } from '../../../ui/stat-card.tsx'
import { agentIcon, useAgentWords } from './agent-words.ts'
import { agentAnalyticsQuery, agentsQuery, agentsStatusQuery, useAgentCall } from './agents-queries.ts'
import { CallOutcome } from './call-outcome.tsx'
import { CallInput, RunDialog } from './run-dialog.tsx'

const statusBadges = {
  active: { tone: 'success', Icon: CircleCheck },
  warning: { tone: 'warning', Icon: TriangleAlert },
  error: { tone: 'danger', Icon: CircleX },
  unavailable: { tone: 'warning', Icon: CirclePause },
} as const

/** An agent's description, status and three example commands. */
function AgentCard({ agent, status = 'active', onOpen }: AgentCardProps) {
  const text = useText('agents')
  const { description, capabilities, commands } = useAgentWords()(agent)
  const { name, available } = agent
  const reason = useSentenceText()(agent.unavailable_reason ?? '', agent.unavailable_told)
  const Icon = agentIcon(name)
  const state = available ? status : 'unavailable'
  const look = statusBadges[state]
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

type AgentCardProps = {
  agent: AgentView
  /** Status derived from the agent's latest calls, as in the Agents Logs; active until it has loaded. */
  status?: AgentAnalyticsJson['agents'][number]['status'] | undefined
  /** Opens the agent's panel, optionally with one of its example commands. */
  onOpen: (command?: string) => void
}

/** State of all agents on the server; visible to administrators only. */
function StatusBlock() {
  const text = useText('agents')
  const format = useFormat()
  const query = useQuery(agentsStatusQuery)
  const status = query.data
  if (query.isLoadingError) {
    return (
      <Card>
        <LoadFailed query={query} />
      </Card>
    )
  }
  const rate = status?.success_rate ?? null
  return (
    <section aria-labelledby="agents-status">
      <h2 id="agents-status" className="mb-3 text-16 font-semibold">
        {text('system.title')}
      </h2>
      <div className="grid grid-cols-2 gap-3 sm:gap-4 xl:grid-cols-4">
        <StatCard
          label={text('system.total')}
          icon={<Bot />}
          loading={!status}
          value={status ? format.number(status.total_agents) : null}
        />
        <StatCard
          label={text('system.active')}
          icon={<CircleCheck />}
          loading={!status}
          value={status ? format.number(status.active_agents.length) : null}
          explanation={status && status.active_agents.length > 0 ? format.list(status.active_agents) : undefined}
        />
        <StatCard
          label={text('system.requests')}
          icon={<Activity />}
          loading={!status}
          value={status ? format.number(status.total_requests) : null}
          explanation={text('system.everyone')}
        />
        <StatCard
          label={text('system.success')}
          icon={<Percent />}
          loading={!status}
          value={rate === null ? null : format.percent(rate)}
          note={status && rate === null ? text('system.noCalls') : undefined}
          explanation={text(rate === null ? 'system.noCallsYet' : 'system.successOf')}
        />
      </div>
    </section>
  )
}

/** Calls the agent that fits a sentence; if that's unclear, the user chooses one. */
function AskBox({ agents }: { agents: AgentView[] }) {
  const text = useText('agents')
  const [input, setInput] = useState('')
  const { call, start, stop } = useAgentCall()
  return (
    <Card>
      <CardHeader title={text('ask.title')} description={text('ask.description')} />
      <div className="flex flex-col gap-4">
        <CallInput
          label={text('ask.label')}
          placeholder={text('ask.placeholder')}
          value={input}
          onChange={setInput}
          isRunning={call.step === 'running'}
          submitLabel={text('ask.submit')}
          onSubmit={() => start(null, input.trim())}
          onStop={stop}
        />
        <CallOutcome
          call={call}
          showsAgent
          choices={agents.filter(({ available }) => available).map(({ name }) => name)}
          onChoose={(agent) => start(agent, input.trim())}
        />
      </div>
    </Card>
  )
}

/**
 * The agents screen: a card for each agent, a field that sends a request to the agent it fits, and the panel of the agent
 * named in the URL.
 *
 * @param reminders the user's reminders, shown in the panel of the ReminderAgent.
 */
export function AgentsPage({ reminders }: { reminders?: ReactNode }) {
  const text = useText('agents')
  const user = useUser()
  const query = useQuery(agentsQuery)
  const [parameters, setParameters] = useSearchParams()
  const agents = query.data ?? []
  const { data: analytics } = useQuery(agentAnalyticsQuery)
  const openAgent = agents.find(({ name }) => name === parameters.get('agent')) ?? null

  // The command isn't in the URL, because a link must not make an agent do anything.
  const [command, setCommand] = useState<string | null>(null)
  const location = useLocation()
  const navigate = useNavigate()
  const linkedCommand = commandFrom(location.state)
  // The command is removed from the history entry; otherwise it would run again after a reload.
  useEffect(() => {
    if (linkedCommand === null) return
    setCommand(linkedCommand)
    void navigate(location, { replace: true, state: null })
  }, [linkedCommand, navigate, location])

  const open = (agent: AgentView, initialCommand: string | null) => {
    setCommand(initialCommand)
    setParameters({ agent: agent.name })
  }
  const close = () => {
    setCommand(null)
    setParameters({}, { replace: true })
  }

  return (
    <>
      <PageHeader title={text('title')} subtitle={text('subtitle')} />
      <div className="flex flex-col gap-6">
        {user.role === 'admin' && <StatusBlock />}
        {agents.length > 0 && <AskBox agents={agents} />}
        {query.isLoadingError && (
          <Card>
            <LoadFailed query={query} />
          </Card>
        )}
        {query.isPending && <CardsSkeleton />}
        {query.data?.length === 0 && (
          <Card>
            <EmptyState icon={<Bot />} title={text('empty.title')} text={text('empty.text')} />
          </Card>
        )}
        {agents.length > 0 && (
          <ul aria-label={text('list')} className="grid gap-4 md:grid-cols-2 xl:grid-cols-3">
            {agents.map((agent) => (
              <li key={agent.name} className="min-w-0">
                <AgentCard
                  agent={agent}
                  status={analytics?.agents.find(({ name }) => name === agent.name)?.status}
                  onOpen={(initialCommand) => open(agent, initialCommand ?? null)}
                />
              </li>
            ))}
          </ul>
        )}
      </div>
      <RunDialog agent={openAgent} command={command ?? linkedCommand} reminders={reminders} onClose={close} />
    </>
  )
}

/** Command that the command palette passed in the history state; null without one. */
function commandFrom(state: unknown): string | null {
  const command = typeof state === 'object' && state !== null && 'command' in state ? state.command : null
  return typeof command === 'string' ? command : null
}

function CardsSkeleton() {
  const text = useText('app')
  return (
    <LoadingRegion label={text('common.loading')} className="grid gap-4 md:grid-cols-2 xl:grid-cols-3">
      {[1, 2, 3, 4, 5].map((card) => (
        <Skeleton key={card} className="h-72 rounded-card" />
      ))}
    </LoadingRegion>
  )
}
