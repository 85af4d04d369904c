import type { InvitationPreviewJson } from '@mira/shared'
import { toUsername } from '@mira/shared/constants/accounts'
import { PASSWORD_FIELD_MAX_CHARACTERS } from '@mira/shared/constants/limits'
import { type FormEvent, useEffect, useState } from 'react'
import { Link, useLocation, useNavigate } from 'react-router-dom'
import { call } from '../../../../lib/api/client.ts'
import { assistantName } from '../../../../lib/browser/page-meta.ts'
import { PasswordField } from '../../../../lib/components/password-field.tsx'
import { useFormat } from '../../../../lib/format/format.ts'
import { useErrorText, useFieldErrors } from '../../../../lib/i18n/error-text.ts'
import { useText } from '../../../../lib/i18n/i18n.ts'
import { paths } from '../../../../lib/session/paths.ts'
import { session, useSession } from '../../../../lib/session/session.ts'
import { useSignOut } from '../../../../lib/session/unsent-work.ts'
import { Banner } from '../../../../ui/banner.tsx'
import { Button, buttonClass } from '../../../../ui/button.tsx'
import { InlineError } from '../../../../ui/inline-error.tsx'
import { LoadingRegion, Skeleton } from '../../../../ui/skeleton.tsx'
import { TextField } from '../../../../ui/text-field.tsx'
import { passwordError } from '../user-form.ts'
import { goToProvider, useSignInMethods } from './other-sign-in-methods.tsx'
import { SignInLayout } from './sign-in-layout.tsx'

/** Target of invitation links, where the recipient creates an account. The secret is in the fragment, which isn't sent. */
export function InvitationPage() {
  const text = useText('sign-in')
  const appText = useText('app')
  const signOut = useSignOut()
  const state = useSession()
  const token = useLocation().hash.slice(1)
  const { invitation, failure } = useInvitation(token)
  return (
    <SignInLayout
      title={text('invitation.title', { assistant: assistantName() })}
      subtitle={invitation ? text('invitation.text', { name: invitation.invited_by }) : text('invitation.opening')}
    >
      {state.status === 'signed-in' ? (
        <Banner tone="info" action={<Button onClick={() => void signOut()}>{appText('nav.signOut')}</Button>}>
          {text('invitation.signedIn', { name: state.user.username })}
        </Banner>
      ) : failure !== null ? (
        <div className="flex flex-col gap-4">
          <Banner tone="error">{failure}</Banner>
          <Link to={paths.login} className={buttonClass({ size: 'lg' })}>
            {text('back')}
          </Link>
        </div>
      ) : invitation === null ? (
        <LoadingRegion label={appText('common.loading')}>
          <Skeleton className="h-64" />
        </LoadingRegion>
      ) : (
        <SignUpMethods token={token} invitation={invitation} />
      )}
    </SignInLayout>
  )
}

/** Loads an invitation; `failure` is a translated reason. */
function useInvitation(token: string): { invitation: InvitationPreviewJson | null; failure: string | null } {
  const text = useText('sign-in')
  const errorText = useErrorText()
  const [invitation, setInvitation] = useState<InvitationPreviewJson | null>(null)
  const [error, setError] = useState<unknown>(null)
  useEffect(() => {
    const stop = new AbortController()
    call('POST /auth/invitations/look', { json: { token }, signal: stop.signal }).then(
      setInvitation,
      (reason: unknown) => {
        if (stop.signal.aborted) return
        console.error('The invitation could not be opened', reason)
        setError(reason)
      },
    )
    return () => stop.abort()
  }, [token])
  return { invitation, failure: error === null ? null : errorText(error, text('invitation.failed')) }
}

/** Form and provider button, depending on the sign-in methods that will be available. */
function SignUpMethods({ token, invitation }: { token: string; invitation: InvitationPreviewJson }) {
  const text = useText('sign-in')
  const appText = useText('app')
  const format = useFormat()
  const { methods, retry } = useSignInMethods()
  if (retry !== null) {
    return <InlineError text={appText('common.loadFailed')} retryLabel={appText('common.retry')} onRetry={retry} />
  }
  if (methods === null) {
    return (
      <LoadingRegion label={appText('common.loading')}>
        <Skeleton className="h-64" />
      </LoadingRegion>
    )
  }
  const hasForm = methods.password || methods.oidc === null || invitation.role === 'admin'
  return (
    <div className="flex flex-col gap-4">
      <p className="text-13 text-muted">
        {text('invitation.for', { email: invitation.email, date: format.dateTime(invitation.expires_at) })}
      </p>
      {hasForm && <AcceptForm token={token} invitation={invitation} />}
      {methods.oidc && !methods.password && (
        <>
          {hasForm ? (
            <p className="text-center text-13 text-muted">{text('ways.or')}</p>
          ) : (
            <p>{text('invitation.atProvider', { provider: methods.oidc.name })}</p>
          )}
          <ProviderButton token={token} provider={methods.oidc.name} isOnly={!hasForm} />
        </>
      )}
    </div>
  )
}

/** Button that leads to the provider; signing in there accepts the invitation. */
function ProviderButton({ token, provider, isOnly }: { token: string; provider: string; isOnly: boolean }) {
  const text = useText('sign-in')
  const errorText = useErrorText()
  const [isLeaving, setIsLeaving] = useState(false)
  const [failure, setFailure] = useState<unknown>(null)
  const leave = async () => {
    setIsLeaving(true)
    setFailure(null)
    try {
      await goToProvider({ invitation: token })
    } catch (error) {
      console.error('The sign-in provider could not be reached', error)
      setFailure(error)
    }
    setIsLeaving(false)
  }
  return (
    <>
      {failure !== null && <Banner tone="error">{errorText(failure)}</Banner>}
      <Button
        variant={isOnly ? 'primary' : 'secondary'}
        size="lg"
        loading={isLeaving}
        onClick={() => void leave()}
        className="w-full"
      >
        <span className="truncate">{text('ways.oidc', { name: provider })}</span>
      </Button>
    </>
  )
}

type Fields = { username: string; full_name: string; password: string }

function AcceptForm({ token, invitation }: { token: string; invitation: InvitationPreviewJson }) {
  const text = useText('sign-in')
  const userText = useText('users')
  const errorText = useErrorText()
  const fieldErrors = useFieldErrors()
  const navigate = useNavigate()
  const [values, setValues] = useState<Fields>({
    username: toUsername(invitation.email.split('@')[0] ?? ''),
    full_name: invitation.full_name ?? '',
    password: '',
  })
  const [errors, setErrors] = useState<Partial<Fields>>({})
  const [failure, setFailure] = useState<unknown>(null)
  const [isSubmitting, setIsSubmitting] = useState(false)

  const set = (change: Partial<Fields>) => {
    setValues({ ...values, ...change })
    setErrors(Object.fromEntries(Object.entries(errors).filter(([name]) => !(name in change))))
  }

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const show = (next: Partial<Fields>) => {
      setErrors(next)
      const first = ['username', 'full_name', 'password'].find((name) => next[name as keyof Fields])
      form.querySelector<HTMLInputElement>(`[name=${first}]`)?.focus()
    }
    const username = values.username.trim()
    const invalid = {
      username: username === '' ? userText('form.usernameMissing') : undefined,
      password: passwordError(userText, values.password),
    }
    if (invalid.username || invalid.password) return show(invalid)
    setIsSubmitting(true)
    setFailure(null)
    try {
      const response = await call('POST /auth/invitations/accept', {
        json: { token, username, full_name: values.full_name, password: values.password },
      })
      await session.signInWithToken(response)
      await navigate(paths.dashboard, { replace: true })
    } catch (error) {
      console.error('The invitation could not be accepted', error)
      setIsSubmitting(false)
      const errorsByField = fieldErrors(error)
      // the email address isn't a field of this form
      if (Object.keys(errorsByField).some((name) => name in values)) show(errorsByField)
      else setFailure(error)
    }
  }

  return (
    <form noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
      {failure !== null && <Banner tone="error">{errorText(failure, text('invitation.failed'))}</Banner>}
      <TextField
        label={userText('form.username')}
        name="username"
        required
        autoFocus
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={64}
        value={values.username}
        error={errors.username}
        onChange={(event) => set({ username: event.target.value })}
      />
      <TextField
        label={userText('form.fullName')}
        name="full_name"
        hint={userText('form.optional')}
        autoComplete="name"
        maxLength={120}
        value={values.full_name}
        error={errors.full_name}
        onChange={(event) => set({ full_name: event.target.value })}
      />
      <PasswordField
        label={userText('form.password')}
        name="password"
        required
        hint={userText('password.hint')}
        autoComplete="new-password"
        maxLength={PASSWORD_FIELD_MAX_CHARACTERS}
        value={values.password}
        error={errors.password}
        onChange={(event) => set({ password: event.target.value })}
      />
      <Button type="submit" variant="primary" size="lg" loading={isSubmitting} className="mt-2 w-full">
        {text('invitation.accept')}
      </Button>
    </form>
  )
}
