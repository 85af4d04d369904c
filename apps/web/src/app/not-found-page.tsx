import { Compass } from 'lucide-react'
import { Link } from 'react-router-dom'
import { useText } from '../lib/i18n/i18n.ts'
import { paths } from '../lib/session/paths.ts'
import { useSession } from '../lib/session/session.ts'
import { buttonClass } from '../ui/button.tsx'
import { LoadingScreen } from './loading-screen.tsx'
import { Notice } from './notice.tsx'
import { ScreenFrame } from './screen-frame.tsx'
import { Shell } from './shell.tsx'

/** Page for unknown paths. */
export function NotFoundPage() {
  const session = useSession()
  if (session.status === 'loading') return <LoadingScreen />
  if (session.status === 'signed-in') {
    return (
      <Shell>
        <NotFound />
      </Shell>
    )
  }
  return (
    <main className="grid min-h-dvh place-items-center">
      <NotFound />
    </main>
  )
}

function NotFound() {
  const text = useText('app')
  return (
    <ScreenFrame title="notFound" isBare>
      <Notice
        icon={<Compass />}
        title={text('notFound.title')}
        text={text('notFound.text')}
        action={
          <Link to={paths.home} className={buttonClass({ variant: 'primary' })}>
            {text('notFound.home')}
          </Link>
        }
      />
    </ScreenFrame>
  )
}
