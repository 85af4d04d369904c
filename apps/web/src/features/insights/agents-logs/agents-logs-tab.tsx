import type { AgentAnalyticsJson } from '@mira/shared'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { ArrowRight, Bot, CircleCheck, CirclePause, CircleX, Percent, Timer, TriangleAlert } from 'lucide-react'
import { Link } from 'react-router-dom'
import { call } from '../../../lib/api/client.ts'
import { RelativeTime } from '../../../lib/components/relative-time.tsx'
import { type Format, useFormat } from '../../../lib/format/format.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { paths } from '../../../lib/session/paths.ts'
import { useUser } from '../../../lib/session/session.ts'
import { Badge } from '../../../ui/badge.tsx'
import { buttonClass } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { StatCard } from '../../../ui/stat-card.tsx'
import { Cell, HeaderCell, Row, RowHeaderCell, Table } from '../../../ui/table.tsx'
import { VisuallyHidden } from '../../../ui/visually-hidden.tsx'
import { FailedCard, StatCards, TabHeader } from '../dashboard-parts.tsx'

const analyticsQuery = queryOptions({
  queryKey: ['agents', 'analytics'],
  queryFn: ({ signal }) => call('GET /agents/analytics', { signal }),
  staleTime: 0,
})

/** Agents with their current availability, cached under the same key as on the Agents page. */
const knownAgentsQuery = queryOptions({
  queryKey: ['agents', 'available'],
  queryFn: ({ signal }) => call('GET /agents/available', { signal }),
})

const statusBadges = {
  active: { tone: 'success', Icon: CircleCheck },
  warning: { tone: 'warning', Icon: TriangleAlert },
  error: { tone: 'danger', Icon: CircleX },
  unavailable: { tone: 'warning', Icon: CirclePause },
} as const

/** The Agents Logs tab: calls and outcomes per agent. */
export function AgentsLogsTab() {
  const text = useText('agents-logs')
  const format = useFormat()
  const { role } = useUser()
  const query = useQuery(analyticsQuery)
  const agents = query.data?.agents
  const totals = query.data?.totals
  return (
    <div className="flex flex-col gap-5">
      <TabHeader title={text('title')} subtitle={text(role === 'admin' ? 'subtitleAll' : 'subtitle')}>
        <Link to={paths.agents} className={buttonClass({ variant: 'primary' })}>
          {text('manage')}
          <ArrowRight aria-hidden />
        </Link>
      </TabHeader>
      {query.isLoadingError ? (
        <FailedCard query={query} />
      ) : (
        <>
          <StatCards label={text('cards.label')} count="three">
            <StatCard
              label={text('cards.calls')}
              icon={<Bot />}
              loading={!totals}
              value={totals ? format.number(totals.calls) : null}
            />
            <StatCard
              label={text('cards.success')}
              icon={<Percent />}
              loading={!totals}
              value={totals?.success_rate == null ? null : format.percent(totals.success_rate)}
              note={totals && totals.success_rate === null ? text('cards.noCalls') : undefined}
              explanation={totals?.success_rate === null ? undefined : text('cards.successOf')}
            />
            <StatCard
              label={text('cards.response')}
              icon={<Timer />}
              loading={!totals}
              value={totals?.avg_response_time == null ? null : timeText(totals.avg_response_time, format)}
              note={totals && totals.avg_response_time === null ? text('cards.noCalls') : undefined}
              explanation={totals?.avg_response_time === null ? undefined : text('cards.responseOf')}
            />
          </StatCards>
          <Card flush className="overflow-hidden">
            {!agents && <Skeleton className="m-4 h-48" />}
            {agents && totals?.calls === 0 && (
              <EmptyState
                level={3}
                icon={<Bot />}
                title={text('empty.title')}
                text={text('empty.text')}
                action={
                  <Link to={paths.agents} className={buttonClass({})}>
                    {text('empty.action')}
                  </Link>
                }
              />
            )}
            {agents && totals && totals.calls > 0 && <AgentsTable agents={agents} />}
          </Card>
        </>
      )}
    </div>
  )
}

function AgentsTable({ agents }: Pick<AgentAnalyticsJson, 'agents'>) {
  const { data: knownAgents = [] } = useQuery(knownAgentsQuery)
  const unavailableNames = new Set(knownAgents.filter(({ available }) => !available).map(({ name }) => name))
  const text = useText('agents-logs')
  const format = useFormat()
  return (
    <Table label={text('table.label')}>
      <thead>
        <tr>
          <HeaderCell>{text('table.agent')}</HeaderCell>
          <HeaderCell align="right">{text('table.calls')}</HeaderCell>
          <HeaderCell align="right">{text('table.success')}</HeaderCell>
          <HeaderCell align="right">{text('table.response')}</HeaderCell>
          <HeaderCell>{text('table.status')}</HeaderCell>
          <HeaderCell>{text('table.lastUsed')}</HeaderCell>
        </tr>
      </thead>
      <tbody>
        {agents.map((agent) => {
          const status = unavailableNames.has(agent.name) ? 'unavailable' : agent.status
          const { tone, Icon } = statusBadges[status]
          return (
            <Row key={agent.name}>
              <RowHeaderCell>
                <Link
                  to={`${paths.agents}?agent=${encodeURIComponent(agent.name)}`}
                  className="rounded-control hover:text-accent-text"
                >
                  {agent.name}
                </Link>
              </RowHeaderCell>
              <Cell align="right">{format.number(agent.calls)}</Cell>
              <Cell align="right">
                {agent.success_rate === null ? <NoValue /> : format.percent(agent.success_rate)}
              </Cell>
              <Cell align="right">
                {agent.avg_response_time === null ? <NoValue /> : timeText(agent.avg_response_time, format)}
              </Cell>
              <Cell>
                <Badge tone={tone} icon={<Icon aria-hidden />}>
                  {text(`statuses.${status}`)}
                </Badge>
              </Cell>
              <Cell className="whitespace-nowrap text-muted">
                {agent.last_used === null ? text('table.never') : <RelativeTime moment={agent.last_used} />}
              </Cell>
            </Row>
          )
        })}
      </tbody>
    </Table>
  )
}

function NoValue() {
  const text = useText('agents-logs')
  return (
    <span className="text-muted">
      <span aria-hidden>—</span>
      <VisuallyHidden>{text('table.none')}</VisuallyHidden>
    </span>
  )
}

/** Duration in words, or in ms below a second, which would often be shown as "0.0 s". */
function timeText(milliseconds: number, format: Format): string {
  return milliseconds < 1000 ? `${format.number(milliseconds)} ms` : format.duration(milliseconds / 1000)
}
