import { useEffect, useLayoutEffect, useState } from 'react'
import { LoginPage } from '../features/admin/users/login-page.tsx'
import { useTitle } from '../lib/browser/page-meta.ts'
import { useText } from '../lib/i18n/i18n.ts'
import { paths } from '../lib/session/paths.ts'
import { session, useSession } from '../lib/session/session.ts'
import { ConfirmProvider } from '../ui/confirm-dialog.tsx'
import { ErrorBoundary } from '../ui/error-boundary.tsx'
import { lazyScreen, loadAhead } from '../ui/lazy-part.tsx'
import { Toasts } from '../ui/toasts.tsx'
import { LoadingScreen } from './loading-screen.tsx'
import { MissingPartNotice, PageError } from './screen-error.tsx'
import { recordScreenShown } from './screens-shown.ts'

/** Sign-in screen of a page that opens there, shown before the router's code is loaded; `loadNext` preloads that code. */
function EarlySignIn({ loadNext }: { loadNext: () => Promise<unknown> }) {
  const text = useText('app')
  useTitle(text('titles.login'))
  useLayoutEffect(() => window.history.replaceState(null, '', paths.login), [])
  useEffect(() => {
    recordScreenShown()
    return loadAhead(loadNext)
  }, [loadNext])
  return <LoginPage />
}

// Loaded separately so that the sign-in screen, which doesn't need it, shows sooner.
const loadRouter = () => import('./router.tsx')
const Router = lazyScreen(() => loadRouter().then((module) => module.Router), LoadingScreen)

/** Root of the app: the screens and the notices above them. */
export function App() {
  const text = useText('app')
  return (
    <ConfirmProvider cancelLabel={text('common.cancel')}>
      <ErrorBoundary fallback={(error) => <PageError error={error} />}>
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
  if (isAtSignIn) return <EarlySignIn loadNext={loadRouter} />
  return <Router />
}

/**
 * True when the page was opened signed out at the sign-in screen, or at the address that redirects there. After a
 * reload the router's history state is set, and its location is restored instead.
 */
function beginsAtSignIn(): boolean {
  const isSignInPath = ([paths.home, paths.login] as string[]).includes(window.location.pathname)
  return isSignInPath && window.history.state === null && session.state.get().status === 'signed-out'
}
