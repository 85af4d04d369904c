import { type Access, can } from '@mira/shared/access'
import { RotateCw, ServerOff } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react'
import { Navigate, useLocation } from 'react-router-dom'
import { assistantName } from '../lib/browser/page-meta.ts'
import { useErrorText } from '../lib/i18n/error-text.ts'
import { useText, withTexts } from '../lib/i18n/i18n.ts'
import { type DeniedState, type LoginState, readLoginState } from '../lib/session/navigation-state.ts'
import { paths } from '../lib/session/paths.ts'
import { readPendingSignIn } from '../lib/session/pending-sign-in.ts'
import { session, useSession } from '../lib/session/session.ts'
import { Button } from '../ui/button.tsx'
import { LoadingScreen } from './loading-screen.tsx'
import { Notice } from './notice.tsx'

/** Error screen shown when the session couldn't be loaded; retries when the network returns. */
function UnreachableScreen({ error }: { error: unknown }) {
  const text = useText('app')
  const errorText = useErrorText()

  useEffect(() => {
    window.addEventListener('online', session.retry)
    return () => window.removeEventListener('online', session.retry)
  }, [])

  return (
    <main className="grid min-h-dvh place-items-center">
      <div role="alert">
        <Notice
          icon={<ServerOff />}
          title={text('unreachable.title', { assistant: assistantName() })}
          text={
            <>
              {errorText(error)} {text('unreachable.text')}
            </>
          }
          action={
            <Button variant="primary" icon={<RotateCw aria-hidden />} onClick={session.retry}>
              {text('common.retry')}
            </Button>
          }
        />
      </div>
    </main>
  )
}

const FirstPasswordScreen = lazy(async () => {
  const { FirstPasswordScreen } = await withTexts(import('./first-password-screen.tsx'), 'users', 'sign-in', 'errors')
  return { default: FirstPasswordScreen }
})

/** Shows the children to users with access; redirects to the sign-in screen when signed out, otherwise to the dashboard. */
export function RequireAccess({ access, children }: { access: Access; children: ReactNode }) {
  const session = useSession()
  const { pathname, search, hash } = useLocation()
  switch (session.status) {
    case 'loading':
      return <LoadingScreen />
    case 'unreachable':
      return <UnreachableScreen error={session.error} />
    case 'signed-out': {
      // After signing out on purpose, the next user starts at the dashboard.
      const state: LoginState =
        session.because === 'logout'
          ? {}
          : { from: pathname + search + hash, hasExpired: session.because === 'expired' }
      return <Navigate to={paths.login} replace state={state} />
    }
    case 'signed-in':
      if (session.user.must_change_password) {
        return (
          <Suspense fallback={<LoadingScreen />}>
            <FirstPasswordScreen />
          </Suspense>
        )
      }
      return can(session.user, access) ? (
        children
      ) : (
        <Navigate to={paths.dashboard} replace state={{ denied: access } satisfies DeniedState} />
      )
  }
}

/** Shows the sign-in screen when signed out; otherwise redirects to the page requested before, or the dashboard. */
export function LoginGate({ admitsUser = false, children }: LoginGateProps) {
  const session = useSession()
  const { from } = readLoginState(useLocation())
  switch (session.status) {
    case 'loading':
      return <LoadingScreen />
    case 'unreachable':
      return <UnreachableScreen error={session.error} />
    case 'signed-out':
      return children
    case 'signed-in':
      return admitsUser ? children : <Navigate to={from ?? paths.dashboard} replace />
  }
}

type LoginGateProps = {
  /** True shows the children to a signed-in user, too. */
  admitsUser?: boolean
  children: ReactNode
}

/** As `LoginGate`, except for signed-in users who return from the provider to link it to their account. */
export function OidcReturnGate({ children }: { children: ReactNode }) {
  // Read only once, because the page removes this state.
  const [isLinking] = useState(() => readPendingSignIn()?.isLinking === true)
  return <LoginGate admitsUser={isLinking}>{children}</LoginGate>
}

/** `/`: redirects to the dashboard, or to the sign-in screen when signed out. */
export function HomeRedirect() {
  const session = useSession()
  if (session.status === 'loading') return <LoadingScreen />
  if (session.status === 'unreachable') return <UnreachableScreen error={session.error} />
  return <Navigate to={session.status === 'signed-in' ? paths.dashboard : paths.login} replace />
}
