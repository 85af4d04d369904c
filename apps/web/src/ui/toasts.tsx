import { lazy, Suspense, useState, useSyncExternalStore } from 'react'
import { ErrorBoundary } from './error-boundary.tsx'
import { currentToasts, subscribeToToasts } from './show-toast.ts'
import type { ToastsProps } from './toasts-panel.tsx'

const ToastsPanel = lazy(() => import('./toasts-panel.tsx').then((module) => ({ default: module.ToastsPanel })))

/** Region for the messages of `showToast`, rendered once in the app. Its code is loaded with the first message. */
export function Toasts({ label, closeLabel }: ToastsProps) {
  const toasts = useSyncExternalStore(subscribeToToasts, currentToasts)
  const [wasUsed, setWasUsed] = useState(false)
  if (toasts.length > 0 && !wasUsed) setWasUsed(true)
  if (!wasUsed) return null
  return (
    <ErrorBoundary>
      <Suspense>
        <ToastsPanel toasts={toasts} label={label} closeLabel={closeLabel} />
      </Suspense>
    </ErrorBoundary>
  )
}
