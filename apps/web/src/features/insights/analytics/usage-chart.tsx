import type { AnalyticsJson } from '@mira/shared'
import type { ReactNode } from 'react'
import { CartesianGrid, Line, LineChart, Tooltip, type TooltipContentProps, XAxis, YAxis } from 'recharts'
import { useFormat } from '../../../lib/format/format.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { ChartCard, useNames } from './chart-card.tsx'

export const axisProps = {
  stroke: 'var(--border-strong)',
  tick: { fill: 'var(--text-muted)', fontSize: 12 },
  tickLine: false,
  axisLine: false,
} as const

/** Wrapper of a chart. Screen readers get one sentence; the details are in the table. */
export function Picture({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div role="img" aria-label={label} className="min-w-0">
      {children}
    </div>
  )
}

/** Tooltip with the values at the pointer, each with a dot in its line's colour. */
export function ChartTooltip({
  active,
  payload,
  label,
  nameOf,
}: Pick<TooltipContentProps, 'active' | 'payload' | 'label'> & { nameOf: (label: string | number) => string }) {
  const format = useFormat()
  if (!active || payload.length === 0) return null
  return (
    <div className="rounded-control border border-border-float bg-surface-overlay px-3 py-2 text-12 shadow-float">
      <p className="mb-1 font-medium">{nameOf(label ?? '')}</p>
      <ul className="flex flex-col gap-0.5">
        {payload.map(({ name, value, color }) => (
          <li key={String(name)} className="flex items-center justify-between gap-4">
            <span className="flex items-center gap-1.5 text-muted">
              <LegendDot color={color ?? 'var(--data-6)'} />
              {name}
            </span>
            <span className="font-medium tabular-nums">
              {typeof value === 'number' ? format.number(value) : String(value)}
            </span>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** A dot in the colour of a series. */
export function LegendDot({ color }: { color: string }) {
  return (
    <svg aria-hidden viewBox="0 0 8 8" className="size-2 shrink-0">
      <circle cx="4" cy="4" r="4" fill={color} />
    </svg>
  )
}

/** Lines differ by dashes, too, for users who can't distinguish the colours. */
const lines = [
  { key: 'chat', color: 'var(--data-1)', dash: undefined },
  { key: 'upload', color: 'var(--data-2)', dash: '7 3' },
  { key: 'agents', color: 'var(--data-3)', dash: '2 3' },
  { key: 'search', color: 'var(--data-4)', dash: '9 3 2 3' },
] as const

/** Usage Trends: activity per day, or per hour of the last day. */
export function UsageChart({ data: { usage, period, time_zone: timeZone } }: { data: AnalyticsJson }) {
  const text = useText('analytics')
  const format = useFormat()
  const names = useNames()
  const totals = lines.map(({ key }) => usage.reduce((sum, row) => sum + row[key], 0))
  const summary = format.list(
    lines.map(({ key }, index) => `${text(`series.${key}`)} ${format.number(totals[index] ?? 0)}`),
  )
  return (
    <ChartCard
      title={text('usage.title')}
      description={text(period === 'day' ? 'usage.byHour' : 'usage.byDay', { zone: timeZone })}
      fileName={`usage_trends_${period}`}
      isEmpty={totals.every((total) => total === 0)}
      table={{
        columns: [
          text(period === 'day' ? 'columns.hour' : 'columns.date'),
          ...lines.map(({ key }) => text(`series.${key}`)),
        ],
        rows: usage.map(({ date, chat, upload, agents, search }) => [date, chat, upload, agents, search]),
      }}
    >
      <Picture label={text('usage.picture', { summary })}>
        <LineChart
          responsive
          accessibilityLayer={false}
          data={usage}
          className="h-64 w-full"
          margin={{ top: 8, right: 8, bottom: 0, left: 0 }}
        >
          <CartesianGrid stroke="var(--border)" vertical={false} />
          <XAxis {...axisProps} dataKey="date" tickFormatter={names.point} minTickGap={28} />
          <YAxis
            {...axisProps}
            width="auto"
            allowDecimals={false}
            tickFormatter={(value: number) => format.number(value)}
          />
          <Tooltip
            cursor={{ stroke: 'var(--border-strong)' }}
            content={(props) => <ChartTooltip {...props} nameOf={(label) => names.point(String(label))} />}
          />
          {lines.map(({ key, color, dash }) => (
            <Line
              key={key}
              dataKey={key}
              name={text(`series.${key}`)}
              stroke={color}
              strokeDasharray={dash}
              strokeWidth={2}
              dot={false}
              isAnimationActive={false}
            />
          ))}
        </LineChart>
      </Picture>
      <ul className="mt-3 flex flex-wrap gap-x-5 gap-y-1 text-12">
        {lines.map(({ key, color, dash }, index) => (
          <li key={key} className="flex items-center gap-2">
            <svg aria-hidden viewBox="0 0 22 4" className="h-1 w-5.5">
              <line x1="0" y1="2" x2="22" y2="2" stroke={color} strokeWidth="2.5" strokeDasharray={dash} />
            </svg>
            <span className="text-muted">{text(`series.${key}`)}</span>
            <span className="font-medium tabular-nums">{format.number(totals[index] ?? 0)}</span>
          </li>
        ))}
      </ul>
    </ChartCard>
  )
}
