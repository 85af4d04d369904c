import { can } from '@mira/shared/access'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent } from 'react'
import { call } from '../../../lib/api/client.ts'
import { showBrowserNotification } from '../../../lib/browser/browser-notification.ts'
import { onceInBrowser } from '../../../lib/browser/once-in-browser.ts'
import { useFormat } from '../../../lib/format/format.ts'
import { zonePlace } from '../../../lib/format/time-zones.ts'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { useUserEvents } from '../../../lib/loading/event-stream.ts'
import { useUser } from '../../../lib/session/session.ts'
import { useSettings } from '../../../lib/session/settings.ts'
import { showToast } from '../../../ui/show-toast.ts'
import { claimShown } from '../notifications/notification-queries.ts'
import { remindersKey, snoozeOptions } from './reminder-queries.ts'

/** Long enough for a user who looks away; the reminder is also in the notifications. */
const SHOWN_MS = 5 * 60_000
const MISSED_SHOWN_MS = 30_000
/** Window in which the tabs of a browser reconnect together and show missed reminders only once. */
const RESUMED_TOGETHER_MS = 10_000

/** Shows reminders when they're due, and those missed while the user was away. */
export function ReminderToasts({ onShowNotifications }: ReminderToastsProps) {
  const text = useText('reminders')
  const format = useFormat()
  const errorText = useErrorText()
  const user = useUser()
  const queryClient = useQueryClient()
  const { notifications: mayNotify, timezone } = useSettings()

  const change = (work: Promise<unknown>, title: string) =>
    work
      .then(() => showToast({ tone: 'success', title }))
      .catch((error: unknown) => showToast({ tone: 'danger', title: text('failed'), description: errorText(error) }))
      .finally(() => void queryClient.invalidateQueries({ queryKey: remindersKey }))

  const show = (reminder: { id: string; text: string; due_at: string }) => {
    showToast({
      title: reminder.text,
      description: text('due', { time: `${format.time(reminder.due_at)} ${zonePlace(timezone)}` }),
      durationMs: SHOWN_MS,
      actions: can(user, 'agents')
        ? [
            {
              label: text('done'),
              onSelect: () =>
                void change(
                  call('POST /reminders/:id/complete', {
                    params: { id: reminder.id },
                    json: { due_at: reminder.due_at },
                  }),
                  text('completed'),
                ),
            },
            ...snoozeOptions.map(({ minutes, label }) => ({
              label: text(label),
              onSelect: () =>
                void change(
                  call('POST /reminders/:id/snooze', { params: { id: reminder.id }, json: { minutes } }),
                  text('snoozed'),
                ),
            })),
          ]
        : [],
    })
    if (mayNotify && !document.hasFocus())
      showBrowserNotification({ title: reminder.text, tag: reminder.id, renotify: true }, onShowNotifications)
  }

  /** Shows a reminder on only one of the user's devices; on all of them when the server can't be reached. */
  const showOnce = async (reminder: Parameters<typeof show>[0]) => {
    const isMine = await claimShown(reminder.id).then(
      ({ notifications }) => notifications.length > 0,
      (error: unknown) => {
        console.warn('Failed to claim a reminder for this device', error)
        return true
      },
    )
    if (isMine) show(reminder)
  }

  const showMissed = async () => {
    const { notifications: missed } = await claimShown()
    const [newest] = missed
    if (newest === undefined) return
    const title = text('missed', { count: missed.length, text: newest.params.text ?? '' })
    showToast({
      title,
      durationMs: MISSED_SHOWN_MS,
      action: { label: text('show'), onSelect: onShowNotifications },
    })
    if (mayNotify && !document.hasFocus())
      showBrowserNotification({ title, tag: newest.id, renotify: true }, onShowNotifications)
  }
  const tryToShowMissed = useEffectEvent(() => {
    showMissed().catch((error) => console.warn('Failed to fetch missed reminders', error))
  })
  useEffect(() => tryToShowMissed(), [])

  useUserEvents((event) => {
    if (event.type !== 'reminder.due' && event.type !== 'events.resumed') return
    void queryClient.invalidateQueries({ queryKey: remindersKey })
    if (event.type === 'reminder.due') void onceInBrowser(`${event.id} ${event.due_at}`, () => void showOnce(event))
    else {
      const timeSlot = Math.floor(Date.now() / RESUMED_TOGETHER_MS)
      void onceInBrowser(`missed reminders ${timeSlot}`, () => tryToShowMissed())
    }
  })

  return null
}

type ReminderToastsProps = {
  /** Opens the notifications. */
  onShowNotifications: () => void
}
