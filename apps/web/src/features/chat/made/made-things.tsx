import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react'
import { type MadeThing, ShowMadeContext } from './made-thing.ts'

const MadePanel = lazy(() => import('./made-panel.tsx').then((module) => ({ default: module.MadePanel })))

/** Lets what is inside show code and tables beside the conversation, until another one is opened. */
export function MadeThings({ viewKey, children }: { viewKey: string; children: ReactNode }) {
  const [shown, setShown] = useState<{ made: MadeThing; returnTo: Element | null; key: number } | null>(null)
  const [show] = useState(() => (made: MadeThing) => {
    setShown((before) => ({ made, returnTo: document.activeElement, key: (before?.key ?? 0) + 1 }))
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: another conversation ends it
  useEffect(() => setShown(null), [viewKey])
  return (
    <ShowMadeContext value={show}>
      {children}
      {shown !== null && (
        <Suspense fallback={null}>
          <MadePanel key={shown.key} made={shown.made} returnTo={shown.returnTo} onClose={() => setShown(null)} />
        </Suspense>
      )}
    </ShowMadeContext>
  )
}
