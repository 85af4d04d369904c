import type { AnalyticsJson } from '@mira/shared'
import { Pie, PieChart } from 'recharts'
import { useFormat } from '../../lib/format.ts'
import { useText } from '../../lib/i18n.ts'
import { assistantName } from '../../lib/page-meta.ts'
import { ChartCard } from './chart-card.tsx'
import { Mark, Picture } from './chart-parts.tsx'

/** Feature Usage Distribution: how use is divided among the four features. */
export function FeatureChart({ data: { features, period } }: { data: AnalyticsJson }) {
  const text = useText('analytics')
  const format = useFormat()
  const share = (value: number | null) => (value === null ? '—' : format.percent(value))
  const slices = features.map((feature) => ({ ...feature, fill: `var(--${feature.color})` }))
  return (
    <ChartCard
      title={text('features.title')}
      description={text('features.description', { assistant: assistantName() })}
      fileName={`feature_usage_${period}`}
      isEmpty={features.every(({ count }) => count === 0)}
      table={{
        columns: [text('columns.feature'), text('columns.count'), text('columns.percent')],
        rows: features.map(({ name, count, value }) => [text(`featureNames.${name}`), count, value]),
      }}
    >
      <div className="flex flex-1 flex-wrap items-center justify-center gap-x-8 gap-y-4">
        <Picture
          label={text('features.picture', {
            summary: format.list(features.map(({ name, value }) => `${text(`featureNames.${name}`)} ${share(value)}`)),
          })}
        >
          <PieChart responsive accessibilityLayer={false} className="size-48">
            <Pie
              data={slices}
              dataKey="count"
              nameKey="name"
              innerRadius="58%"
              outerRadius="100%"
              stroke="var(--surface-raised)"
              strokeWidth={2}
              startAngle={90}
              endAngle={-270}
              isAnimationActive={false}
            />
          </PieChart>
        </Picture>
        <ul className="flex min-w-56 flex-1 flex-col gap-2 text-13">
          {slices.map(({ name, value, count, fill }) => (
            <li key={name} className="flex items-center gap-2">
              <Mark color={fill} />
              <span className="min-w-0 flex-1">{text(`featureNames.${name}`)}</span>
              <span className="text-muted tabular-nums">{format.number(count)}</span>
              <span className="w-16 text-right font-medium tabular-nums">{share(value)}</span>
            </li>
          ))}
        </ul>
      </div>
    </ChartCard>
  )
}
