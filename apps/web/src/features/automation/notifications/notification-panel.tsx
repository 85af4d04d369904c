import type { NotificationJson, NotificationsResponseJson } from '@mira/shared'
import { type useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import {
  AlarmClock,
  Bell,
  BellRing,
  Bot,
  CircleAlert,
  CircleCheck,
  DatabaseBackup,
  type LucideIcon,
  Mail,
  Package,
} from 'lucide-react'
import { type RefObject, useState } from 'react'
import { Link } from 'react-router-dom'
import { LoadFailed, NextPage } from '../../../lib/components/query-list.tsx'
import { Reason } from '../../../lib/components/reason.tsx'
import { RelativeTime } from '../../../lib/components/relative-time.tsx'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { useSettings } from '../../../lib/session/settings.ts'
import { Button } from '../../../ui/button.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { PopoverPanel } from '../../../ui/popover-panel.tsx'
import { showToast } from '../../../ui/show-toast.ts'
import { LoadingRegion, SkeletonText } from '../../../ui/skeleton.tsx'
import { VisuallyHidden } from '../../../ui/visually-hidden.tsx'
import { markRead } from './notification-queries.ts'

const icons: Record<NotificationJson['kind'], LucideIcon> = {
  media_done: CircleCheck,
  media_failed: CircleAlert,
  reminder_due: AlarmClock,
  automation_done: Bot,
  automation_failed: CircleAlert,
  summary_ready: Mail,
  export_done: Package,
  backup_done: DatabaseBackup,
  backup_failed: CircleAlert,
  backup_unproven: CircleAlert,
  files_damaged: CircleAlert,
  offsite_failed: CircleAlert,
  model_ready: CircleCheck,
  model_failed: CircleAlert,
  access_added: CircleAlert,
  access_suspended: CircleAlert,
  admin_added: CircleAlert,
  admin_invited: CircleAlert,
  instance_restored: DatabaseBackup,
}

/** A notification with its time, linked to its subject. */
function NotificationRow({ notification, onRead, onLeave }: NotificationRowProps) {
  const text = useText('notifications')
  const { kind, params, told: sentences, link, created_at, read_at } = notification
  const Icon = icons[kind]
  const isUnread = read_at === null
  const sentence = text(`kinds.${kind}`, {
    title: '',
    text: '',
    access: '',
    problems: 0,
    ...params,
    count: Number(params.count ?? 1),
  })
  const reason = typeof params.reason === 'string' ? params.reason : ''
  return (
    <li
      className={classNames(
        'flex items-start gap-3 rounded-control px-2 py-2.5',
        isUnread ? 'text-text' : 'text-muted',
      )}
    >
      <Icon
        aria-hidden
        className={classNames('mt-0.5 size-4.5 shrink-0', isUnread ? 'text-accent-text' : 'text-muted')}
      />
      <div className="min-w-0 flex-1">
        <p className={classNames('text-14 wrap-anywhere', isUnread && 'font-medium')}>
          {link === null ? (
            sentence
          ) : (
            <Link
              to={link}
              className="hover:underline"
              onClick={() => {
                if (isUnread) onRead()
                onLeave()
              }}
            >
              {sentence}
            </Link>
          )}
          {isUnread && <VisuallyHidden> {text('unread')}</VisuallyHidden>}
        </p>
        {reason !== '' && (
          <p className="text-13 wrap-anywhere text-muted">
            <Reason error={reason} sentences={sentences} />
          </p>
        )}
        <RelativeTime moment={created_at} className="text-12 text-muted" />
      </div>
      {isUnread && <IconButton name={text('read')} icon={<CircleCheck aria-hidden />} onClick={onRead} />}
    </li>
  )
}

type NotificationRowProps = { notification: NotificationJson; onRead: () => void; onLeave: () => void }

/** Button that requests the browser's permission for notifications, while the setting is on. */
function AllowBrowserNotifications() {
  const text = useText('notifications')
  const { notifications: isEnabled } = useSettings()
  const [permission, setPermission] = useState(() =>
    typeof Notification === 'undefined' ? null : Notification.permission,
  )
  if (!isEnabled || permission === null || permission === 'granted') return null
  if (permission === 'denied') return <p className="mb-3 text-13 text-muted">{text('denied')}</p>
  const ask = () =>
    Notification.requestPermission()
      .then(setPermission)
      .catch((error) => console.error('Failed to request the notification permission', error))
  return (
    <div className="mb-3 flex flex-wrap items-center gap-x-3 gap-y-1">
      <Button size="sm" icon={<BellRing aria-hidden />} onClick={() => void ask()}>
        {text('allow')}
      </Button>
      <span className="text-13 text-muted">{text('allowHint')}</span>
    </div>
  )
}

/** Panel that the bell opens. */
export function NotificationPanel({ query, unread, anchor, onClose }: NotificationPanelProps) {
  const text = useText('notifications')
  const appText = useText('app')
  const errorText = useErrorText()
  const queryClient = useQueryClient()
  const read = (ids?: string[]) =>
    markRead(queryClient, ids).catch((error: unknown) =>
      showToast({ tone: 'danger', title: text('failed'), description: errorText(error) }),
    )
  // a notification merged into another since its page was fetched may be on two pages
  const seenIds = new Set<string>()
  const uniqueNotifications = (query.data?.pages ?? [])
    .flatMap(({ notifications }) => notifications)
    .filter(({ id }) => !seenIds.has(id) && seenIds.add(id))

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
      {query.isLoadingError && <LoadFailed query={query} />}
      {query.isPending && (
        <LoadingRegion label={appText('common.loading')}>
          <SkeletonText lines={4} />
        </LoadingRegion>
      )}
      {query.data && uniqueNotifications.length === 0 && (
        <EmptyState icon={<Bell aria-hidden />} title={text('empty')} text={text('emptyHint')} level={3} />
      )}
      {uniqueNotifications.length > 0 && (
        <ul aria-label={text('title')} className="-mx-2 flex flex-col">
          {uniqueNotifications.map((notification) => (
            <NotificationRow
              key={notification.id}
              notification={notification}
              onRead={() => void read([notification.id])}
              onLeave={onClose}
            />
          ))}
        </ul>
      )}
      <NextPage query={query} label={text('more')} />
    </PopoverPanel>
  )
}

type NotificationPanelProps = {
  query: ReturnType<typeof useInfiniteQuery<Pages, Error, { pages: Pages[] }>>
  unread: number
  anchor: RefObject<HTMLElement | null>
  onClose: () => void
}
type Pages = NotificationsResponseJson
