import { useState } from 'react'
import { useText } from '../lib/i18n.ts'
import { later } from '../lib/later.tsx'
import { paths } from '../lib/paths.ts'
import { session, useSession } from '../lib/session.ts'
import { ConfirmProvider } from '../ui/confirm-dialog.tsx'
import { ErrorBoundary } from '../ui/error-boundary.tsx'
import { Toasts } from '../ui/toasts.tsx'
import { LoadingScreen } from './loading-screen.tsx'
import { MissingPartNotice } from './missing-part-notice.tsx'
import { PageError } from './screen-error.tsx'
import { SignInFirst } from './sign-in-first.tsx'

// Who begins at the sign-in screen needs none of it until they are signed in, so that screen comes sooner.
const loadRouter = () => import('./router.tsx')
const Router = later(() => loadRouter().then((module) => module.Router), LoadingScreen)

/** Everything: the screens and what lies around all of them. */
export function App() {
  const text = useText('app')
  return (
    <ConfirmProvider cancelLabel={text('common.cancel')}>
      <ErrorBoundary fallback={<PageError />}>
        <Screens />
      </ErrorBoundary>
      <Toasts label={text('common.messages', { hotkey: '{hotkey}' })} closeLabel={text('common.close')} />
      <MissingPartNotice />
    </ConfirmProvider>
  )
}

function Screens() {
  const { status } = useSession()
  const [isAtSignIn, setIsAtSignIn] = useState(beginsAtSignIn)
  if (isAtSignIn && status !== 'signed-out') setIsAtSignIn(false)
  if (isAtSignIn) return <SignInFirst loadNext={loadRouter} />
  return <Router />
}

/**
 * True when the page was opened signed out at the sign-in screen, or at the address that redirects there. After a
 * reload the router's history state is set, and its location is restored instead.
 */
function beginsAtSignIn(): boolean {
  const isThere = ([paths.home, paths.login] as string[]).includes(window.location.pathname)
  return isThere && window.history.state === null && session.state.get().status === 'signed-out'
}
