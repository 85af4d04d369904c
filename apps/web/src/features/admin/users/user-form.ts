import type { MeJson, UserJson } from '@mira/shared'
import { USERNAME_PATTERN } from '@mira/shared/constants/accounts'
import { OWN_PASSWORD_MIN_CHARACTERS, PASSWORD_MAX_BYTES } from '@mira/shared/constants/limits'
import { typedNumber } from '../../../lib/format/typed-number.ts'
import type { Text } from '../../../lib/i18n/i18n.ts'
import { permissions } from './permission-fields.tsx'

/** Values of the user form. */
export interface UserFormValues {
  username: string
  email: string
  full_name: string
  /** Empty to keep an existing user's password. */
  password: string
  /** The administrator's own password, required to create an administrator and to change a password, role or email address. */
  current_password: string
  role: UserJson['role']
  can_chat: boolean
  can_upload: boolean
  can_use_voice: boolean
  can_use_agents: boolean
  is_active: boolean
  /** As typed; empty for the default, null when untouched. */
  storage_megabytes: string | null
}

/** Bounds of an account's quota, in whole megabytes. */
export const storageMegabytes = { min: 1, max: 100_000_000 }

export type UserFormErrors = Partial<Record<keyof UserFormValues, string>>

/** Initial values for a new user. */
export const newUserValues: Readonly<UserFormValues> = {
  username: '',
  email: '',
  full_name: '',
  password: '',
  current_password: '',
  role: 'user',
  can_chat: true,
  can_upload: false,
  can_use_voice: false,
  can_use_agents: false,
  is_active: true,
  storage_megabytes: null,
}

/** Initial values for an existing user. */
export function valuesOf(user: UserJson): UserFormValues {
  const flags = Object.fromEntries(permissions.map((name) => [name, user[name]])) as Pick<
    UserFormValues,
    (typeof permissions)[number]
  >
  return {
    username: user.username,
    email: user.email,
    full_name: user.full_name ?? '',
    password: '',
    current_password: '',
    role: user.role,
    is_active: user.is_active,
    storage_megabytes: null,
    ...flags,
  }
}

/** Error of a new password, undefined if it's acceptable; only the server checks whether it's easy to guess. */
export function passwordError(text: Text<'users'>, password: string): string | undefined {
  if ([...password].length < OWN_PASSWORD_MIN_CHARACTERS)
    return text('form.passwordShort', { count: OWN_PASSWORD_MIN_CHARACTERS })
  const bytes = new TextEncoder().encode(password).length
  return bytes > PASSWORD_MAX_BYTES ? text('form.passwordLong', { count: PASSWORD_MAX_BYTES }) : undefined
}

/** True when these changes require the administrator's own password. */
export function needsOwnPassword(
  values: UserFormValues,
  user: Pick<UserJson, 'role' | 'email'> | null,
  { has_password }: Pick<MeJson, 'has_password'>,
): boolean {
  if (!has_password) return false
  if (user === null) return values.role === 'admin'
  return values.password !== '' || values.role !== user.role || values.email !== user.email
}

/** Validates the form before it's sent, by field; `user` is null for a new user. */
export function validateUser(
  text: Text<'users'>,
  values: UserFormValues,
  user: Pick<UserJson, 'role' | 'email'> | null,
  admin: Pick<MeJson, 'has_password'>,
): UserFormErrors {
  const username = values.username.trim()
  const email = values.email.trim()
  const typedStorage = values.storage_megabytes?.trim() ?? ''
  const megabytes = typedNumber(typedStorage)
  const isStorageValid = typedStorage === '' || (megabytes >= storageMegabytes.min && megabytes <= storageMegabytes.max)
  const errors: UserFormErrors = {
    username:
      username === ''
        ? text('form.usernameMissing')
        : USERNAME_PATTERN.test(username.normalize('NFC'))
          ? undefined
          : text('form.usernameWrong'),
    email: /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email) ? undefined : text('form.emailWrong'),
    password: user === null || values.password !== '' ? passwordError(text, values.password) : undefined,
    current_password:
      needsOwnPassword(values, user, admin) && values.current_password === ''
        ? text('form.ownPasswordMissing')
        : undefined,
    storage_megabytes: isStorageValid
      ? undefined
      : text('form.storageWrong', { from: storageMegabytes.min, to: storageMegabytes.max }),
  }
  return Object.fromEntries(Object.entries(errors).filter(([, message]) => message !== undefined))
}
