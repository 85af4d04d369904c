import { WifiOff } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import { useText } from '../lib/i18n.ts'

/** Says quietly that there is no connection, for as long as there is none; `--above-page` makes room for it on small screens. */
export function OfflineBar() {
  const text = useText('app')
  const isOnline = useSyncExternalStore(followConnection, () => navigator.onLine)
  return (
    <div
      role="status"
      className="pointer-events-none fixed inset-x-0 top-14 z-40 flex justify-center px-4 pt-1.5 print:hidden"
    >
      {!isOnline && (
        <p
          data-offline
          className="flex items-center gap-2 rounded-full border border-border-float bg-surface-overlay px-3 py-1 text-13 text-muted shadow-float"
        >
          <WifiOff aria-hidden className="size-4 shrink-0" />
          {text('offline')}
        </p>
      )}
    </div>
  )
}

function followConnection(listener: () => void): () => void {
  // as options it gives its signal, by which both end
  const ending = new AbortController()
  for (const change of ['online', 'offline']) window.addEventListener(change, listener, ending)
  return () => ending.abort()
}
