import type { NotificationJson } from '@mira/shared'
import { AlarmClock, Bot, CircleAlert, CircleCheck, DatabaseBackup, type LucideIcon, Mail, Package } from 'lucide-react'
import { Link } from 'react-router-dom'
import { useText } from '../../lib/i18n.ts'
import { Reason } from '../../lib/reason.tsx'
import { RelativeTime } from '../../lib/relative-time.tsx'
import { classNames } from '../../ui/class-names.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { VisuallyHidden } from '../../ui/visually-hidden.tsx'

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
  instance_restored: DatabaseBackup,
}

/** One notification: what happened and when; it leads to what it is about. */
export function NotificationRow({ notification, onRead, onLeave }: NotificationRowProps) {
  const text = useText('notifications')
  const { kind, params, told, link, created_at, read_at } = notification
  const Icon = icons[kind]
  const isUnread = read_at === null
  const sentence = text(`kinds.${kind}`, {
    title: '',
    text: '',
    access: '',
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
            <Reason error={reason} told={told} />
          </p>
        )}
        <RelativeTime moment={created_at} className="text-12 text-muted" />
      </div>
      {isUnread && <IconButton name={text('read')} icon={<CircleCheck aria-hidden />} onClick={onRead} />}
    </li>
  )
}

export type NotificationRowProps = { notification: NotificationJson; onRead: () => void; onLeave: () => void }
