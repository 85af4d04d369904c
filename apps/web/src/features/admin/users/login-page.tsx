import { PASSWORD_FIELD_MAX_CHARACTERS } from '@mira/shared/constants/limits'
import { type FormEvent, lazy, Suspense, useEffect, useRef, useState } from 'react'
import { ApiError } from '../../../lib/api/client.ts'
import { assistantName } from '../../../lib/browser/page-meta.ts'
import { PasswordField } from '../../../lib/components/password-field.tsx'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { loadTexts, useText, withTexts } from '../../../lib/i18n/i18n.ts'
import type { LoginState } from '../../../lib/session/navigation-state.ts'
import { session } from '../../../lib/session/session.ts'
import { Banner } from '../../../ui/banner.tsx'
import { Button } from '../../../ui/button.tsx'
import { ErrorBoundary } from '../../../ui/error-boundary.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { useIsPainted } from '../../../ui/use-is-painted.ts'
import { SignInLayout } from './sign-in/sign-in-layout.tsx'

// loaded after the form, as most sign-ins don't need it
const OtherSignInMethods = lazy(async () => {
  const { OtherSignInMethods } = await withTexts(import('./sign-in/other-sign-in-methods.tsx'), 'sign-in')
  return { default: OtherSignInMethods }
})
const CodeStep = lazy(async () => {
  const { CodeStep } = await withTexts(import('./sign-in/code-step.tsx'), 'sign-in')
  return { default: CodeStep }
})

/** The sign-in page. After signing in, its parent opens the next page. */
export function LoginPage({ hasExpired, from }: LoginState) {
  const text = useText('app')
  const [challenge, setChallenge] = useState<string | null>(null)
  const isPainted = useIsPainted()
  // loads the error texts in advance; if that fails, they're loaded when needed
  useEffect(() => {
    if (isPainted) loadTexts('errors').catch(() => {})
  }, [isPainted])
  return (
    <SignInLayout title={text('login.welcome', { assistant: assistantName() })} subtitle={text('login.subtitle')}>
      {challenge === null ? (
        <>
          <LoginForm hasExpired={hasExpired === true} onChallenge={setChallenge} />
          {isPainted && (
            <ErrorBoundary>
              <Suspense>
                <OtherSignInMethods from={from} />
              </Suspense>
            </ErrorBoundary>
          )}
        </>
      ) : (
        <ErrorBoundary fallback={<StepLoadError />}>
          <Suspense>
            <CodeStep challenge={challenge} onBack={() => setChallenge(null)} />
          </Suspense>
        </ErrorBoundary>
      )}
    </SignInLayout>
  )
}

function LoginForm({ hasExpired, onChallenge }: LoginFormProps) {
  const text = useText('app')
  const [failure, setFailure] = useState<unknown>(null)
  const [isSubmitting, setIsSubmitting] = useState(false)
  const form = useRef<HTMLFormElement>(null)

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget)
    setIsSubmitting(true)
    setFailure(null)
    try {
      const secondFactor = await session.login(String(fields.get('username')), String(fields.get('password')))
      if (secondFactor !== null) onChallenge(secondFactor.challenge)
    } catch (error) {
      console.error('The sign-in failed', error)
      setFailure(error)
      setIsSubmitting(false)
      form.current?.querySelector<HTMLInputElement>('[name=password]')?.select()
    }
  }

  return (
    <form ref={form} onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
      {failure !== null && (
        // when the texts can't be loaded, the form stays with its values
        <ErrorBoundary fallback={<Banner tone="error">{text('login.failed')}</Banner>}>
          <Suspense>
            <LoginFailure error={failure} />
          </Suspense>
        </ErrorBoundary>
      )}
      {hasExpired && failure === null && <Banner tone="info">{text('login.expired')}</Banner>}
      <TextField
        label={text('login.username')}
        name="username"
        required
        autoFocus
        // the browser offers passkeys in this field, besides usernames
        autoComplete="username webauthn"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={254}
        readOnly={isSubmitting}
      />
      <PasswordField
        label={text('login.password')}
        name="password"
        required
        autoComplete="current-password"
        maxLength={PASSWORD_FIELD_MAX_CHARACTERS}
        readOnly={isSubmitting}
      />
      <Button type="submit" variant="primary" size="lg" loading={isSubmitting} className="mt-2 w-full">
        {text(isSubmitting ? 'login.submitting' : 'login.submit')}
      </Button>
    </form>
  )
}

/** Fallback for a step whose code couldn't be loaded, with a reload button. */
function StepLoadError() {
  const text = useText('app')
  return (
    <div className="flex flex-col gap-4">
      <Banner tone="error" title={text('login.failed')}>
        {text('missingPart.text')}
      </Banner>
      <Button onClick={() => window.location.reload()}>{text('missingPart.reload')}</Button>
    </div>
  )
}

/** The server's message, or "Login failed" with the reason. */
function LoginFailure({ error }: { error: unknown }) {
  const text = useText('app')
  const errorText = useErrorText()
  const hasServerMessage = error instanceof ApiError && error.code !== 'network' && error.code !== 'http'
  return (
    <Banner tone="error" title={hasServerMessage ? undefined : text('login.failed')}>
      {errorText(error)}
    </Banner>
  )
}

type LoginFormProps = { hasExpired: boolean; onChallenge: (challenge: string) => void }
