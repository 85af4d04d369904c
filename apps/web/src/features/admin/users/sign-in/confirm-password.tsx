import { PASSWORD_FIELD_MAX_CHARACTERS } from '@mira/shared/constants/limits'
import { type ReactNode, useRef, useState } from 'react'
import { ApiError } from '../../../../lib/api/client.ts'
import { FormDialog } from '../../../../lib/components/form-dialog.tsx'
import { PasswordField } from '../../../../lib/components/password-field.tsx'
import { useErrorText } from '../../../../lib/i18n/error-text.ts'
import { useText } from '../../../../lib/i18n/i18n.ts'
import { useCloseIfMounted } from '../../../../ui/use-close-if-mounted.ts'

type Work = (password?: string) => Promise<void>

/** True when the server requires the password, because the sign-in isn't recent. */
export function needsConfirmation(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'confirmation_required'
}

/**
 * Runs requests that require a recent sign-in; asks for the password when the server refuses because the sign-in is too old.
 * @returns `runConfirmed`, which runs a request and throws its other errors, and the dialog to render.
 */
export function useRecentSignIn(): { runConfirmed: (work: Work) => Promise<void>; dialog: ReactNode } {
  const [pending, setPending] = useState<{ work: Work; opening: number } | null>(null)
  const [isOpen, setIsOpen] = useState(false)
  const openings = useRef(0)

  const runConfirmed = async (work: Work) => {
    try {
      await work()
    } catch (error) {
      if (!needsConfirmation(error)) throw error
      openings.current += 1
      setPending({ work, opening: openings.current })
      setIsOpen(true)
    }
  }
  const dialog = pending && (
    <ConfirmPassword key={pending.opening} work={pending.work} open={isOpen} onOpenChange={setIsOpen} />
  )
  return { runConfirmed, dialog }
}

function ConfirmPassword({ work, open, onOpenChange }: ConfirmPasswordProps) {
  const text = useText('sign-in')
  const appText = useText('app')
  const errorText = useErrorText()
  const [password, setPassword] = useState('')
  const [failure, setFailure] = useState<unknown>(null)
  const [isBusy, setIsBusy] = useState(false)
  const close = useCloseIfMounted(() => onOpenChange(false))

  const submit = async (form: HTMLFormElement) => {
    const field = form.querySelector<HTMLInputElement>('[name=confirmation]')
    setIsBusy(true)
    setFailure(null)
    try {
      await work(password)
      close()
    } catch (error) {
      console.error('The confirmed request failed', error)
      setFailure(error)
      field?.select()
    }
    setIsBusy(false)
  }

  return (
    <FormDialog
      open={open}
      onOpenChange={onOpenChange}
      size="sm"
      title={text('confirm.title')}
      description={text('confirm.text')}
      onSubmit={(form) => void submit(form)}
      submitLabel={text('confirm.submit')}
      isBusy={isBusy}
      canSubmit={password !== ''}
    >
      <PasswordField
        label={appText('login.password')}
        name="confirmation"
        data-autofocus=""
        autoComplete="current-password"
        maxLength={PASSWORD_FIELD_MAX_CHARACTERS}
        value={password}
        error={failure === null ? undefined : errorText(failure)}
        onChange={(event) => setPassword(event.target.value)}
      />
    </FormDialog>
  )
}

type ConfirmPasswordProps = { work: Work; open: boolean; onOpenChange: (isOpen: boolean) => void }
