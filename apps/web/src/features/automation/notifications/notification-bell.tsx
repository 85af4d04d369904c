import { useInfiniteQuery } from '@tanstack/react-query'
import { Bell } from 'lucide-react'
import { lazy, useRef } from 'react'
import { useText } from '../../../lib/i18n/i18n.ts'
import { PartBoundary } from '../../../ui/lazy-part.tsx'
import { notificationsQuery, useLiveNotifications } from './notification-queries.ts'

const MAX_SHOWN = 99
const NotificationPanel = lazy(() =>
  import('./notification-panel.tsx').then((module) => ({ default: module.NotificationPanel })),
)

/** Bell in the top bar with the number of unread notifications; opens their list. */
export function NotificationBell({ isOpen, onOpenChange }: NotificationBellProps) {
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
            {unread > MAX_SHOWN ? `${MAX_SHOWN}+` : unread}
          </span>
        )}
      </button>
      {isOpen && (
        <PartBoundary onError={() => onOpenChange(false)}>
          <NotificationPanel query={query} unread={unread} anchor={button} onClose={() => onOpenChange(false)} />
        </PartBoundary>
      )}
    </>
  )
}

type NotificationBellProps = { isOpen: boolean; onOpenChange: (isOpen: boolean) => void }
