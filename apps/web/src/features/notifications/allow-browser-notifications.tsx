import { BellRing } from 'lucide-react'
import { useState } from 'react'
import { useText } from '../../lib/i18n.ts'
import { useSettings } from '../../lib/settings.ts'
import { Button } from '../../ui/button.tsx'

/** Asks for leave to show reminders outside of the page, by a click and while the setting is on. */
export function AllowBrowserNotifications() {
  const text = useText('notifications')
  const { notifications: isWanted } = useSettings()
  const [permission, setPermission] = useState(() =>
    typeof Notification === 'undefined' ? null : Notification.permission,
  )
  if (!isWanted || permission === null || permission === 'granted') return null
  if (permission === 'denied') return <p className="mb-3 text-13 text-muted">{text('denied')}</p>
  const ask = () =>
    Notification.requestPermission()
      .then(setPermission)
      .catch((error) => console.error('The browser could not be asked for notifications', error))
  return (
    <div className="mb-3 flex flex-wrap items-center gap-x-3 gap-y-1">
      <Button size="sm" icon={<BellRing aria-hidden />} onClick={() => void ask()}>
        {text('allow')}
      </Button>
      <span className="text-13 text-muted">{text('allowHint')}</span>
    </div>
  )
}
