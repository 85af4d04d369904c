import type { AgentView } from '@mira/shared'
import { useQuery } from '@tanstack/react-query'
import { Bot } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { useLocation, useNavigate, useSearchParams } from 'react-router-dom'
import { useText } from '../../lib/i18n.ts'
import { LoadFailed } from '../../lib/load-failed.tsx'
import { useUser } from '../../lib/session.ts'
import { Card } from '../../ui/card.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { LoadingRegion, Skeleton } from '../../ui/skeleton.tsx'
import { AgentCard } from './agent-card.tsx'
import { agentAnalyticsQuery, agentsQuery } from './agents-queries.ts'
import { AskBox } from './ask-box.tsx'
import { RunDialog } from './run-dialog.tsx'
import { StatusBlock } from './status-block.tsx'

/**
 * The screen of the agents: what each can do, a way to ask any of them, and each one's own panel, which the
 * address names.
 *
 * @param reminders the person's reminders, shown in the panel of the ReminderAgent.
 */
export function AgentsPage({ reminders }: { reminders?: ReactNode }) {
  const text = useText('agents')
  const user = useUser()
  const query = useQuery(agentsQuery)
  const [parameters, setParameters] = useSearchParams()
  const agents = query.data ?? []
  const { data: analytics } = useQuery(agentAnalyticsQuery)
  const opened = agents.find(({ name }) => name === parameters.get('agent')) ?? null

  // not in the address: a link must not have an agent do anything
  const [command, setCommand] = useState<string | null>(null)
  const location = useLocation()
  const navigate = useNavigate()
  const given = givenCommand(location.state)
  // the browser would hand it in again when the page is loaded anew
  useEffect(() => {
    if (given === null) return
    setCommand(given)
    void navigate(location, { replace: true, state: null })
  }, [given, navigate, location])

  const open = (agent: AgentView, chosen: string | null) => {
    setCommand(chosen)
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
        {!query.data && query.isError && (
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
                  onOpen={(chosen) => open(agent, chosen ?? null)}
                />
              </li>
            ))}
          </ul>
        )}
      </div>
      <RunDialog agent={opened} command={command ?? given} reminders={reminders} onClose={close} />
    </>
  )
}

/** The command that the palette hands over. */
function givenCommand(state: unknown): string | null {
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
