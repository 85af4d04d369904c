import { useEffect, useRef } from 'react'
import { useNavigate } from 'react-router-dom'
import { showBrowserNotification } from '../../../lib/browser/browser-notification.ts'
import { onceInBrowser } from '../../../lib/browser/once-in-browser.ts'
import { assistantName } from '../../../lib/browser/page-meta.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { useUserEvents } from '../../../lib/loading/event-stream.ts'
import { chatPath } from '../../../lib/session/paths.ts'
import { useSettings } from '../../../lib/session/settings.ts'

/** Minimum duration of an answer that the user is notified about; nobody looks away during a quicker one. */
const MIN_DURATION_MS = 8_000

/** Notifies the user that a long answer is done while the page isn't focused. */
export function AnswerNotices() {
  const text = useText('notifications')
  const navigate = useNavigate()
  const { notifications: mayNotify } = useSettings()
  /** Start times of answers in ms, by conversation. */
  const startTimes = useRef(new Map<string, number>())

  useEffect(() => {
    const { serviceWorker: worker } = navigator
    // a click on a notification navigates this page; there's no service worker without HTTPS
    if (worker)
      worker.onmessage = (event) =>
        import('../../../lib/session/opened-notices.ts').then((lib) => lib.openNotification(event, navigate))
  })

  useUserEvents((event) => {
    // The events that ended these answers may have been missed.
    if (event.type === 'events.resumed') startTimes.current.clear()
    if (event.type !== 'chat.updated') return
    const { session_id: id } = event
    const startedAt = startTimes.current.get(id)
    if (event.answering) return void startTimes.current.set(id, startedAt ?? Date.now())
    startTimes.current.delete(id)
    if (startedAt === undefined || event.deleted || Date.now() - startedAt < MIN_DURATION_MS) return
    if (!mayNotify || document.hasFocus()) return
    const link = chatPath(id)
    const title = text('answered', { assistant: assistantName() })
    // The server's push message has the same tag, so the device shows only one of the two notifications.
    void onceInBrowser(`answer ${id} ${startedAt}`, () =>
      showBrowserNotification({ title, tag: link }, () => void navigate(link)),
    )
  })
  return null
}
