import { useEffect, useRef, useState } from 'react'
import { Link, useLocation, useNavigate } from 'react-router-dom'
import { assistantName } from '../../../../lib/browser/page-meta.ts'
import { useErrorText } from '../../../../lib/i18n/error-text.ts'
import { useText } from '../../../../lib/i18n/i18n.ts'
import { paths } from '../../../../lib/session/paths.ts'
import { Banner } from '../../../../ui/banner.tsx'
import { buttonClass } from '../../../../ui/button.tsx'
import { Spinner } from '../../../../ui/spinner.tsx'
import { returnFromProvider, takePendingSignIn } from './other-ways.tsx'
import { SignInLayout } from './sign-in-layout.tsx'

/** Return address for the provider; after a successful sign-in the router continues. */
export function OidcReturnPage() {
  const text = useText('sign-in')
  const appText = useText('app')
  const errorText = useErrorText()
  const navigate = useNavigate()
  const { search } = useLocation()
  const isBegun = useRef(false)
  const [failure, setFailure] = useState<string | null>(null)

  useEffect(() => {
    if (isBegun.current) return
    isBegun.current = true
    const finish = async () => {
      const pending = takePendingSignIn()
      // removes the code from the address and the history first
      await navigate(paths.oidcReturn, { replace: true, state: { from: pending?.from ?? undefined } })
      if (pending === null) return setFailure(text('oidc.notBegun'))
      await returnFromProvider(pending.ticket, search).catch((error: unknown) => {
        console.error('The sign-in at the provider failed', error)
        setFailure(errorText(error, text('ways.failed')))
      })
    }
    void finish()
  })

  return (
    <SignInLayout title={appText('login.welcome', { assistant: assistantName() })} subtitle={appText('login.subtitle')}>
      {failure === null ? (
        <p role="status" className="flex items-center justify-center gap-2.5 text-14 text-muted">
          <Spinner size="sm" />
          {appText('login.submitting')}
        </p>
      ) : (
        <div className="flex flex-col gap-4">
          <Banner tone="error">{failure}</Banner>
          <Link to={paths.login} replace className={buttonClass({ variant: 'primary', size: 'lg' })}>
            {text('back')}
          </Link>
        </div>
      )}
    </SignInLayout>
  )
}
