import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { Bell } from 'lucide-react'
import { lazy, type RefObject, Suspense, useRef } from 'react'
import { useErrorText } from '../../lib/error-text.ts'
import { useText } from '../../lib/i18n.ts'
import { LoadFailed } from '../../lib/load-failed.tsx'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { LoadingRegion, SkeletonText } from '../../ui/skeleton.tsx'
import { showToast } from '../../ui/toast.ts'
import { AllowBrowserNotifications } from './allow-browser-notifications.tsx'
import { markRead, notificationsQuery, useLiveNotifications } from './notification-queries.ts'
import { NotificationRow } from './notification-row.tsx'

/** The bell in the bar: how many notifications are unread, and behind it the list of them. */
export function NotificationBell(props: NotificationBellProps) {
  // the bar does not wait for its texts
  return (
    <Suspense fallback={<span className="size-9 shrink-0" />}>
      <LoadedBell {...props} />
    </Suspense>
  )
}

const MOST_SHOWN = 99
const PopoverPanel = lazy(() =>
  import('../../ui/popover-panel.tsx').then((module) => ({ default: module.PopoverPanel })),
)

function LoadedBell({ isOpen, onOpenChange }: NotificationBellProps) {
  const text = useText('notifications')
  const button = useRef<HTMLButtonElement>(null)
  const query = useInfiniteQuery(notificationsQuery)
  useLiveNotifications()
  const unread = query.data?.pages[0]?.unread_count ?? 0
  const name = text('bell', { count: unread })
  return (
    <>
      <button
        ref={button}
        type="button"
        aria-label={name}
        title={name}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => onOpenChange(!isOpen)}
        className="relative grid size-9 shrink-0 touch-target place-items-center rounded-control text-muted shade-on-hover hover:text-text"
      >
        <Bell aria-hidden className="size-4.5" />
        {unread > 0 && (
          <span
            aria-hidden
            className="absolute top-0.5 right-0 min-w-4 rounded-full bg-accent px-1 text-center text-12 leading-4 font-semibold text-on-accent tabular-nums"
          >
            {unread > MOST_SHOWN ? `${MOST_SHOWN}+` : unread}
          </span>
        )}
      </button>
      {isOpen && (
        <Suspense fallback={null}>
          <Panel query={query} unread={unread} anchor={button} onClose={() => onOpenChange(false)} />
        </Suspense>
      )}
    </>
  )
}

function Panel({ query, unread, anchor, onClose }: PanelProps) {
  const text = useText('notifications')
  const appText = useText('app')
  const errorText = useErrorText()
  const queries = useQueryClient()
  const read = (ids?: string[]) =>
    markRead(queries, ids).catch((error: unknown) =>
      showToast({ tone: 'danger', title: text('failed'), description: errorText(error) }),
    )
  // one that was put together with another since its page was fetched may come twice
  const seen = new Set<string>()
  const all = (query.data?.pages ?? [])
    .flatMap(({ notifications }) => notifications)
    .filter(({ id }) => !seen.has(id) && seen.add(id))

  return (
    <PopoverPanel
      anchor={anchor}
      title={text('title')}
      onClose={onClose}
      actions={
        unread > 0 && (
          <Button variant="ghost" size="sm" onClick={() => void read()}>
            {text('readAll')}
          </Button>
        )
      }
    >
      <AllowBrowserNotifications />
      {query.isError && <LoadFailed query={query} />}
      {query.isPending && (
        <LoadingRegion label={appText('common.loading')}>
          <SkeletonText lines={4} />
        </LoadingRegion>
      )}
      {query.isSuccess && all.length === 0 && (
        <EmptyState icon={<Bell aria-hidden />} title={text('empty')} text={text('emptyHint')} level={3} />
      )}
      {all.length > 0 && (
        <ul aria-label={text('title')} className="-mx-2 flex flex-col">
          {all.map((one) => (
            <NotificationRow key={one.id} notification={one} onRead={() => void read([one.id])} onLeave={onClose} />
          ))}
        </ul>
      )}
      {query.hasNextPage && (
        <LoadMore
          label={text('more')}
          loading={query.isFetchingNextPage}
          onLoadMore={() => void query.fetchNextPage()}
        />
      )}
    </PopoverPanel>
  )
}

export type NotificationBellProps = { isOpen: boolean; onOpenChange: (isOpen: boolean) => void }
type PanelProps = {
  query: ReturnType<typeof useInfiniteQuery<Pages, Error, { pages: Pages[] }>>
  unread: number
  anchor: RefObject<HTMLElement | null>
  onClose: () => void
}
type Pages = Awaited<ReturnType<typeof import('../../api/notifications.ts').fetchNotifications>>
