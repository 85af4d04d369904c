import type { AccessItemJson, AccessItemRef } from '@mira/shared'
import { PASSWORD_FIELD_MAX_CHARACTERS } from '@mira/shared/constants/limits'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ApiError, call } from '../../../lib/api/client.ts'
import { PasswordField } from '../../../lib/components/password-field.tsx'
import { useErrorText, useFieldErrors } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { session, useUser } from '../../../lib/session/session.ts'
import { Banner } from '../../../ui/banner.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card, CardHeader } from '../../../ui/card.tsx'
import { Checkbox } from '../../../ui/checkbox.tsx'
import { showToast } from '../../../ui/show-toast.ts'
import { accessItemsKey, accessRefOf, useAccessItems, useAccessItemText } from './access-card.tsx'
import { passwordError } from './user-form.ts'

/** Kinds of access that every password change ends. */
const alwaysEnded: readonly AccessItemJson['kind'][] = ['session', 'api_token', 'program']

/** Checkboxes for access that would outlive a password change, to revoke it as well. */
function AccessChoice({ value, onChange }: AccessChoiceProps) {
  const text = useText('users')
  const nameOf = useAccessItemText()
  const { items = [] } = useAccessItems()
  const others = items.filter(({ kind }) => !alwaysEnded.includes(kind))
  if (others.length === 0) return null
  const isChosen = (item: AccessItemJson) => value.some(({ id }) => id === item.id)
  return (
    <fieldset className="flex max-h-80 flex-col items-start gap-2 overflow-y-auto">
      <legend className="mb-2 text-13 font-medium">{text('access.alsoEnd')}</legend>
      <Checkbox
        label={text('access.alsoEndAll')}
        checked={others.every(isChosen)}
        indeterminate={others.some(isChosen) && !others.every(isChosen)}
        onCheckedChange={(isAll) => onChange(isAll ? others.map(accessRefOf) : [])}
      />
      {others.map((item) => (
        <Checkbox
          key={item.id}
          label={nameOf(item)}
          checked={isChosen(item)}
          onCheckedChange={(isOn) =>
            onChange(isOn ? [...value, accessRefOf(item)] : value.filter(({ id }) => id !== item.id))
          }
        />
      ))}
    </fieldset>
  )
}

type AccessChoiceProps = { value: readonly AccessItemRef[]; onChange: (value: readonly AccessItemRef[]) => void }

type FieldName = 'current_password' | 'new_password'

/** Form for the user's new password; asks for the current one if there is one. */
export function PasswordForm({ submitLabel, onChanged }: { submitLabel: string; onChanged: () => void }) {
  const text = useText('users')
  const errorText = useErrorText()
  const fieldErrors = useFieldErrors()
  const { username, has_password: hasPassword } = useUser()
  const [values, setValues] = useState<Record<FieldName, string>>({ current_password: '', new_password: '' })
  const [errors, setErrors] = useState<Partial<Record<FieldName, string>>>({})
  const [accessToEnd, setAccessToEnd] = useState<readonly AccessItemRef[]>([])
  const queryClient = useQueryClient()
  const change = useMutation({
    mutationFn: () =>
      call('POST /auth/password', {
        json: {
          current_password: hasPassword ? values.current_password : undefined,
          new_password: values.new_password,
          end_access: accessToEnd,
        },
      }),
  })

  const set = (name: FieldName, value: string) => {
    setValues({ ...values, [name]: value })
    setErrors({ ...errors, [name]: undefined })
  }

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const show = (next: typeof errors) => {
      setErrors(next)
      const first = next.current_password ? 'current_password' : 'new_password'
      form.querySelector<HTMLInputElement>(`[name=${first}]`)?.focus()
    }
    const invalid = {
      current_password: hasPassword && values.current_password === '' ? text('password.currentMissing') : undefined,
      new_password: passwordError(text, values.new_password),
    }
    if (invalid.current_password || invalid.new_password) return show(invalid)
    change.mutate(undefined, {
      onSuccess: () => {
        setValues({ current_password: '', new_password: '' })
        setAccessToEnd([])
        queryClient
          .invalidateQueries({ queryKey: accessItemsKey })
          .catch((error: unknown) => console.error('Failed to refetch the access list', error))
        onChanged()
      },
      onError: (error) => {
        console.error('The password could not be changed', error)
        if (isWrongPassword(error)) show({ current_password: errorText(error) })
        else show(fieldErrors(error))
      },
    })
  }

  const isShownAtField = isWrongPassword(change.error) || Object.keys(fieldErrors(change.error)).length > 0
  return (
    <form noValidate onSubmit={submit} className="flex max-w-100 flex-col gap-4">
      {change.error && !isShownAtField && <Banner tone="error">{errorText(change.error)}</Banner>}
      {/* Lets password managers associate the password with the account. */}
      <input type="text" name="username" autoComplete="username" value={username} readOnly hidden />
      {hasPassword && (
        <PasswordField
          label={text('password.current')}
          name="current_password"
          required
          maxLength={PASSWORD_FIELD_MAX_CHARACTERS}
          autoComplete="current-password"
          value={values.current_password}
          error={errors.current_password}
          onChange={(event) => set('current_password', event.target.value)}
        />
      )}
      <PasswordField
        label={text('password.new')}
        name="new_password"
        required
        hint={text('password.hint')}
        maxLength={PASSWORD_FIELD_MAX_CHARACTERS}
        autoComplete="new-password"
        value={values.new_password}
        error={errors.new_password}
        onChange={(event) => set('new_password', event.target.value)}
      />
      <AccessChoice value={accessToEnd} onChange={setAccessToEnd} />
      <Button type="submit" variant="primary" loading={change.isPending} className="self-start">
        {submitLabel}
      </Button>
    </form>
  )
}

/** Sets a new password for the signed-in user; their other sessions, API tokens and programs lose access. */
export function ChangePassword() {
  const text = useText('users')
  const handleChange = () => {
    showToast({ tone: 'success', title: text('password.changed'), description: text('password.changedDetail') })
    // an account that had no password has one now
    session.refresh().catch((error: unknown) => console.error('Failed to refetch the account', error))
  }
  return (
    <Card>
      <CardHeader title={text('password.title')} description={text('password.subtitle')} />
      <PasswordForm submitLabel={text('password.submit')} onChanged={handleChange} />
    </Card>
  )
}

function isWrongPassword(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'wrong_password'
}
