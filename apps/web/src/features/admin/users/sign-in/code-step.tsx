import { type FormEvent, useState } from 'react'
import { ApiError, call } from '../../../../lib/api/client.ts'
import { useErrorText } from '../../../../lib/i18n/error-text.ts'
import { useText } from '../../../../lib/i18n/i18n.ts'
import { session } from '../../../../lib/session/session.ts'
import { Banner } from '../../../../ui/banner.tsx'
import { Button } from '../../../../ui/button.tsx'
import { TextField } from '../../../../ui/text-field.tsx'

/** Asks for the authenticator code after the password, or for a recovery code instead. */
export function CodeStep({ challenge, onBack }: { challenge: string; onBack: () => void }) {
  const text = useText('sign-in')
  const appText = useText('app')
  const errorText = useErrorText()
  const [isRecovery, setIsRecovery] = useState(false)
  const [code, setCode] = useState('')
  const [failure, setFailure] = useState<unknown>(null)
  const [isSubmitting, setIsSubmitting] = useState(false)
  const isOver = failure instanceof ApiError && failure.code === 'sign_in_expired'

  const send = async (value: string) => {
    setIsSubmitting(true)
    setFailure(null)
    try {
      await session.signInWithToken(await call('POST /auth/totp/sign-in', { json: { challenge, code: value } }))
    } catch (error) {
      console.error('The code was rejected', error)
      setFailure(error)
      setIsSubmitting(false)
      setCode('')
    }
  }

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (code.trim() !== '') void send(code)
  }

  const change = (value: string) => {
    setCode(value)
    // submitted automatically after six digits
    const digits = value.replace(/\s/g, '')
    if (!isRecovery && /^\d{6}$/.test(digits)) void send(digits)
  }

  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-4">
      <div>
        <h2 className="text-16 font-semibold">{text(isRecovery ? 'code.recoveryTitle' : 'code.title')}</h2>
        <p className="mt-1 text-14 text-muted">{text(isRecovery ? 'code.recoveryText' : 'code.text')}</p>
      </div>
      {failure !== null && <Banner tone="error">{errorText(failure, text('ways.failed'))}</Banner>}
      <TextField
        // switching the kind of code mounts a new, empty field, which takes the focus
        key={String(isRecovery)}
        label={text(isRecovery ? 'code.recoveryLabel' : 'code.label')}
        name="code"
        autoFocus
        autoComplete="one-time-code"
        inputMode={isRecovery ? 'text' : 'numeric'}
        autoCapitalize="none"
        spellCheck={false}
        maxLength={40}
        value={code}
        readOnly={isSubmitting}
        onChange={(event) => change(event.target.value)}
      />
      <Button type="submit" variant="primary" size="lg" loading={isSubmitting} disabled={isOver} className="w-full">
        {appText(isSubmitting ? 'login.submitting' : 'login.submit')}
      </Button>
      <div className="flex flex-wrap justify-between gap-2">
        <Button variant="ghost" size="sm" onClick={onBack}>
          {text('back')}
        </Button>
        <Button
          variant="ghost"
          size="sm"
          onClick={() => {
            setIsRecovery(!isRecovery)
            setCode('')
            setFailure(null)
          }}
        >
          {text(isRecovery ? 'code.useApp' : 'code.useRecovery')}
        </Button>
      </div>
    </form>
  )
}
