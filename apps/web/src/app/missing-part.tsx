import { RotateCw } from 'lucide-react'
import { useEffect } from 'react'
import { assistantName } from '../lib/browser/page-meta.ts'
import { useText } from '../lib/i18n/i18n.ts'
import { createStore, useStore } from '../lib/loading/store.ts'
import { Banner } from '../ui/banner.tsx'
import { Button } from '../ui/button.tsx'
import { noteMissingPart } from '../ui/lazy-part.tsx'

/** True when a chunk of the app couldn't be loaded because of an update or a broken connection. */
export const missingPart = createStore(false)

/** Follows chunks that can't be loaded; returns a function that stops it. */
function followMissingParts(): () => void {
  const notice = ({ payload }: VitePreloadErrorEvent) => {
    noteMissingPart(payload)
    missingPart.set(true)
  }
  window.addEventListener('vite:preloadError', notice)
  return () => window.removeEventListener('vite:preloadError', notice)
}

/** Offers to reload the page once a part of it couldn't be loaded. */
export function MissingPartNotice() {
  const text = useText('app')
  const isMissing = useStore(missingPart)
  useEffect(() => followMissingParts(), [])
  if (!isMissing) return null
  return (
    <div className="pointer-events-none fixed inset-x-0 top-14 z-50 flex justify-center p-4 print:hidden">
      <div className="pointer-events-auto w-full max-w-md rounded-control bg-surface-raised shadow-float">
        <Banner
          tone="warning"
          title={text('missingPart.title', { assistant: assistantName() })}
          action={
            <Button size="sm" icon={<RotateCw aria-hidden />} onClick={() => window.location.reload()}>
              {text('missingPart.reload')}
            </Button>
          }
        >
          {text('missingPart.text')}
        </Banner>
      </div>
    </div>
  )
}
