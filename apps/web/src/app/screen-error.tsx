import { RotateCw, TriangleAlert } from 'lucide-react'
import { useEffect } from 'react'
import { assistantName } from '../lib/browser/page-meta.ts'
import { useText } from '../lib/i18n/i18n.ts'
import { createStore, useStore } from '../lib/loading/store.ts'
import { paths } from '../lib/session/paths.ts'
import { Banner } from '../ui/banner.tsx'
import { Button, buttonClass } from '../ui/button.tsx'
import { isMissingPart, markMissingPart } from '../ui/lazy-part.tsx'
import { Notice } from './notice.tsx'

/** True when a chunk of the app couldn't be loaded because of an update or a broken connection. */
const missingPart = createStore(false)

/** Watches for chunks that can't be loaded; returns a function that stops watching. */
function watchMissingParts(): () => void {
  const handlePreloadError = ({ payload }: VitePreloadErrorEvent) => {
    markMissingPart(payload)
    missingPart.set(true)
  }
  window.addEventListener('vite:preloadError', handlePreloadError)
  return () => window.removeEventListener('vite:preloadError', handlePreloadError)
}

/** Offers to reload the page once a part of it couldn't be loaded. */
export function MissingPartNotice() {
  const text = useText('app')
  const isMissing = useStore(missingPart)
  useEffect(() => watchMissingParts(), [])
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

/** Message about `error` in place of a screen; the navigation stays. */
export function ScreenError({ error }: { error: unknown }) {
  const text = useText('app')
  const isMissing = isMissingPart(error)
  // This screen says the same as `MissingPartNotice`, so it hides that notice.
  useEffect(() => {
    if (isMissing) missingPart.set(false)
  }, [isMissing])
  // Reloads when the connection is back: the screen wasn't shown, so there's no input in it to lose.
  useEffect(() => {
    if (!isMissing) return
    const load = () => window.location.reload()
    window.addEventListener('online', load)
    return () => window.removeEventListener('online', load)
  }, [isMissing])
  return (
    <div role="alert">
      <Notice
        icon={<TriangleAlert />}
        title={isMissing ? text('missingPart.title', { assistant: assistantName() }) : text('failed.title')}
        text={text(isMissing ? 'missingPart.text' : 'failed.text')}
        action={
          <>
            {/* Only a new page load fetches a failed chunk again, so both buttons cause one. */}
            <Button variant="primary" icon={<RotateCw aria-hidden />} onClick={() => window.location.reload()}>
              {text(isMissing ? 'missingPart.reload' : 'common.retry')}
            </Button>
            <a href={paths.dashboard} className={buttonClass()}>
              {text('failed.dashboard')}
            </a>
          </>
        }
      />
    </div>
  )
}

/** `ScreenError` in place of the whole page. */
export function PageError({ error }: { error: unknown }) {
  return (
    <main className="grid min-h-dvh place-items-center">
      <ScreenError error={error} />
    </main>
  )
}
