import { lazy, type ReactNode, useEffect, useState } from 'react'
import { PartBoundary } from '../../../ui/lazy-part.tsx'
import { type Artifact, ShowArtifactContext } from '../messages/artifact.ts'

const ArtifactPanel = lazy(() => import('./artifact-panel.tsx').then((module) => ({ default: module.ArtifactPanel })))

/** Lets the children show code and tables beside the conversation, until another conversation is opened. */
export function Artifacts({ viewKey, children }: { viewKey: string; children: ReactNode }) {
  const [opened, setOpened] = useState<{ artifact: Artifact; returnTo: Element | null; key: number } | null>(null)
  const [show] = useState(() => (artifact: Artifact) => {
    setOpened((before) => ({ artifact, returnTo: document.activeElement, key: (before?.key ?? 0) + 1 }))
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: closes when another conversation is shown
  useEffect(() => setOpened(null), [viewKey])
  return (
    <ShowArtifactContext value={show}>
      {children}
      {opened !== null && (
        <PartBoundary onError={() => setOpened(null)}>
          <ArtifactPanel
            key={opened.key}
            artifact={opened.artifact}
            returnTo={opened.returnTo}
            onClose={() => setOpened(null)}
          />
        </PartBoundary>
      )}
    </ShowArtifactContext>
  )
}
