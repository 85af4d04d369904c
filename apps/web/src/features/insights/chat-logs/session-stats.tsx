import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { Bot, MessagesSquare, Timer, Zap } from 'lucide-react'
import { call, callPage } from '../../../lib/api/client.ts'
import { useFormat } from '../../../lib/format/format.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { StatCard } from '../../../ui/stat-card.tsx'
import { FailedCard, StatCards } from '../dashboard-parts.tsx'
import type { SessionFilters } from './session-filters.ts'
import { responseTimeText } from './session-list.tsx'

const PAGE_SIZE = 20

/** Prefix of the query keys of this tab. */
export const chatLogsKey = ['chat-logs']

/** Figures of all conversations. */
const statsQuery = queryOptions({
  queryKey: [...chatLogsKey, 'stats'],
  queryFn: ({ signal }) => call('GET /chat/stats', { signal }),
  staleTime: 0,
})

/** A page of conversations; the previous page stays until it's loaded. */
export function pageQuery({ query, status, sort, order }: SessionFilters, cursor: string | null) {
  return queryOptions({
    queryKey: [...chatLogsKey, 'page', query, status, sort, order, cursor],
    queryFn: ({ signal }) =>
      callPage('GET /chat/sessions', {
        signal,
        query: {
          query: query || null,
          status: status ?? undefined,
          sort,
          order,
          cursor,
          limit: PAGE_SIZE,
          archived: 'any',
        },
      }),
    placeholderData: keepPreviousData,
    staleTime: 0,
  })
}

/** The four cards above the list: figures of all the user's conversations. */
export function SessionStats() {
  const text = useText('chat-logs')
  const format = useFormat()
  const query = useQuery(statsQuery)
  const { data: stats } = query

  if (query.isLoadingError) return <FailedCard query={query} />
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
