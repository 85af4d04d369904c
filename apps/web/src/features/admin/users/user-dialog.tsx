import type { UserJson } from '@mira/shared'
import {
  EMAIL_MAX_CHARACTERS,
  FULL_NAME_MAX_CHARACTERS,
  MEBIBYTE,
  PASSWORD_FIELD_MAX_CHARACTERS,
  USERNAME_MAX_CHARACTERS,
} from '@mira/shared/constants/limits'
import { useRef, useState } from 'react'
import { ApiError } from '../../../lib/api/client.ts'
import { FormDialog } from '../../../lib/components/form-dialog.tsx'
import { PasswordField } from '../../../lib/components/password-field.tsx'
import { LoadFailed } from '../../../lib/components/query-list.tsx'
import { useFormat } from '../../../lib/format/format.ts'
import { useErrorText, useFieldErrors } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { useUser } from '../../../lib/session/session.ts'
import { Banner } from '../../../ui/banner.tsx'
import { copyText } from '../../../ui/copy-button.tsx'
import { NumberField } from '../../../ui/number-field.tsx'
import { Select } from '../../../ui/select.tsx'
import { showToast } from '../../../ui/show-toast.ts'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { Switch } from '../../../ui/switch.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { PermissionFields } from './permission-fields.tsx'
import { useSaveUser, useUserStorage } from './use-users.ts'
import { UserSignInMethods } from './user-card.tsx'
import {
  needsOwnPassword,
  newUserValues,
  type UserFormErrors,
  type UserFormValues,
  validateUser,
  valuesOf,
} from './user-form.ts'

/** Storage quota of an account, with its current use. */
function StorageField({ user, ...field }: StorageFieldProps & { user: UserJson | null }) {
  const text = useText('users')
  if (user) return <StoredQuotaField user={user} {...field} />
  return <MegabytesField {...field} hint={text('form.storageHintNew')} />
}

/** Storage quota of an existing account, once it has loaded. */
function StoredQuotaField({ user, value, ...field }: StorageFieldProps & { user: UserJson }) {
  const text = useText('users')
  const format = useFormat()
  const storage = useUserStorage(user)
  if (storage.isPending) return <Skeleton className="h-20" />
  if (storage.isLoadingError) return <LoadFailed query={storage} />
  const { used_bytes: used, own_limit_bytes: ownLimit, default_limit_bytes: defaultLimit } = storage.data
  const hint = text('form.storageHint', {
    used: format.bytes(used),
    limit: defaultLimit === null ? text('form.storageUnlimited') : format.bytes(defaultLimit),
  })
  const stored = ownLimit === null ? '' : String(Math.round(ownLimit / MEBIBYTE))
  return <MegabytesField {...field} value={value ?? stored} hint={hint} />
}

function MegabytesField({ value, hint, error, onChange }: StorageFieldProps & { hint: string }) {
  const text = useText('users')
  return (
    <NumberField
      label={text('form.storage')}
      name="storage_megabytes"
      hint={hint}
      value={value ?? ''}
      error={error}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}

type StorageFieldProps = {
  /** Megabytes as typed; null when untouched. */
  value: string | null
  error: string | undefined
  onChange: (value: string) => void
}

const roles = ['user', 'admin', 'guest'] as const
/** Display time of the toast with Mira's address and a new user's name; long enough to write them down. */
const HAND_OVER_MS = 30_000

/** Form of a new or existing user; errors are shown in it. */
export function UserDialog({ user, onClose }: UserDialogProps) {
  const text = useText('users')
  const errorText = useErrorText()
  const fieldErrors = useFieldErrors()
  const [values, setValues] = useState<UserFormValues>(user ? valuesOf(user) : newUserValues)
  const [errors, setErrors] = useState<UserFormErrors>({})
  const form = useRef<HTMLDivElement>(null)
  const save = useSaveUser(user)
  const failure = save.error
  const isNew = user === null
  const admin = useUser()

  const errorsOf = (error: Error): UserFormErrors =>
    error instanceof ApiError && error.code === 'wrong_password'
      ? { current_password: text('form.ownPasswordWrong') }
      : fieldErrors(error)

  const set = (change: Partial<UserFormValues>) => {
    setValues((before) => ({ ...before, ...change }))
    setErrors((before) => Object.fromEntries(Object.entries(before).filter(([name]) => !(name in change))))
  }

  const showErrors = (next: UserFormErrors) => {
    setErrors(next)
    const first = ['username', 'email', 'password', 'current_password', 'full_name', 'storage_megabytes'].find(
      (name) => name in next,
    )
    form.current?.querySelector<HTMLInputElement>(`[name=${first}]`)?.focus()
  }

  const submit = () => {
    const invalid = validateUser(text, values, user, admin)
    if (Object.keys(invalid).length > 0) return showErrors(invalid)
    save.mutate(values, {
      onSuccess: (saved) => {
        onClose()
        const name = saved.full_name || saved.username
        if (!isNew) return showToast({ tone: 'success', title: text('form.updated', { name }) })
        const handOver = { address: window.location.origin, username: saved.username }
        return showToast({
          tone: 'success',
          title: text('form.created', { name }),
          description: text('form.handOver', handOver),
          durationMs: HAND_OVER_MS,
          action: {
            label: text('form.copyHandOver'),
            onSelect: () => void copyText(text('form.handOverText', handOver)),
          },
        })
      },
      onError: (error) => {
        console.error('The user could not be saved', error)
        showErrors(errorsOf(error))
      },
    })
  }

  return (
    <FormDialog
      open
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={text(isNew ? 'form.createTitle' : 'form.editTitle')}
      onSubmit={submit}
      submitLabel={text(isNew ? 'form.create' : 'form.save')}
      isBusy={save.isPending}
    >
      <div ref={form} className="flex flex-col gap-4">
        {failure && Object.keys(errorsOf(failure)).length === 0 && (
          <Banner tone="error">{errorText(failure, text(isNew ? 'form.createFailed' : 'form.updateFailed'))}</Banner>
        )}
        <UserFields values={values} errors={errors} isNew={isNew} onChange={set} />
        <StorageField
          user={user}
          value={values.storage_megabytes}
          error={errors.storage_megabytes}
          onChange={(storage_megabytes) => set({ storage_megabytes })}
        />
        {user && <UserSignInMethods user={user} />}
        {needsOwnPassword(values, user, admin) && (
          <PasswordField
            label={text('form.ownPassword')}
            name="current_password"
            required
            hint={text('form.ownPasswordHint')}
            maxLength={PASSWORD_FIELD_MAX_CHARACTERS}
            autoComplete="current-password"
            value={values.current_password}
            error={errors.current_password}
            onChange={(event) => set({ current_password: event.target.value })}
          />
        )}
      </div>
    </FormDialog>
  )
}

function UserFields({ values, errors, isNew, onChange }: UserFieldsProps) {
  const text = useText('users')
  const appText = useText('app')
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label={text('form.username')}
          name="username"
          required
          data-autofocus=""
          maxLength={USERNAME_MAX_CHARACTERS}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          value={values.username}
          error={errors.username}
          onChange={(event) => onChange({ username: event.target.value })}
        />
        <TextField
          label={text('form.fullName')}
          name="full_name"
          hint={text('form.optional')}
          maxLength={FULL_NAME_MAX_CHARACTERS}
          autoComplete="off"
          value={values.full_name}
          error={errors.full_name}
          onChange={(event) => onChange({ full_name: event.target.value })}
        />
      </div>
      <TextField
        label={text('form.email')}
        name="email"
        type="email"
        required
        maxLength={EMAIL_MAX_CHARACTERS}
        autoComplete="off"
        value={values.email}
        error={errors.email}
        onChange={(event) => onChange({ email: event.target.value })}
      />
      <PasswordField
        label={text(isNew ? 'form.password' : 'form.newPassword')}
        name="password"
        required={isNew}
        hint={text(isNew ? 'form.passwordHint' : 'form.newPasswordHint')}
        maxLength={PASSWORD_FIELD_MAX_CHARACTERS}
        autoComplete="new-password"
        value={values.password}
        error={errors.password}
        onChange={(event) => onChange({ password: event.target.value })}
      />
      <Select
        label={text('form.role')}
        name="role"
        options={roles.map((role) => ({ value: role, label: appText(`roles.${role}`) }))}
        value={values.role}
        onValueChange={(role) => onChange({ role })}
      />
      <PermissionFields values={values} onChange={onChange} />
      {!isNew && (
        <Switch
          label={text('form.active')}
          description={text('form.activeHint')}
          checked={values.is_active}
          onCheckedChange={(isActive) => onChange({ is_active: isActive })}
        />
      )}
    </>
  )
}

type UserFieldsProps = {
  values: UserFormValues
  errors: UserFormErrors
  isNew: boolean
  onChange: (change: Partial<UserFormValues>) => void
}

type UserDialogProps = {
  /** Null for a new user. */
  user: UserJson | null
  onClose: () => void
}
