import { useQuery } from '@tanstack/react-query'
import { Bot, MessagesSquare, Timer, Zap } from 'lucide-react'
import { useFormat } from '../../../lib/format/format.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { StatCard } from '../../../ui/stat-card.tsx'
import { FailedCard, StatCards } from '../dashboard-parts.tsx'
import { statsQuery } from './chat-logs-queries.ts'
import { responseTimeText } from './session-list.tsx'

/** The four cards over the list: figures of all of the user's conversations. */
export function SessionStats() {
  const text = useText('chat-logs')
  const format = useFormat()
  const query = useQuery(statsQuery)
  const { data: stats } = query

  if (!stats && query.isError) return <FailedCard query={query} />
  const response = stats?.avg_response_time ?? null
  return (
    <StatCards label={text('cards.label')}>
      <StatCard
        label={text('cards.total')}
        icon={<MessagesSquare />}
        loading={!stats}
        value={stats ? format.number(stats.total_sessions) : null}
      />
      <StatCard
        label={text('cards.active')}
        icon={<Zap />}
        loading={!stats}
        value={stats ? format.number(stats.active_sessions) : null}
        explanation={text('cards.explain.active')}
      />
      <StatCard
        label={text('cards.agents')}
        icon={<Bot />}
        loading={!stats}
        value={stats ? format.number(stats.agent_usage) : null}
        explanation={text('cards.explain.agents')}
      />
      <StatCard
        label={text('cards.response')}
        icon={<Timer />}
        loading={!stats}
        value={response === null ? null : responseTimeText(response, format)}
        note={stats && response === null ? text('cards.noAnswer') : undefined}
        explanation={text(response === null ? 'cards.explain.noResponse' : 'cards.explain.response')}
      />
    </StatCards>
  )
}
