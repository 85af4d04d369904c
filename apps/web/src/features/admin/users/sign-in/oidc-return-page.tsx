import { useEffect, useRef, useState } from 'react'
import { Link, useLocation, useNavigate } from 'react-router-dom'
import { assistantName } from '../../../../lib/browser/page-meta.ts'
import { useErrorText } from '../../../../lib/i18n/error-text.ts'
import { useText } from '../../../../lib/i18n/i18n.ts'
import { paths } from '../../../../lib/session/paths.ts'
import { takePendingSignIn } from '../../../../lib/session/pending-sign-in.ts'
import { Banner } from '../../../../ui/banner.tsx'
import { buttonClass } from '../../../../ui/button.tsx'
import { showToast } from '../../../../ui/show-toast.ts'
import { Spinner } from '../../../../ui/spinner.tsx'
import { returnFromProvider } from './other-sign-in-methods.tsx'
import { SignInLayout } from './sign-in-layout.tsx'

/** Page to which the provider redirects. It opens the next page after linking; after a sign-in, the router does. */
export function OidcReturnPage() {
  const text = useText('sign-in')
  const appText = useText('app')
  const errorText = useErrorText()
  const navigate = useNavigate()
  const { search, state } = useLocation()
  const hasBegun = useRef(false)
  const [failure, setFailure] = useState<string | null>(null)

  useEffect(() => {
    if (hasBegun.current) return
    hasBegun.current = true
    const finish = async () => {
      const pending = takePendingSignIn()
      // removes the code from the address and the history first
      await navigate(paths.oidcReturn, { replace: true, state: { from: pending?.from ?? undefined } })
      if (pending === null) return setFailure(text('oidc.notBegun'))
      try {
        await returnFromProvider(pending.ticket, search)
        if (!pending.isLinking) return
        await navigate(pending.from ?? paths.dashboard, { replace: true })
        showToast({ tone: 'success', title: text('oidc.linked') })
      } catch (error) {
        console.error('The sign-in at the provider failed', error)
        setFailure(errorText(error, text('ways.failed')))
      }
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
          <Link to={paths.login} state={state} replace className={buttonClass({ variant: 'primary', size: 'lg' })}>
            {text('back')}
          </Link>
        </div>
      )}
    </SignInLayout>
  )
}
