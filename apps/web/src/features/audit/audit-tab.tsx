import type { AuditEntryJson } from '@mira/shared'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { Download, ScrollText, SearchX } from 'lucide-react'
import { useState } from 'react'
import { type AuditSearch, exportAudit, fetchAudit } from '../../api/audit.ts'
import { useErrorText } from '../../lib/error-text.ts'
import { useText } from '../../lib/i18n.ts'
import { LoadFailed } from '../../lib/load-failed.tsx'
import { RelativeTime } from '../../lib/relative-time.tsx'
import { saveFile } from '../../lib/save-file.ts'
import { Badge, type BadgeTone } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { classNames } from '../../ui/class-names.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { PausingSearchField } from '../../ui/pausing-search-field.tsx'
import { Select } from '../../ui/select.tsx'
import { LoadingRegion, Skeleton } from '../../ui/skeleton.tsx'
import { showToast } from '../../ui/toast.ts'

const PAGE_SIZE = 50
const everything: AuditSearch = { query: '', outcome: '' }
const outcomes = ['', 'done', 'begun', 'failed'] as const
const tones: Record<AuditEntryJson['outcome'], BadgeTone> = { done: 'success', begun: 'neutral', failed: 'danger' }

/** The audit log: what administrators and sign-ins did, to search and to take along. */
export function AuditTab() {
  const text = useText('audit')
  const appText = useText('app')
  const [search, setSearch] = useState(everything)
  const query = useInfiniteQuery({
    queryKey: ['audit', search],
    queryFn: ({ signal, pageParam }) => fetchAudit(search, { limit: PAGE_SIZE, cursor: pageParam }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    placeholderData: keepPreviousData,
    staleTime: 0,
  })
  const entries = query.data?.pages.flatMap((page) => page.entries) ?? []
  const isSearched = search.query !== '' || search.outcome !== ''
  const change = (part: Partial<AuditSearch>) => setSearch((before) => ({ ...before, ...part }))
  return (
    <section aria-labelledby="audit" className="flex flex-col gap-4">
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="min-w-0">
          <h2 id="audit" className="text-20 font-semibold">
            {text('title')}
          </h2>
          <p className="mt-1 text-14 text-muted">{text('subtitle')}</p>
        </div>
        <ExportButton search={search} />
      </div>
      <div className="flex flex-wrap items-end gap-3">
        <PausingSearchField
          label={text('search')}
          clearLabel={appText('common.clearSearch')}
          placeholder={text('placeholder')}
          maxLength={200}
          query={search.query}
          onQueryChange={(next) => change({ query: next })}
          className="min-w-56 flex-1"
        />
        <Select<AuditSearch['outcome'] | 'all'>
          label={text('outcome.label')}
          value={search.outcome || 'all'}
          onValueChange={(value) => change({ outcome: value === 'all' ? '' : value })}
          options={outcomes.map((value) => ({ value: value || 'all', label: text(`outcome.${value || 'all'}`) }))}
        />
      </div>
      <Card flush className={classNames('transition-opacity', query.isPlaceholderData && 'opacity-55')}>
        {!query.data && query.isError && <LoadFailed query={query} />}
        {query.isPending && (
          <LoadingRegion label={appText('common.loading')} className="p-5">
            <Skeleton className="h-40" />
          </LoadingRegion>
        )}
        {query.data && entries.length === 0 && (
          <EmptyState
            level={3}
            icon={isSearched ? <SearchX /> : <ScrollText />}
            title={text('empty')}
            text={text(isSearched ? 'emptySearch' : 'emptyText')}
          />
        )}
        {entries.length > 0 && (
          <ul className="divide-y divide-border">
            {entries.map((entry) => (
              <Entry key={entry.id} entry={entry} />
            ))}
          </ul>
        )}
      </Card>
      {query.hasNextPage && (
        <LoadMore
          label={text('more')}
          loading={query.isFetchingNextPage}
          onLoadMore={() => void query.fetchNextPage()}
        />
      )}
    </section>
  )
}

function Entry({ entry }: { entry: AuditEntryJson }) {
  const text = useText('audit')
  const { action, outcome, address, via } = entry
  const detail = Object.entries(entry.detail).map(
    ([name, value]) => `${name}: ${[value].flat().map(String).join(', ')}`,
  )
  const subject = entry.subject_name ?? entry.subject_id
  const actor = entry.actor_name ?? text(`via.${via}`)
  return (
    <li className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1 px-5 py-3">
      <div className="min-w-0 flex-1">
        <p className="text-14 wrap-anywhere">
          <span className="font-medium">{actor}</span> <code className="text-13">{action}</code>
          {subject !== null && subject !== entry.actor_name && <> → {subject}</>}
        </p>
        <p className="flex flex-wrap gap-x-3 text-13 text-muted">
          <RelativeTime moment={entry.created_at} />
          {address !== null && <span className="font-mono text-12 leading-5">{address}</span>}
          {entry.actor_name !== null && <span>{text(`via.${via}`)}</span>}
          {detail.length > 0 && <span className="wrap-anywhere">{detail.join(' · ')}</span>}
        </p>
      </div>
      <Badge tone={tones[outcome]}>{text(`outcome.${outcome}`)}</Badge>
    </li>
  )
}

function ExportButton({ search }: { search: AuditSearch }) {
  const text = useText('audit')
  const errorText = useErrorText()
  const [isBusy, setBusy] = useState(false)
  const save = async () => {
    setBusy(true)
    try {
      saveFile(await exportAudit(search))
    } catch (error) {
      console.error('The audit log could not be exported', error)
      showToast({ tone: 'danger', title: text('exportFailed'), description: errorText(error) })
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button icon={<Download aria-hidden />} loading={isBusy} onClick={() => void save()}>
      {text('export')}
    </Button>
  )
}
