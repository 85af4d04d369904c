import type { AnalyticsJson } from '@mira/shared'
import { ArrowDownRight, ArrowRight, ArrowUpRight } from 'lucide-react'
import { type Format, useFormat } from '../../../lib/format/format.ts'
import { type Text, useText } from '../../../lib/i18n/i18n.ts'
import { Card, CardHeader } from '../../../ui/card.tsx'
import { classNames } from '../../../ui/class-names.ts'

type Row = AnalyticsJson['performance'][number]

const arrows = { up: ArrowUpRight, down: ArrowDownRight, stable: ArrowRight }
/** Less is better in every one of them. */
const tones = { up: 'text-danger-text', down: 'text-success-text', stable: 'text-muted' }

/** Performance Metrics: how long answers and files take, and how much fails. */
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
