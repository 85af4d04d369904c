import { lazy, useEffect, useState } from 'react'
import { LaterPart } from '../../ui/later-part.tsx'
import { SHARED_CACHE } from './shared-cache.ts'

const SharedPanel = lazy(() => import('./shared-panel.tsx').then((module) => ({ default: module.SharedPanel })))

/** Asks about what other apps and websites sent here, where anything was; its code is loaded then. */
export function SharedQuestion({ onAddFiles }: { onAddFiles: (files: readonly File[]) => void }) {
  const [mayWait, setMayWait] = useState(() => new URLSearchParams(window.location.search).has('shared'))
  useEffect(() => {
    // no caches on pages that are neither https nor localhost, and no service worker either
    if (!('caches' in window)) return
    caches.has(SHARED_CACHE).then(
      (exists) => exists && setMayWait(true),
      (error: unknown) => console.warn('This browser keeps nothing that is shared', error),
    )
  }, [])
  if (!mayWait) return null
  return (
    <LaterPart fallback={null}>
      <SharedPanel onAddFiles={onAddFiles} />
    </LaterPart>
  )
}
