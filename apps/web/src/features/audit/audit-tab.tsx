import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { Download, ScrollText, SearchX } from 'lucide-react'
import { useState } from 'react'
import { type AuditSearch, exportAudit, fetchAudit } from '../../api/audit.ts'
import { useErrorText } from '../../lib/error-text.ts'
import { useText } from '../../lib/i18n.ts'
import { LoadFailed } from '../../lib/load-failed.tsx'
import { saveFile } from '../../lib/save-file.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { classNames } from '../../ui/class-names.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { PausingSearchField } from '../../ui/pausing-search-field.tsx'
import { Select } from '../../ui/select.tsx'
import { showToast } from '../../ui/show-toast.ts'
import { LoadingRegion, Skeleton } from '../../ui/skeleton.tsx'
import { AuditLine } from './audit-line.tsx'

const PAGE_SIZE = 50
const everything: AuditSearch = { query: '', outcome: '' }
const outcomes = ['', 'done', 'begun', 'failed'] as const

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
              <AuditLine key={entry.id} entry={entry} />
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
