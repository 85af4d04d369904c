import type { ChatSessionJson } from '@mira/shared'
import { SESSION_QUERY_MAX_CHARACTERS } from '@mira/shared/constants/limits'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { MessageSquarePlus, MessagesSquare, SearchX, Trash2 } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Link, useLocation, useNavigate } from 'react-router-dom'
import { call } from '../../../lib/api/client.ts'
import { useIsWide } from '../../../lib/browser/use-is-wide.ts'
import { LoadFailed } from '../../../lib/components/query-list.tsx'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { useUserEvents } from '../../../lib/loading/event-stream.ts'
import { useMoveToTrash } from '../../../lib/loading/use-move-to-trash.ts'
import { paths } from '../../../lib/session/paths.ts'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { DebouncedSearchField } from '../../../ui/debounced-search-field.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { Pagination } from '../../../ui/pagination.tsx'
import { Select } from '../../../ui/select.tsx'
import { showToast } from '../../../ui/show-toast.ts'
import { LoadingRegion, Skeleton } from '../../../ui/skeleton.tsx'
import { TabHeader } from '../dashboard-parts.tsx'
import { defaultFilters, type SessionFilters, useSessionFilters } from './session-filters.ts'
import { SessionCards, SessionTable, withSelected } from './session-list.tsx'
import { chatLogsKey, pageQuery, SessionStats } from './session-stats.tsx'

type SortChoice = `${SessionFilters['sort']}-${SessionFilters['order']}`

const sortChoices: readonly SortChoice[] = [
  'updated-desc',
  'updated-asc',
  'name-asc',
  'name-desc',
  'messages-desc',
  'messages-asc',
  'tokens-desc',
  'tokens-asc',
  'response_time-desc',
  'response_time-asc',
]

/** Search, status and order of the list. */
function SessionTools({ filters, onChange }: SessionToolsProps) {
  const text = useText('chat-logs')
  const appText = useText('app')
  return (
    <div className="grid grid-cols-2 gap-3 md:grid-cols-[minmax(0,1fr)_11rem_14rem]">
      <DebouncedSearchField
        label={text('tools.search')}
        clearLabel={appText('common.clearSearch')}
        placeholder={text('tools.placeholder')}
        maxLength={SESSION_QUERY_MAX_CHARACTERS}
        query={filters.query}
        onQueryChange={(query) => onChange({ query })}
        className="col-span-2 md:col-span-1"
      />
      <Select
        label={text('tools.status')}
        labelHidden
        value={filters.status ?? 'all'}
        onValueChange={(status) => onChange({ status: status === 'all' ? null : status })}
        options={[
          { value: 'all', label: text('tools.anyStatus') },
          { value: 'active', label: text('statuses.active') },
          { value: 'completed', label: text('statuses.completed') },
        ]}
      />
      <Select<SortChoice>
        label={text('tools.sort')}
        labelHidden
        value={`${filters.sort}-${filters.order}`}
        onValueChange={(choice) => {
          const [sort, order] = choice.split('-') as [SessionFilters['sort'], SessionFilters['order']]
          onChange({ sort, order })
        }}
        options={sortChoices.map((value) => ({ value, label: text(`sorts.${value}`) }))}
      />
    </div>
  )
}

type SessionToolsProps = { filters: SessionFilters; onChange: (change: Partial<SessionFilters>) => void }

/** State of a history entry: the cursors of the pages from the second to the current one. */
interface PagesState {
  cursors?: readonly string[]
}

/**
 * Pagination for a list with forward cursors only. The page is in the history state, so that "back" from another screen
 * returns to it; a changed URL starts at the first page.
 */
function usePages(): Pages {
  const navigate = useNavigate()
  const { search, state } = useLocation()
  const cursors = (state as PagesState | null)?.cursors ?? noCursors
  const show = (next: readonly string[]) =>
    void navigate({ search }, { replace: true, state: { ...(state as object | null), cursors: next } })
  return {
    page: cursors.length + 1,
    cursor: cursors.at(-1) ?? null,
    forward: (cursor) => show([...cursors, cursor]),
    back: () => show(cursors.slice(0, -1)),
  }
}

const noCursors: readonly string[] = []

/** The current page, from 1, and its cursor. */
interface Pages {
  page: number
  cursor: string | null
  forward: (cursor: string) => void
  back: () => void
}

/** Marks conversations as completed, or as active again. */
function useSessionStatus() {
  const text = useText('chat-logs')
  const errorText = useErrorText()
  const queryClient = useQueryClient()
  const [changingIds, setChangingIds] = useState<ReadonlySet<string>>(new Set())

  async function changeStatus({ id, status }: ChatSessionJson): Promise<void> {
    // The button stays enabled, so that it keeps the focus; presses during a change are ignored.
    if (changingIds.has(id)) return
    setChangingIds((current) => withSelected(current, id, true))
    try {
      await call('PATCH /chat/sessions/:id', {
        params: { id },
        json: { status: status === 'active' ? 'completed' : 'active' },
      })
      await queryClient.invalidateQueries({ queryKey: chatLogsKey })
    } catch (error) {
      console.error('The status of a conversation could not be changed', error)
      showToast({ tone: 'danger', title: text('statusFailed'), description: errorText(error) })
    } finally {
      setChangingIds((current) => withSelected(current, id, false))
    }
  }

  return { changingIds, changeStatus }
}

/** Function that moves conversations to the trash after a confirmation; it resolves to true if they were moved. */
function useSessionDeletion() {
  const moveToTrash = useMoveToTrash('conversations')
  const queryClient = useQueryClient()
  const refetch = () => queryClient.invalidateQueries({ queryKey: chatLogsKey })
  return (sessions: readonly ChatSessionJson[], source: 'row' | 'selection'): Promise<boolean> =>
    moveToTrash(
      sessions.map(({ id, session_name }) => ({ id, name: session_name })),
      { isSelection: source === 'selection', onMoved: refetch, onRestored: refetch },
    )
}

const noIds: ReadonlySet<string> = new Set()

/** The Chat Logs tab: the user's conversations with their metrics. */
export function ChatLogsTab() {
  const text = useText('chat-logs')
  const isWide = useIsWide()
  const queryClient = useQueryClient()
  const heading = useRef<HTMLHeadingElement>(null)
  const [filters, changeFilters] = useSessionFilters()
  const pages = usePages()
  const query = useQuery(pageQuery(filters, pages.cursor))
  const [checkedIds, setCheckedIds] = useState(noIds)
  const moveToTrash = useSessionDeletion()
  const { changingIds, changeStatus } = useSessionStatus()

  useUserEvents((event) => {
    if (event.type === 'chat.updated' || event.type === 'events.resumed') {
      void queryClient.invalidateQueries({ queryKey: chatLogsKey })
    }
  })

  const sessions = query.data?.items ?? []
  const selected = sessions.filter(({ id }) => checkedIds.has(id))
  const selectedIds = new Set(selected.map(({ id }) => id))
  const isFiltered = filters.query !== '' || filters.status !== null
  const isEmpty = query.data !== undefined && sessions.length === 0
  const hasNoSessions = isEmpty && !isFiltered && pages.page === 1

  // The page's last conversation is gone, so go back a page.
  const isBeyondEnd = isEmpty && pages.page > 1 && !query.isPlaceholderData
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once for each empty page
  useEffect(() => {
    if (isBeyondEnd) pages.back()
  }, [isBeyondEnd, pages.page])

  // The focused row may have been removed.
  const restoreFocus = () => {
    if (document.activeElement === document.body) heading.current?.focus()
  }
  const remove = async (...args: Parameters<typeof moveToTrash>) => {
    if (await moveToTrash(...args)) restoreFocus()
  }

  const list = {
    sessions,
    selectedIds,
    onSelectedIdsChange: setCheckedIds,
    onDelete: (session: ChatSessionJson) => void remove([session], 'row'),
    changingIds,
    onStatusChange: (session: ChatSessionJson) => void changeStatus(session).then(restoreFocus),
  }

  return (
    <div className="flex flex-col gap-5">
      <TabHeader title={text('title')} subtitle={text('subtitle')} heading={heading}>
        <div className="flex flex-wrap items-center gap-2">
          {selected.length > 0 && (
            <Button variant="danger" icon={<Trash2 aria-hidden />} onClick={() => void remove(selected, 'selection')}>
              {text('deleteSelected', { count: selected.length })}
            </Button>
          )}
          <Link to={paths.chat} className={buttonClass({ variant: 'primary' })}>
            <MessageSquarePlus aria-hidden />
            {text('start')}
          </Link>
        </div>
      </TabHeader>

      <SessionStats />

      {!hasNoSessions && <SessionTools filters={filters} onChange={changeFilters} />}
      {query.data && (
        <p role="status" className="sr-only">
          {text('table.results', { count: sessions.length })}
        </p>
      )}
      <Card flush className={classNames('overflow-hidden transition-opacity', query.isPlaceholderData && 'opacity-55')}>
        {query.isLoadingError && <LoadFailed query={query} className="p-5" />}
        {query.isPending && <ListSkeleton />}
        {hasNoSessions && (
          <EmptyState
            level={3}
            icon={<MessagesSquare />}
            title={text('empty.title')}
            text={text('empty.text')}
            action={
              <Link to={paths.chat} className={buttonClass({ variant: 'primary' })}>
                {text('empty.action')}
              </Link>
            }
          />
        )}
        {isEmpty && isFiltered && pages.page === 1 && (
          <EmptyState
            level={3}
            icon={<SearchX />}
            title={text('nothingFound.title')}
            text={text('nothingFound.text')}
            action={
              <Button onClick={() => changeFilters({ query: defaultFilters.query, status: defaultFilters.status })}>
                {text('nothingFound.action')}
              </Button>
            }
          />
        )}
        {sessions.length > 0 &&
          (isWide ? <SessionTable {...list} filters={filters} onSort={changeFilters} /> : <SessionCards {...list} />)}
      </Card>
      <Pagination
        page={pages.page}
        pageCount={query.data?.nextCursor ? pages.page + 1 : pages.page}
        onPageChange={(page) => {
          const next = query.data?.nextCursor
          if (page < pages.page) pages.back()
          else if (next && !query.isPlaceholderData) pages.forward(next)
          setCheckedIds(noIds)
        }}
        labels={{
          navigation: text('pages.label'),
          previous: text('pages.previous'),
          next: text('pages.next'),
          status: text('pages.page', { page: pages.page }),
        }}
      />
    </div>
  )
}

/** Placeholder rows of the list. */
function ListSkeleton() {
  const text = useText('app')
  return (
    <LoadingRegion label={text('common.loading')} className="divide-y divide-border">
      {[1, 2, 3, 4, 5, 6].map((row) => (
        <div key={row} className="flex h-13 items-center gap-4 px-4">
          <Skeleton className="size-4.5" />
          <div className="flex-1">
            <Skeleton className="h-4 w-3/5 max-w-72" />
          </div>
          <Skeleton className="h-4 w-16" />
          <Skeleton className="h-4 w-24 max-md:hidden" />
          <Skeleton className="h-4 w-24 max-md:hidden" />
        </div>
      ))}
    </LoadingRegion>
  )
}
