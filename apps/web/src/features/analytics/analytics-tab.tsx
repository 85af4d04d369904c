import type { AnalyticsPeriod } from '@mira/shared'
import { useQuery } from '@tanstack/react-query'
import { Printer } from 'lucide-react'
import { useState } from 'react'
import { useFormat } from '../../lib/format.ts'
import { useText } from '../../lib/i18n.ts'
import { LoadFailed } from '../../lib/load-failed.tsx'
import { assistantName } from '../../lib/page-meta.ts'
import { useUser } from '../../lib/session.ts'
import { useSettings } from '../../lib/settings.ts'
import { Card } from '../../ui/card.tsx'
import { classNames } from '../../ui/class-names.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { Select } from '../../ui/select.tsx'
import { LoadingRegion, Skeleton } from '../../ui/skeleton.tsx'
import { analyticsQuery, periods } from './analytics-queries.ts'
import { FeatureChart } from './feature-chart.tsx'
import { Heatmap } from './heatmap.tsx'
import { HourlyChart } from './hourly-chart.tsx'
import { InsightsPanel } from './insights-panel.tsx'
import { PeopleFilter } from './people-filter.tsx'
import { PerformancePanel } from './performance-panel.tsx'
import './print.css'
import { SummaryCards } from './summary-cards.tsx'
import { UsageChart } from './usage-chart.tsx'

/** The Analytics tab: how use and performance change over a period. */
export function AnalyticsTab() {
  const text = useText('analytics')
  const format = useFormat()
  const { role } = useUser()
  const { timezone } = useSettings()
  const [period, setPeriod] = useState<AnalyticsPeriod>('week')
  const [userId, setUserId] = useState<string | null>(null)
  const query = useQuery(analyticsQuery(period, userId, timezone))
  const { data } = query
  const isAdmin = role === 'admin'
  return (
    <div data-prints="" className="flex flex-col gap-5">
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="min-w-0">
          <h2 className="text-20 font-semibold">{text('title')}</h2>
          <p className="mt-1 text-14 text-muted">
            {text(isAdmin ? (userId === null ? 'subtitle.everyone' : 'subtitle.one') : 'subtitle.own', {
              assistant: assistantName(),
            })}
          </p>
          <p className="hidden text-13 text-muted print:block">{text(`periods.${period}`)}</p>
        </div>
        <div className="flex flex-wrap items-end gap-2 print:hidden">
          {isAdmin && <PeopleFilter userId={userId} onChange={setUserId} />}
          <Select
            label={text('periods.label')}
            labelHidden
            className="w-40"
            value={period}
            onValueChange={setPeriod}
            options={periods.map((value) => ({ value, label: text(`periods.${value}`) }))}
          />
          <IconButton
            name={text('print')}
            icon={<Printer />}
            variant="secondary"
            size="lg"
            disabled={!data}
            onClick={() => window.print()}
          />
        </div>
      </div>
      {query.isError && (
        <Card>
          <LoadFailed query={query} />
        </Card>
      )}
      {(data || !query.isError) && (
        <div
          aria-busy={query.isPlaceholderData}
          className={classNames('flex flex-col gap-5 transition-opacity', query.isPlaceholderData && 'opacity-60')}
        >
          {data?.as_of && (
            <p role="status" className="text-13 text-muted">
              {text('as_of', { time: format.time(data.as_of) })}
            </p>
          )}
          <SummaryCards data={data} />
          {data ? (
            <>
              <PerformancePanel data={data} />
              <div className="grid grid-cols-1 gap-5 lg:grid-cols-5 print:grid-cols-1">
                <div className="min-w-0 *:h-full lg:col-span-3">
                  <UsageChart data={data} />
                </div>
                <div className="min-w-0 *:h-full lg:col-span-2">
                  <FeatureChart data={data} />
                </div>
              </div>
              <HourlyChart data={data} />
              <Heatmap key={`${period} ${userId}`} data={data} />
              <InsightsPanel data={data} />
            </>
          ) : (
            <LoadingRegion label={text('loading')} className="flex flex-col gap-5">
              <Skeleton className="h-32 rounded-card" />
              <Skeleton className="h-80 rounded-card" />
              <Skeleton className="h-64 rounded-card" />
            </LoadingRegion>
          )}
        </div>
      )}
    </div>
  )
}
