import { RotateCw, TriangleAlert } from 'lucide-react'
import { useEffect, useState } from 'react'
import { assistantName } from '../lib/browser/page-meta.ts'
import { useText } from '../lib/i18n/i18n.ts'
import { paths } from '../lib/session/paths.ts'
import { Button, buttonClass } from '../ui/button.tsx'
import { missingPart } from './missing-part.tsx'
import { Notice } from './notice.tsx'

/** Error message in place of a screen; the navigation stays. */
export function ScreenError() {
  const text = useText('app')
  const [isMissing] = useState(missingPart.get)
  // this tells it, and offers the same
  useEffect(() => missingPart.set(false), [])
  // nothing of the person's is on this page yet that a new one could lose
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
            {/* A part that could not be loaded is asked for again only by a new page, so both ways lead to one. */}
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

/** The same where the whole page failed. */
export function PageError() {
  return (
    <main className="grid min-h-dvh place-items-center">
      <ScreenError />
    </main>
  )
}
