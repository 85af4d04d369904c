import type { SystemOverviewJson, SystemPointJson } from '@mira/shared'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { ChartLine, Clock, HardDrive, MemoryStick, MessagesSquare, Table2, TriangleAlert, Webhook } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { call } from '../../../lib/api/client.ts'
import { RelativeTime } from '../../../lib/components/relative-time.tsx'
import { useFormat } from '../../../lib/format/format.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { useSettings } from '../../../lib/session/settings.ts'
import { Button } from '../../../ui/button.tsx'
import { Card, CardHeader } from '../../../ui/card.tsx'
import { LoadingRegion, Skeleton } from '../../../ui/skeleton.tsx'
import { StatCard } from '../../../ui/stat-card.tsx'
import { Cell, HeaderCell, Row, RowHeaderCell, Table } from '../../../ui/table.tsx'
import { FailedCard, StatCards } from '../dashboard-parts.tsx'
import { metricNames, useMetricText } from './day-charts.tsx'
import { EngineStates, QueueDepths, Servers, SystemFacts } from './system-lists.tsx'

const DayCharts = lazy(() => import('./day-charts.tsx').then((file) => ({ default: file.DayCharts })))

/** Metrics of the last day, as small charts or as a table. */
function DayCard({ series }: { series: readonly SystemPointJson[] }) {
  const text = useText('system-admin')
  const [showsTable, setShowsTable] = useState(false)
  return (
    <Card>
      <CardHeader
        title={text('charts.title')}
        description={text('charts.text')}
        level={3}
        actions={
          <Button
            size="sm"
            icon={showsTable ? <ChartLine aria-hidden /> : <Table2 aria-hidden />}
            onClick={() => setShowsTable(!showsTable)}
          >
            {text(showsTable ? 'charts.showCharts' : 'charts.showTable')}
          </Button>
        }
      />
      {showsTable ? (
        <DayTable series={series} />
      ) : (
        <Suspense fallback={<Skeleton className="h-52" />}>
          <DayCharts series={series} />
        </Suspense>
      )}
    </Card>
  )
}

/** Metrics as a table, newest first. */
function DayTable({ series }: { series: readonly SystemPointJson[] }) {
  const text = useText('system-admin')
  const format = useFormat()
  const metricText = useMetricText()
  return (
    <Table label={text('charts.title')} className="max-h-96 rounded-control border border-border">
      <thead>
        <tr>
          <HeaderCell>{text('charts.from')}</HeaderCell>
          {metricNames.map((metric) => (
            <HeaderCell key={metric} align="right">
              {text(`measures.${metric}`)}
            </HeaderCell>
          ))}
        </tr>
      </thead>
      <tbody>
        {series.toReversed().map((point) => (
          <Row key={point.at}>
            <RowHeaderCell className="h-9 whitespace-nowrap">{format.dateTime(point.at)}</RowHeaderCell>
            {metricNames.map((metric) => {
              const value = point[metric]
              return (
                <Cell key={metric} align="right" className="h-9 whitespace-nowrap">
                  {value === null ? '—' : metricText(metric, value)}
                </Cell>
              )
            })}
          </Row>
        ))}
      </tbody>
    </Table>
  )
}

const DAY_SECONDS = 86_400

function SystemCards({ data }: { data: SystemOverviewJson | undefined }) {
  const text = useText('system-admin')
  const format = useFormat()
  const loading = !data
  const errorRate = data?.error_rate ?? null
  const disk = data?.disk ?? null
  const uptime = (seconds: number) =>
    seconds < DAY_SECONDS
      ? format.duration(seconds)
      : text('cards.days', {
          days: Math.floor(seconds / DAY_SECONDS),
          hours: Math.floor((seconds % DAY_SECONDS) / 3600),
        })
  const share = ({ used_bytes, total_bytes }: { used_bytes: number; total_bytes: number }) =>
    text('cards.shareOf', { share: format.percent((100 * used_bytes) / total_bytes), total: format.bytes(total_bytes) })
  return (
    <StatCards label={text('cards.label')} count="six">
      <StatCard
        label={text('cards.sessions')}
        icon={<MessagesSquare />}
        loading={loading}
        value={data ? format.number(data.sessions.chat) : null}
        note={data && text('cards.signedIn', { count: data.sessions.signed_in })}
        explanation={text('cards.explain.sessions')}
      />
      <StatCard
        label={text('cards.uptime')}
        icon={<Clock />}
        loading={loading}
        value={data ? uptime(data.uptime) : null}
        explanation={text('cards.explain.uptime')}
      />
      <StatCard
        label={text('cards.memory')}
        icon={<MemoryStick />}
        loading={loading}
        value={data ? format.bytes(data.memory.used_bytes) : null}
        note={data && share(data.memory)}
        explanation={text('cards.explain.memory')}
      />
      <StatCard
        label={text('cards.disk')}
        icon={<HardDrive />}
        loading={loading}
        value={disk ? format.bytes(disk.used_bytes) : null}
        note={disk && share(disk)}
        explanation={text(data && disk === null ? 'cards.explain.noDisk' : 'cards.explain.disk')}
      />
      <StatCard
        label={text('cards.calls')}
        icon={<Webhook />}
        loading={loading}
        value={data ? format.number(data.api_calls) : null}
        note={data && text('cards.lastDay')}
        explanation={text('cards.explain.calls')}
      />
      <StatCard
        label={text('cards.errors')}
        icon={<TriangleAlert />}
        loading={loading}
        value={errorRate === null ? null : format.percent(errorRate, errorRate > 0 && errorRate < 0.1 ? 2 : 1)}
        note={data && text(errorRate === null ? 'cards.noCalls' : 'cards.lastDay')}
        explanation={text('cards.explain.errors')}
      />
    </StatCards>
  )
}

/** Result of the last check that search finds known items in users' memories. */
function KnownItems({ check }: { check: SystemOverviewJson['known_items'] }) {
  const text = useText('system-admin')
  const format = useFormat()
  const searches = check
    ? ([
        ['words', check.words],
        ['meaning', check.meaning],
      ] as const)
    : []
  return (
    <Card>
      <CardHeader title={text('known.title')} description={text('known.text')} level={3} />
      {check ? (
        <>
          <p className="text-16 font-medium text-pretty">
            {text('known.found', { found: check.found, asked: check.asked })}
          </p>
          <p className="mt-0.5 text-13 text-muted">
            {text.rich('known.measured', { time: () => <RelativeTime moment={check.measured_at} /> })}
          </p>
          <dl className="mt-3 flex flex-col divide-y divide-border">
            {searches.map(([name, figures]) => (
              <div key={name} className="flex items-baseline justify-between gap-4 py-2.5 last:pb-0">
                <dt className="text-14">{text(`known.${name}`)}</dt>
                <dd className="text-right text-14 text-muted tabular-nums">
                  {figures
                    ? `${text('known.of', { found: figures.found, asked: figures.asked })} · ${format.percent((100 * figures.found) / figures.asked, 0)}`
                    : text('known.noEngine')}
                </dd>
              </div>
            ))}
          </dl>
        </>
      ) : (
        <p className="text-14 text-pretty text-muted">{text('known.none')}</p>
      )}
    </Card>
  )
}

const REFRESH_MS = 30_000

/** System overview, polled unless data saver is on. */
function systemQuery(isSavingData: boolean) {
  return queryOptions({
    queryKey: ['admin', 'system'],
    queryFn: ({ signal }) => call('GET /admin/system', { signal }),
    refetchInterval: isSavingData ? false : REFRESH_MS,
    staleTime: 0,
  })
}

/** The System Overview of the admin panel: state of the instance and its servers. */
export function SystemOverviewTab() {
  const text = useText('system-admin')
  const appText = useText('app')
  const { dataSaver } = useSettings()
  const query = useQuery(systemQuery(dataSaver))
  const { data } = query
  return (
    <div className="flex flex-col gap-5">
      <div className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1">
        <h2 className="text-20 font-semibold">{text('title')}</h2>
        {data && (
          <p className="text-13 text-muted">
            {text.rich('measured', { time: () => <RelativeTime moment={data.measured_at} /> })}
          </p>
        )}
      </div>
      {query.isLoadingError ? (
        <FailedCard query={query} />
      ) : (
        <>
          <SystemCards data={data} />
          {data ? (
            <>
              <DayCard series={data.series} />
              <div className="grid items-start gap-4 lg:grid-cols-2">
                <EngineStates data={data} />
                <div className="grid gap-4">
                  <KnownItems check={data.known_items} />
                  <SystemFacts data={data} />
                  <QueueDepths data={data} />
                </div>
              </div>
              <Servers data={data} />
            </>
          ) : (
            <LoadingRegion label={appText('common.loading')} className="flex flex-col gap-4">
              <Skeleton className="h-72 rounded-card" />
              <Skeleton className="h-64 rounded-card" />
            </LoadingRegion>
          )}
        </>
      )}
    </div>
  )
}
