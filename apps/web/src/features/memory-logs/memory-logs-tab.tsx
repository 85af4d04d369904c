import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { Download, History, SearchX } from 'lucide-react'
import { useState } from 'react'
import { exportMemoryLogs } from '../../api/memory-logs.ts'
import { useErrorText } from '../../lib/error-text.ts'
import { type ClientEvent, useUserEvents } from '../../lib/event-stream.ts'
import { useText } from '../../lib/i18n.ts'
import { LoadFailed } from '../../lib/load-failed.tsx'
import { saveFile } from '../../lib/save-file.ts'
import { useSoon } from '../../lib/use-soon.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { classNames } from '../../ui/class-names.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { showToast } from '../../ui/show-toast.ts'
import { LoadingRegion, Skeleton } from '../../ui/skeleton.tsx'
import { LogCards } from './log-cards.tsx'
import { LogEntry } from './log-entry.tsx'
import { countChosen, noFilters, useLogFilters } from './log-filters.ts'
import { LogTools } from './log-tools.tsx'
import { logsQuery, memoryLogsKey } from './memory-logs-queries.ts'

/** Events after which the timeline is fetched again. */
const telling: ReadonlySet<ClientEvent['type']> = new Set([
  ...(['chat.updated', 'media.updated', 'media.done', 'activity.recorded', 'events.resumed'] as const),
])

/** The Memory Logs tab: what the person asked, added, searched and called. */
export function MemoryLogsTab() {
  const text = useText('memory-logs')
  const [filters, changeFilters] = useLogFilters()
  const query = useInfiniteQuery(logsQuery(filters))
  const queryClient = useQueryClient()
  const [newest] = query.data?.pages ?? []
  const entries = query.data?.pages.flatMap((page) => page.entries) ?? []
  const isFiltered = filters.query !== '' || countChosen(filters) > 0

  const heading = newest ? text('timeline', { count: newest.total }) : text('timelineLoading')

  const refreshSoon = useSoon(() => void queryClient.invalidateQueries({ queryKey: memoryLogsKey }))
  useUserEvents(({ type }) => {
    if (telling.has(type)) refreshSoon()
  })

  return (
    <div className="flex flex-col gap-5">
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="min-w-0">
          <h2 className="text-20 font-semibold">{text('title')}</h2>
          <p className="mt-1 text-14 text-muted">{text('subtitle')}</p>
        </div>
        <ExportButton isDisabled={!newest || newest.total === 0} />
      </div>
      {!newest && query.isError ? (
        <Card>
          <LoadFailed query={query} />
        </Card>
      ) : (
        <>
          <LogCards data={newest} />
          <LogTools filters={filters} onChange={changeFilters} />
          <section aria-labelledby="timeline">
            <h3 id="timeline" className="mb-3 text-16 font-semibold tracking-tight">
              {heading}
            </h3>
            <p role="status" className="sr-only">
              {newest && heading}
            </p>
            <Card flush className={classNames('transition-opacity', query.isPlaceholderData && 'opacity-55')}>
              {!newest && <TimelineSkeleton />}
              {newest && entries.length === 0 && (
                <EmptyState
                  level={3}
                  icon={isFiltered ? <SearchX /> : <History />}
                  title={text('empty.title')}
                  text={text('empty.text')}
                  action={
                    isFiltered && <Button onClick={() => changeFilters(noFilters)}>{text('filters.clear')}</Button>
                  }
                />
              )}
              {entries.length > 0 && (
                <ul className="divide-y divide-border">
                  {entries.map((entry) => (
                    <LogEntry key={entry.id} entry={entry} />
                  ))}
                </ul>
              )}
            </Card>
            {query.hasNextPage && newest && (
              <LoadMore
                className="mt-4"
                label={text('more')}
                loading={query.isFetchingNextPage}
                onLoadMore={() => void query.fetchNextPage()}
                status={text('shown', { shown: entries.length, total: newest.total })}
              />
            )}
          </section>
        </>
      )}
    </div>
  )
}

function ExportButton({ isDisabled }: { isDisabled: boolean }) {
  const text = useText('memory-logs')
  const errorText = useErrorText()
  const [filters] = useLogFilters()
  const [isBusy, setBusy] = useState(false)
  const save = async () => {
    setBusy(true)
    try {
      saveFile(await exportMemoryLogs(filters))
    } catch (error) {
      showToast({ tone: 'danger', title: text('exportFailed'), description: errorText(error) })
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button icon={<Download aria-hidden />} loading={isBusy} disabled={isDisabled} onClick={() => void save()}>
      {text('export')}
    </Button>
  )
}

function TimelineSkeleton() {
  const text = useText('app')
  return (
    <LoadingRegion label={text('common.loading')} className="divide-y divide-border">
      {[1, 2, 3, 4, 5].map((row) => (
        <div key={row} className="flex items-center gap-3 px-5 py-4">
          <Skeleton className="size-9 rounded-full" />
          <div className="flex-1">
            <Skeleton className="h-4 w-3/5 max-w-80" />
            <Skeleton className="mt-1.5 h-3 w-32" />
          </div>
        </div>
      ))}
    </LoadingRegion>
  )
}
