import { useQuery } from '@tanstack/react-query'
import { Bot, Gauge, Images, MessagesSquare } from 'lucide-react'
import { type Format, useFormat } from '../../../lib/format/format.ts'
import { type Text, useText } from '../../../lib/i18n/i18n.ts'
import { StatCard, type StatCardProps } from '../../../ui/stat-card.tsx'
import { directionOf, FailedCard, StatCards } from '../dashboard-parts.tsx'
import { figuresQuery } from './overview-queries.ts'

/** The four cards: what there is, and how the last week compares with the one before. */
export function OverviewCards() {
  const text = useText('overview')
  const format = useFormat()
  const query = useQuery(figuresQuery)
  const { data } = query

  if (query.isError && !data) return <FailedCard query={query} />
  const common = { loading: !data }
  return (
    <StatCards label={text('cards.label')}>
      <StatCard
        {...common}
        label={text('cards.chatSessions')}
        className="min-h-31"
        icon={<MessagesSquare />}
        value={data ? format.number(data.chat_sessions) : null}
        {...countChange(data?.change.chat_sessions, text, format)}
        explanation={text('cards.explain.chatSessions')}
      />
      <StatCard
        {...common}
        label={text('cards.mediaItems')}
        className="min-h-31"
        icon={<Images />}
        value={data ? format.number(data.media_items) : null}
        {...countChange(data?.change.media_items, text, format)}
        explanation={text('cards.explain.mediaItems')}
      />
      <StatCard
        {...common}
        label={text('cards.agentCalls')}
        className="min-h-31"
        icon={<Bot />}
        value={data ? format.number(data.agent_calls) : null}
        {...countChange(data?.change.agent_calls, text, format)}
        explanation={text('cards.explain.agentCalls')}
      />
      <StatCard
        {...common}
        label={text('cards.efficiency')}
        className="min-h-31"
        icon={<Gauge />}
        value={data && data.efficiency !== null ? format.percent(data.efficiency) : null}
        {...(data?.efficiency === null
          ? { note: text('cards.notMeasured') }
          : efficiencyChange(data?.change.efficiency, text, format))}
        explanation={
          data && data.efficiency === null ? text('cards.explain.noEfficiency') : text('cards.explain.efficiency')
        }
      />
    </StatCards>
  )
}

type Comparison = Pick<StatCardProps, 'change' | 'note'>

const signOf = (change: number) => (change > 0 ? '+' : '−')

/** More or less use is neither good nor bad. */
function countChange(change: number | null | undefined, text: Text<'overview'>, format: Format): Comparison {
  if (change === undefined) return {}
  if (change === null) return { note: text('cards.noComparison') }
  const signedChange = `${signOf(change)}${format.number(Math.abs(change))}`
  return {
    change: {
      text: change === 0 ? text('cards.same') : text('cards.change', { change: signedChange }),
      direction: directionOf(change),
      tone: 'neutral',
    },
  }
}

function efficiencyChange(change: number | null | undefined, text: Text<'overview'>, format: Format): Comparison {
  if (change === undefined) return {}
  if (change === null) return { note: text('cards.noComparison') }
  const points = Math.abs(change)
  const signedChange = `${signOf(change)}${format.number(points, Number.isInteger(points) ? 0 : 1)}`
  return {
    change: {
      text: change === 0 ? text('cards.same') : text('cards.changePoints', { points, change: signedChange }),
      direction: directionOf(change),
      tone: change > 0 ? 'good' : change < 0 ? 'bad' : 'neutral',
    },
  }
}
