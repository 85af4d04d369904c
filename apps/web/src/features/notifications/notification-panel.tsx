import { type useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { Bell } from 'lucide-react'
import type { RefObject } from 'react'
import { useErrorText } from '../../lib/error-text.ts'
import { useText } from '../../lib/i18n.ts'
import { LoadFailed } from '../../lib/load-failed.tsx'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { PopoverPanel } from '../../ui/popover-panel.tsx'
import { showToast } from '../../ui/show-toast.ts'
import { LoadingRegion, SkeletonText } from '../../ui/skeleton.tsx'
import { AllowBrowserNotifications } from './allow-browser-notifications.tsx'
import { markRead } from './notification-queries.ts'
import { NotificationRow } from './notification-row.tsx'

/** Panel that the bell opens. */
export function NotificationPanel({ query, unread, anchor, onClose }: NotificationPanelProps) {
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

type NotificationPanelProps = {
  query: ReturnType<typeof useInfiniteQuery<Pages, Error, { pages: Pages[] }>>
  unread: number
  anchor: RefObject<HTMLElement | null>
  onClose: () => void
}
type Pages = Awaited<ReturnType<typeof import('../../api/notifications.ts').fetchNotifications>>
