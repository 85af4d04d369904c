import { lazy, Suspense, useState, useSyncExternalStore } from 'react'
import { ErrorBoundary } from './error-boundary.tsx'
import { currentToasts, subscribeToToasts } from './toast.ts'
import type { ToasterProps } from './toast-panel.tsx'

const ToastPanel = lazy(() => import('./toast-panel.tsx').then((module) => ({ default: module.ToastPanel })))

/** Where the messages of `showToast` appear; once, in the app. Its code is loaded with the first message. */
export function Toaster({ label, closeLabel }: ToasterProps) {
  const toasts = useSyncExternalStore(subscribeToToasts, currentToasts)
  const [wasUsed, setWasUsed] = useState(false)
  if (toasts.length > 0 && !wasUsed) setWasUsed(true)
  if (!wasUsed) return null
  return (
    <ErrorBoundary>
      <Suspense>
        <ToastPanel toasts={toasts} label={label} closeLabel={closeLabel} />
      </Suspense>
    </ErrorBoundary>
  )
}
