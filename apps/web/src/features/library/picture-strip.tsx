import { lazyPart } from '../../ui/lazy-part.tsx'
import type { PictureStripPanelProps } from './picture-strip-panel.tsx'

/** Gap between two pictures in pixels. */
const GAP = 8

/** Reserves the strip's space, so the layout doesn't shift when it's loaded. */
const StripPlaceholder = ({ entries, width, height }: PictureStripPanelProps) => (
  <div className="shrink-0 overflow-x-auto overflow-y-hidden p-1">
    <div style={{ width: entries.length * (width + GAP) - GAP, height }} />
  </div>
)

// Loaded lazily: pictures, recordings and most documents have no strip.
const PictureStripPanel = lazyPart(
  () => import('./picture-strip-panel.tsx').then((module) => module.PictureStripPanel),
  StripPlaceholder,
)

/** Row of thumbnails of frames or pages. */
export const PictureStrip = (props: Omit<PictureStripPanelProps, 'gap'>) => <PictureStripPanel {...props} gap={GAP} />
