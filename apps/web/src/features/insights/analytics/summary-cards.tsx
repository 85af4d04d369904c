import type { AnalyticsJson } from '@mira/shared'
import { can } from '@mira/shared/access'
import { Bot, MessageSquare, MessagesSquare, Users } from 'lucide-react'
import { type Format, useFormat } from '../../../lib/format/format.ts'
import { type Text, useText } from '../../../lib/i18n/i18n.ts'
import { useUser } from '../../../lib/session/session.ts'
import { StatCard, type StatCardProps } from '../../../ui/stat-card.tsx'
import { directionOf, StatCards } from '../dashboard-parts.tsx'

/** Total Users, Active Sessions, Chat Messages and Agent Calls, each against the period before. */
export function SummaryCards({ data }: { data: AnalyticsJson | undefined }) {
  const text = useText('analytics')
  const format = useFormat()
  const user = useUser()
  const overview = data?.overview
  const figure = (key: CardFigure) => ({
    loading: !overview,
    label: text(`cards.${key}`),
    value: overview ? format.number(overview[key]) : null,
    explanation: text(`cards.explain.${key}`),
    className: 'min-h-31 break-inside-avoid',
  })
  const trend = (key: CardFigure) => data && trendOf(data, key, text, format)
  return (
    <StatCards label={text('cards.label')}>
      <StatCard
        {...figure('total_users')}
        {...(can(user, 'admin') ? trend('total_users') : { explanation: text('cards.explain.total_users_own') })}
        icon={<Users />}
      />
      <StatCard
        {...figure('active_sessions')}
        icon={<MessagesSquare />}
        note={overview && text('cards.ofSessions', { count: overview.total_sessions })}
      />
      <StatCard {...figure('chat_messages')} {...trend('chat_messages')} icon={<MessageSquare />} />
      <StatCard {...figure('agent_calls')} {...trend('agent_calls')} icon={<Bot />} />
    </StatCards>
  )
}

type CardFigure = 'total_users' | 'active_sessions' | 'chat_messages' | 'agent_calls'

/** An arrow with the change in percent, or a line that says that there is nothing to compare with. */
function trendOf(
  { overview, period }: AnalyticsJson,
  key: CardFigure,
  text: Text<'analytics'>,
  format: Format,
): Pick<StatCardProps, 'change' | 'note'> {
  const change = overview.trends[key]
  if (change === null) return { note: text('cards.noTrend') }
  const signed = `${change > 0 ? '+' : ''}${format.percent(change)}`
  return {
    change: {
      direction: directionOf(change),
      tone: change > 0 ? 'good' : 'neutral',
      text: text(`cards.against.${period}`, { change: signed }),
    },
  }
}
