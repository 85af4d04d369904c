import { RotateCw, TriangleAlert } from 'lucide-react'
import { Link } from 'react-router-dom'
import { useText } from '../lib/i18n.ts'
import { paths } from '../lib/paths.ts'
import { Button, buttonClass } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'

/** What is shown in place of a screen that failed; the navigation stays. */
export function ScreenError() {
  const text = useText('app')
  return (
    <div className="mx-auto w-full max-w-page px-4 py-6 sm:px-6 sm:py-8">
      <div role="alert">
        <EmptyState
          level={2}
          icon={<TriangleAlert />}
          title={text('failed.title')}
          text={text('failed.text')}
          action={
            <>
              {/* A part that could not be loaded is asked for again only by a new page. */}
              <Button variant="primary" icon={<RotateCw aria-hidden />} onClick={() => window.location.reload()}>
                {text('common.retry')}
              </Button>
              <Link to={paths.dashboard} className={buttonClass()}>
                {text('failed.dashboard')}
              </Link>
            </>
          }
        />
      </div>
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
