import type { SystemPointJson } from '@mira/shared'
import { Area, AreaChart, Tooltip, XAxis, YAxis } from 'recharts'
import { useFormat } from '../../../lib/format/format.ts'
import { useText } from '../../../lib/i18n/i18n.ts'

/** Metrics sampled every five minutes, in display order. */
export const metricNames = [
  'requests',
  'request_errors',
  'memory_bytes',
  'cpu_share',
  'event_loop_delay_p99_ms',
  'database_bytes',
  'storage_bytes',
] as const satisfies readonly (keyof SystemPointJson)[]

type Metric = (typeof metricNames)[number]

/** Formatter of a metric's value with its unit. */
export function useMetricText(): (metric: Metric, value: number) => string {
  const format = useFormat()
  return (metric, value) => {
    switch (metric) {
      case 'requests':
      case 'request_errors':
        return format.number(value)
      case 'cpu_share':
        return format.percent(value * 100)
      case 'event_loop_delay_p99_ms':
        return `${format.number(value, value < 10 ? 1 : 0)} ms`
      default:
        return format.bytes(value)
    }
  }
}

/** A line with fewer points also gets dots, since it would be hard to see otherwise. */
const FEW_POINTS = 12

/** Small chart of each metric over the last day, with gaps where nothing was measured. */
export function DayCharts({ series }: { series: readonly SystemPointJson[] }) {
  return (
    <div className="grid grid-cols-1 gap-x-6 gap-y-5 sm:grid-cols-2 xl:grid-cols-4">
      {metricNames.map((metric) => (
        <DayChart key={metric} metric={metric} series={series} />
      ))}
    </div>
  )
}

function DayChart({ metric, series }: { metric: Metric; series: readonly SystemPointJson[] }) {
  const text = useText('system-admin')
  const format = useFormat()
  const metricText = useMetricText()
  const values = series.map((point) => point[metric]).filter((value) => value !== null)
  const last = values.at(-1)
  const max = Math.max(...values, 0)
  const name = text(`measures.${metric}`)
  return (
    <figure className="min-w-0">
      <figcaption className="flex items-baseline justify-between gap-3">
        <span className="truncate text-13 font-medium text-muted">{name}</span>
        <span className="shrink-0 text-14 font-semibold tabular-nums">
          {last === undefined ? '—' : metricText(metric, last)}
        </span>
      </figcaption>
      {last === undefined ? (
        <p className="grid h-16 place-items-center text-12 text-muted">{text('charts.nothing')}</p>
      ) : (
        <div
          role="img"
          aria-label={text('charts.picture', {
            name,
            last: metricText(metric, last),
            max: metricText(metric, max),
          })}
        >
          <AreaChart
            responsive
            accessibilityLayer={false}
            data={series}
            className="h-16 w-full"
            margin={{ top: 6, right: 3, bottom: 2, left: 3 }}
          >
            <XAxis dataKey="at" hide />
            <YAxis hide domain={[0, max === 0 ? 1 : max]} />
            <Tooltip
              cursor={{ stroke: 'var(--border-strong)' }}
              content={({ active, payload, label }) => {
                const value: unknown = payload[0]?.value
                if (!active || typeof value !== 'number') return null
                return (
                  <p className="rounded-control border border-border-float bg-surface-overlay px-2.5 py-1.5 text-12 shadow-float">
                    <span className="text-muted">{format.time(String(label))}</span>{' '}
                    <span className="font-medium tabular-nums">{metricText(metric, value)}</span>
                  </p>
                )
              }}
            />
            <Area
              dataKey={metric}
              type="linear"
              connectNulls={false}
              stroke="var(--data-1)"
              strokeWidth={1.5}
              fill="var(--data-1)"
              fillOpacity={0.14}
              dot={values.length < FEW_POINTS && { r: 2, fill: 'var(--data-1)', fillOpacity: 1, strokeWidth: 0 }}
              isAnimationActive={false}
            />
          </AreaChart>
        </div>
      )}
      <p aria-hidden className="flex justify-between text-12 text-muted tabular-nums">
        <span>{format.time(series[0]?.at ?? new Date())}</span>
        <span>{format.time(series.at(-1)?.at ?? new Date())}</span>
      </p>
    </figure>
  )
}
