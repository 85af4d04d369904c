import { queryOptions, useQuery } from '@tanstack/react-query'
import { fetchSystemOverview } from '../../api/system.ts'
import { useText } from '../../lib/i18n.ts'
import { LoadFailed } from '../../lib/load-failed.tsx'
import { RelativeTime } from '../../lib/relative-time.tsx'
import { useSettings } from '../../lib/settings.ts'
import { Card } from '../../ui/card.tsx'
import { LoadingRegion, Skeleton } from '../../ui/skeleton.tsx'
import { DayCard } from './day-card.tsx'
import { KnownItems } from './known-items.tsx'
import { SystemCards } from './system-cards.tsx'
import { EngineStates, QueueDepths, Servers, SystemFacts } from './system-lists.tsx'

const REFRESH_MS = 30_000

/** Asked again by the clock unless the person saves data. */
function systemQuery(isSavingData: boolean) {
  return queryOptions({
    queryKey: ['admin', 'system'],
    queryFn: ({ signal }) => fetchSystemOverview(signal),
    refetchInterval: isSavingData ? false : REFRESH_MS,
    staleTime: 0,
  })
}

/** The System Overview of the admin panel: how the instance and its servers do. */
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
      {!data && query.isError ? (
        <Card>
          <LoadFailed query={query} />
        </Card>
      ) : (
        <>
          <SystemCards data={data} />
          {data ? (
            <>
              <DayCard series={data.series} />
              <div className="grid items-start gap-4 lg:grid-cols-2">
                <EngineStates data={data} />
                <div className="grid gap-4">
                  <KnownItems trial={data.known_items} />
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
