import { Compass } from 'lucide-react'
import { Link } from 'react-router-dom'
import { useText } from '../lib/i18n.ts'
import { paths } from '../lib/paths.ts'
import { useSession } from '../lib/session.ts'
import { buttonClass } from '../ui/button.tsx'
import { LoadingScreen } from './loading-screen.tsx'
import { ScreenFrame } from './screen-frame.tsx'
import { Shell } from './shell.tsx'

/** What is shown for an address that leads nowhere. */
export function NotFoundPage() {
  const session = useSession()
  if (session.status === 'loading') return <LoadingScreen />
  if (session.status !== 'signed-in') {
    return (
      <main className="grid min-h-dvh place-items-center">
        <NotFound />
      </main>
    )
  }
  return (
    <Shell>
      <NotFound />
    </Shell>
  )
}

function NotFound() {
  const text = useText('app')
  return (
    <ScreenFrame title="notFound">
      <div className="flex flex-col items-center py-16 text-center">
        <span
          aria-hidden
          className="mb-5 grid size-14 place-items-center rounded-card border border-border bg-surface-raised text-muted"
        >
          <Compass className="size-7" />
        </span>
        <h1 className="text-24 font-semibold">{text('notFound.title')}</h1>
        <p className="mt-2 max-w-sm text-14 text-pretty text-muted">{text('notFound.text')}</p>
        <Link to={paths.home} className={buttonClass({ variant: 'primary', className: 'mt-6' })}>
          {text('notFound.home')}
        </Link>
      </div>
    </ScreenFrame>
  )
}
