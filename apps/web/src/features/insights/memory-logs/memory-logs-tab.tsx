import type { MemoryLogsResponseJson } from '@mira/shared'
import { LOG_QUERY_MAX_CHARACTERS } from '@mira/shared/constants/limits'
import { infiniteQueryOptions, keepPreviousData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import {
  ChevronDown,
  Database,
  Download,
  Filter,
  History,
  SearchX,
  SlidersHorizontal,
  Target,
  Timer,
} from 'lucide-react'
import { useId, useState } from 'react'
import { call } from '../../../lib/api/client.ts'
import { saveFile } from '../../../lib/browser/save-file.ts'
import { NextPage } from '../../../lib/components/query-list.tsx'
import { useFormat } from '../../../lib/format/format.ts'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { type ClientEvent, useUserEvents } from '../../../lib/loading/event-stream.ts'
import { useThrottledAction } from '../../../lib/loading/use-throttled-action.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { DebouncedSearchField } from '../../../ui/debounced-search-field.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { Select } from '../../../ui/select.tsx'
import { showToast } from '../../../ui/show-toast.ts'
import { LoadingRegion, Skeleton } from '../../../ui/skeleton.tsx'
import { StatCard } from '../../../ui/stat-card.tsx'
import { FailedCard, StatCards, TabHeader } from '../dashboard-parts.tsx'
import { LogEntry } from './log-entry.tsx'
import {
  countChosenOptions,
  exportMemoryLogs,
  type FilterName,
  filterOptions,
  type LogFilters,
  noFilters,
  useLogFilters,
} from './log-filters.ts'

const filterNames: readonly FilterName[] = ['type', 'content_type', 'range', 'sentiment']

/** Search box and collapsible filters. */
function LogTools({ filters, onChange }: LogToolsProps) {
  const text = useText('memory-logs')
  const appText = useText('app')
  const activeCount = countChosenOptions(filters)
  const [isOpen, setOpen] = useState(activeCount > 0)
  const panelId = useId()
  return (
    <div className="flex flex-col gap-3">
      <div className="flex gap-3">
        <DebouncedSearchField
          label={text('search')}
          clearLabel={appText('common.clearSearch')}
          placeholder={text('placeholder')}
          maxLength={LOG_QUERY_MAX_CHARACTERS}
          query={filters.query}
          onQueryChange={(query) => onChange({ query })}
          className="flex-1"
        />
        <Button
          aria-expanded={isOpen}
          aria-controls={panelId}
          icon={<SlidersHorizontal aria-hidden />}
          onClick={() => setOpen(!isOpen)}
          className="h-10"
        >
          {text('filters.title')}
          {activeCount > 0 && <Badge tone="accent">{activeCount}</Badge>}
          <ChevronDown aria-hidden className={classNames('transition-transform', isOpen && 'rotate-180')} />
        </Button>
      </div>
      <Card id={panelId} hidden={!isOpen}>
        <div className="grid grid-cols-1 gap-3 sm:grid-cols-2 lg:grid-cols-4">
          {filterNames.map((name) => (
            <Select<string>
              key={name}
              label={text(`filters.${name}.label`)}
              value={filters[name]}
              onValueChange={(value) => onChange({ [name]: value })}
              options={filterOptions[name].map((value) => ({
                value,
                label: text(`filters.${name}.${value}` as Parameters<typeof text>[0]),
              }))}
            />
          ))}
        </div>
        <Button
          variant="ghost"
          size="sm"
          className="mt-3 -ml-2.5"
          disabled={activeCount === 0 && filters.query === ''}
          onClick={() => onChange(noFilters)}
        >
          {text('filters.clear')}
        </Button>
      </Card>
    </div>
  )
}

type LogToolsProps = { filters: LogFilters; onChange: (change: Partial<LogFilters>) => void }

/** The five cards above the timeline: four overall figures, and the number of matching entries. */
function LogCards({ data }: { data: MemoryLogsResponseJson | undefined }) {
  const text = useText('memory-logs')
  const format = useFormat()
  const stats = data?.stats
  const response = stats?.avg_response_time ?? null
  // unknown until a search result has been opened
  const accuracy = stats?.search_accuracy || null
  const loading = !data
  return (
    <StatCards label={text('cards.label')} count="five">
      <StatCard
        label={text('cards.interactions')}
        icon={<History />}
        loading={loading}
        value={stats ? format.number(stats.total_interactions) : null}
        explanation={text('cards.explain.interactions')}
      />
      <StatCard
        label={text('cards.response')}
        icon={<Timer />}
        loading={loading}
        value={response === null ? null : format.number(response, response < 1 ? 3 : 1)}
        unit="s"
        note={stats && response === null ? text('cards.notMeasured') : undefined}
        explanation={text(response === null ? 'cards.explain.noResponse' : 'cards.explain.response')}
      />
      <StatCard
        label={text('cards.size')}
        icon={<Database />}
        loading={loading}
        value={stats ? format.bytes(stats.memory_size) : null}
        explanation={text('cards.explain.size')}
      />
      <StatCard
        label={text('cards.accuracy')}
        icon={<Target />}
        loading={loading}
        value={accuracy === null ? null : format.percent(accuracy)}
        note={stats && accuracy === null ? text('cards.notMeasured') : undefined}
        explanation={text(accuracy === null ? 'cards.explain.noAccuracy' : 'cards.explain.accuracy')}
      />
      <StatCard
        label={text('cards.filtered')}
        icon={<Filter />}
        loading={loading}
        value={data ? format.number(data.total) : null}
        className="max-sm:col-span-2"
      />
    </StatCards>
  )
}

const PAGE_SIZE = 25

/** Prefix of the query keys of this tab. */
const memoryLogsKey = ['memory-logs']

/** The timeline, page by page; with new filters the old entries stay until the new ones are loaded. */
function logsQuery(filters: LogFilters) {
  return infiniteQueryOptions({
    queryKey: [...memoryLogsKey, filters],
    queryFn: ({ signal, pageParam }) =>
      call('GET /memory/logs', { signal, query: { ...filters, limit: PAGE_SIZE, cursor: pageParam } }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    placeholderData: keepPreviousData,
    staleTime: 0,
  })
}

/** Events after which the timeline is refetched. */
const refreshingEvents: ReadonlySet<ClientEvent['type']> = new Set([
  ...(['chat.updated', 'media.updated', 'media.done', 'activity.recorded', 'events.resumed'] as const),
])

/** The Memory Logs tab: the user's questions, uploads, searches and agent calls. */
export function MemoryLogsTab() {
  const text = useText('memory-logs')
  const [filters, changeFilters] = useLogFilters()
  const query = useInfiniteQuery(logsQuery(filters))
  const queryClient = useQueryClient()
  const [newest] = query.data?.pages ?? []
  const entries = query.data?.pages.flatMap((page) => page.entries) ?? []
  const isFiltered = filters.query !== '' || countChosenOptions(filters) > 0

  const heading = newest ? text('timeline', { count: newest.total }) : text('timelineLoading')

  const refreshSoon = useThrottledAction(() => void queryClient.invalidateQueries({ queryKey: memoryLogsKey }))
  useUserEvents(({ type }) => {
    if (refreshingEvents.has(type)) refreshSoon()
  })

  return (
    <div className="flex flex-col gap-5">
      <TabHeader title={text('title')} subtitle={text('subtitle')}>
        <ExportButton isDisabled={!newest || newest.total === 0} />
      </TabHeader>
      {query.isLoadingError ? (
        <FailedCard query={query} />
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
            {newest && (
              <NextPage
                query={query}
                className="mt-4"
                label={text('more')}
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
