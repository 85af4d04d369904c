import type { AnalyticsJson } from '@mira/shared'
import { Area, AreaChart, CartesianGrid, Tooltip, XAxis, YAxis } from 'recharts'
import { useFormat } from '../../lib/format.ts'
import { useText } from '../../lib/i18n.ts'
import { ChartCard } from './chart-card.tsx'
import { axisProps, Picture, ValuesAtPointer } from './chart-parts.tsx'
import { useNames } from './use-names.ts'

/** Hourly Activity Pattern: at which hours of the day Mira is used. */
export function HourlyChart({ data: { hourly, period, time_zone: timeZone } }: { data: AnalyticsJson }) {
  const text = useText('analytics')
  const format = useFormat()
  const names = useNames()
  const busiest = hourly.reduce((most, row) => (row.count > most.count ? row : most))
  return (
    <ChartCard
      title={text('hourly.title')}
      description={text('hourly.description', { zone: timeZone })}
      fileName={`hourly_activity_${period}`}
      isEmpty={busiest.count === 0}
      table={{
        columns: [text('columns.hour'), text('columns.count'), text('columns.users')],
        rows: hourly.map(({ hour, count, users }) => [names.hour(hour), count, users]),
      }}
    >
      <Picture label={text('hourly.picture', { hour: names.hour(busiest.hour), count: format.number(busiest.count) })}>
        <AreaChart
          responsive
          accessibilityLayer={false}
          data={hourly}
          className="h-56 w-full"
          margin={{ top: 8, right: 8, bottom: 0, left: 0 }}
        >
          <CartesianGrid stroke="var(--border)" vertical={false} />
          <XAxis {...axisProps} dataKey="hour" tickFormatter={names.hour} minTickGap={20} />
          <YAxis {...axisProps} width={36} allowDecimals={false} />
          <Tooltip
            cursor={{ stroke: 'var(--border-strong)' }}
            content={(props) => <ValuesAtPointer {...props} nameOf={(label) => names.hour(Number(label))} />}
          />
          <Area
            dataKey="count"
            name={text('columns.count')}
            type="monotone"
            stroke="var(--data-1)"
            strokeWidth={2}
            fill="var(--data-1)"
            fillOpacity={0.16}
            isAnimationActive={false}
          />
        </AreaChart>
      </Picture>
    </ChartCard>
  )
}
