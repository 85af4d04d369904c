import { lazy } from 'react'
import { LaterPart } from '../../ui/later-part.tsx'
import type { PictureStripPanelProps } from './picture-strip-panel.tsx'

/** Between two pictures, in pixels. */
const GAP = 8

// pictures, recordings and most documents have none
const PictureStripPanel = lazy(() =>
  import('./picture-strip-panel.tsx').then((module) => ({ default: module.PictureStripPanel })),
)

/** Small pictures in a line, of frames or pages. */
export function PictureStrip(props: Omit<PictureStripPanelProps, 'gap'>) {
  const { entries, width, height } = props
  // as wide and as high as they will be, so that nothing moves when they come
  const place = (
    <div className="shrink-0 overflow-x-auto overflow-y-hidden p-1">
      <div style={{ width: entries.length * (width + GAP) - GAP, height }} />
    </div>
  )
  return (
    <LaterPart fallback={place}>
      <PictureStripPanel {...props} gap={GAP} />
    </LaterPart>
  )
}
