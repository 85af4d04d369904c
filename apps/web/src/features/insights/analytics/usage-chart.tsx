import type { AnalyticsJson } from '@mira/shared'
import { CartesianGrid, Line, LineChart, Tooltip, XAxis, YAxis } from 'recharts'
import { useFormat } from '../../../lib/format/format.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { ChartCard } from './chart-card.tsx'
import { axisProps, Picture, ValuesAtPointer } from './chart-parts.tsx'
import { useNames } from './use-names.ts'

/** Lines differ by dashes too, for who cannot tell their colours apart. */
const lines = [
  { key: 'chat', color: 'var(--data-1)', dash: undefined },
  { key: 'upload', color: 'var(--data-2)', dash: '7 3' },
  { key: 'agents', color: 'var(--data-3)', dash: '2 3' },
  { key: 'search', color: 'var(--data-4)', dash: '9 3 2 3' },
] as const

/** Usage Trends: what was done on each day, or in each hour of the last one. */
export function UsageChart({ data: { usage, period, time_zone: timeZone } }: { data: AnalyticsJson }) {
  const text = useText('analytics')
  const format = useFormat()
  const names = useNames()
  const totals = lines.map(({ key }) => usage.reduce((sum, row) => sum + row[key], 0))
  const summary = format.list(
    lines.map(({ key }, place) => `${text(`series.${key}`)} ${format.number(totals[place] ?? 0)}`),
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
          <YAxis {...axisProps} width={36} allowDecimals={false} />
          <Tooltip
            cursor={{ stroke: 'var(--border-strong)' }}
            content={(props) => <ValuesAtPointer {...props} nameOf={(label) => names.point(String(label))} />}
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
        {lines.map(({ key, color, dash }, place) => (
          <li key={key} className="flex items-center gap-2">
            <svg aria-hidden viewBox="0 0 22 4" className="h-1 w-5.5">
              <line x1="0" y1="2" x2="22" y2="2" stroke={color} strokeWidth="2.5" strokeDasharray={dash} />
            </svg>
            <span className="text-muted">{text(`series.${key}`)}</span>
            <span className="font-medium tabular-nums">{format.number(totals[place] ?? 0)}</span>
          </li>
        ))}
      </ul>
    </ChartCard>
  )
}
