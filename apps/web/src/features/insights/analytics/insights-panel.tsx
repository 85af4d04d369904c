import type { AnalyticsJson } from '@mira/shared'
import {
  ArrowDownRight,
  ArrowRight,
  ArrowUpRight,
  Clock,
  Gauge,
  type LucideIcon,
  TrendingUp,
  Users,
} from 'lucide-react'
import { assistantName } from '../../../lib/browser/page-meta.ts'
import { type Format, useFormat } from '../../../lib/format/format.ts'
import { type Text, useText } from '../../../lib/i18n/i18n.ts'
import { Card, CardHeader } from '../../../ui/card.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { type Names, useNames } from './chart-card.tsx'

type Row = AnalyticsJson['performance'][number]

const arrows = { up: ArrowUpRight, down: ArrowDownRight, stable: ArrowRight }
/** Colours of a change; less is better for all metrics. */
const tones = { up: 'text-danger-text', down: 'text-success-text', stable: 'text-muted' }

/** Performance Metrics: times of answers and files, and failure rates. */
export function PerformancePanel({ data: { performance } }: { data: AnalyticsJson }) {
  const text = useText('analytics')
  const format = useFormat()
  return (
    <Card className="break-inside-avoid">
      <CardHeader title={text('performance.title')} description={text('performance.description')} level={3} />
      <dl className="grid grid-cols-1 gap-x-6 gap-y-4 min-[430px]:grid-cols-2 lg:grid-cols-5">
        {performance.map((row) => (
          <div key={row.metric} className="flex min-w-0 flex-col gap-1">
            <dt className="text-13 text-muted lg:min-h-10">{text(`performance.metrics.${row.metric}`)}</dt>
            <dd className="flex flex-col gap-1">
              <span className={classNames('text-20 font-semibold tabular-nums', row.value === null && 'text-muted')}>
                {valueText(row, format)}
              </span>
              <Trend row={row} text={text} format={format} />
            </dd>
          </div>
        ))}
      </dl>
    </Card>
  )
}

function Trend({ row, text, format }: { row: Row; text: Text<'analytics'>; format: Format }) {
  if (row.value === null) return <span className="text-12 text-muted">{text('performance.notMeasured')}</span>
  if (row.trend === null || row.change === null) {
    return <span className="text-12 text-muted">{text('performance.noTrend')}</span>
  }
  const Arrow = arrows[row.trend]
  const change = `${row.change > 0 ? '+' : ''}${
    row.unit === 'percent'
      ? text('performance.points', { points: format.number(row.change, 2) })
      : format.percent(row.change)
  }`
  return (
    <span className={classNames('flex items-center gap-1 text-12 font-medium', tones[row.trend])}>
      <Arrow aria-hidden className="size-3.5 shrink-0" />
      {text(`performance.trends.${row.trend}`, { change })}
    </span>
  )
}

/** "0.84 s", "2.5%", or a dash. */
function valueText({ value, unit }: Row, format: Format): string {
  if (value === null) return '—'
  if (unit === 'percent') return format.percent(value)
  return value < 1 ? `${format.number(value, 2)} s` : format.duration(value)
}

type Insight = AnalyticsJson['insights'][number]

const insightIcons: Record<Insight['kind'], LucideIcon> = {
  peak_usage: Clock,
  growth: TrendingUp,
  performance: Gauge,
  user_behavior: Users,
}

/** Key Insights: sentences about the figures, each with its numbers. */
export function InsightsPanel({ data: { insights, user_id: userId } }: { data: AnalyticsJson }) {
  const text = useText('analytics')
  const format = useFormat()
  const names = useNames()
  return (
    <Card className="break-inside-avoid">
      <CardHeader title={text('insights.title')} level={3} />
      <ul className="grid grid-cols-1 gap-4 sm:grid-cols-2">
        {insights.map((insight) => {
          const Icon = insightIcons[insight.kind]
          return (
            <li key={insight.kind} className="flex gap-3 rounded-control bg-surface-sunken p-4">
              <Icon aria-hidden className="mt-0.5 size-4.5 shrink-0 text-accent-text" />
              <div className="min-w-0">
                <h4 className="text-14 font-semibold">{text(`insights.titles.${insight.kind}`)}</h4>
                <p className="mt-1 text-14 text-muted">
                  {insight.numbers === null
                    ? text('insights.unknown')
                    : sentenceOf(insight, { text, format, names, isSingleUser: userId !== null })}
                </p>
              </div>
            </li>
          )
        })}
      </ul>
    </Card>
  )
}

function sentenceOf(
  insight: Insight,
  {
    text,
    format,
    names,
    isSingleUser,
  }: { text: Text<'analytics'>; format: Format; names: Names; isSingleUser: boolean },
): string {
  const time = (seconds: number) => (seconds < 1 ? `${format.number(seconds, 2)} s` : format.duration(seconds))
  switch (insight.kind) {
    case 'peak_usage': {
      const { hour, count, share, day, day_count: dayCount } = insight.numbers!
      return text('insights.peak', {
        hour: names.hour(hour),
        count,
        share: format.percent(share),
        day: names.weekday(day),
        dayCount,
      })
    }
    case 'growth': {
      const { current, previous, change } = insight.numbers!
      const direction = change > 0 ? 'more' : change < 0 ? 'less' : 'same'
      return text(`insights.growth.${direction}`, { current, previous, change: format.percent(Math.abs(change)) })
    }
    case 'performance': {
      const { p50, p95, error_rate: errorRate } = insight.numbers!
      const times = { p50: time(p50), p95: time(p95) }
      return errorRate === null
        ? text('insights.speed', times)
        : text('insights.speedAndErrors', { ...times, rate: format.percent(errorRate) })
    }
    case 'user_behavior': {
      const { feature, share, active_users: people, uses_per_user: uses } = insight.numbers!
      const numbers = {
        feature: text(`featureNames.${feature}`),
        share: format.percent(share),
        uses: format.number(uses, isSingleUser ? 0 : 1),
      }
      return isSingleUser
        ? text('insights.behaviorOfOne', numbers)
        : text('insights.behavior', { ...numbers, people, assistant: assistantName() })
    }
  }
}
