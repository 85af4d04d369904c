import { useEffect, useRef } from 'react'
import { useNavigate } from 'react-router-dom'
import { onceInBrowser } from '../../../lib/browser/once-in-browser.ts'
import { showOutside } from '../../../lib/browser/outside-notice.ts'
import { assistantName } from '../../../lib/browser/page-meta.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { useUserEvents } from '../../../lib/loading/event-stream.ts'
import { chatPath } from '../../../lib/session/paths.ts'
import { useSettings } from '../../../lib/session/settings.ts'

/** Nobody looks away from an answer that is there sooner. */
const LONG_MS = 8_000

/** Tells that an answer which took long is done, while the page is not in front. */
export function AnswerNotices() {
  const text = useText('notifications')
  const navigate = useNavigate()
  const { notifications: mayNotify } = useSettings()
  /** Start times of answers in ms, by conversation. */
  const startTimes = useRef(new Map<string, number>())

  useEffect(() => {
    const { serviceWorker: worker } = navigator
    // pressed, what a device shows leads this page on; there is no worker where the page came without encryption
    if (worker)
      worker.onmessage = (event) =>
        import('../../../lib/session/opened-notices.ts').then((lib) => lib.goOn(event, navigate))
  })

  useUserEvents((event) => {
    // the end of any of them may have been missed
    if (event.type === 'events.resumed') startTimes.current.clear()
    if (event.type !== 'chat.updated') return
    const { session_id: id } = event
    const beganAt = startTimes.current.get(id)
    if (event.answering) return void startTimes.current.set(id, beganAt ?? Date.now())
    startTimes.current.delete(id)
    if (beganAt === undefined || event.deleted || Date.now() - beganAt < LONG_MS) return
    if (!mayNotify || document.hasFocus()) return
    const link = chatPath(id)
    const title = text('answered', { assistant: assistantName() })
    // a device that is told by the server shows it under the same tag, once
    void onceInBrowser(`answer ${id} ${beganAt}`, () => showOutside({ title, tag: link }, () => void navigate(link)))
  })
  return null
}
