import type { UserJson } from '@mira/shared'
import type { Text } from '../../lib/i18n.ts'
import { permissions } from './permissions.ts'

/** What the form of a user holds while it is filled in. */
export interface UserFormValues {
  username: string
  email: string
  full_name: string
  /** Empty in the form of a user who is there: it stays as it is. */
  password: string
  role: UserJson['role']
  can_chat: boolean
  can_upload: boolean
  can_use_voice: boolean
  can_use_agents: boolean
  is_active: boolean
}

export type UserFormErrors = Partial<Record<keyof UserFormValues, string>>

/** A new user as the form begins (spec §5). */
export const newUserValues: Readonly<UserFormValues> = {
  username: '',
  email: '',
  full_name: '',
  password: '',
  role: 'user',
  can_chat: true,
  can_upload: false,
  can_use_voice: false,
  can_use_agents: false,
  is_active: true,
}

/** A user who is there, as the form begins. */
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
    role: user.role,
    is_active: user.is_active,
    ...flags,
  }
}

/** The shortest and longest password that is taken, in bytes of UTF-8; the contract's PASSWORD_MIN_BYTES and _MAX_BYTES. */
const PASSWORD_BYTES = { least: 10, most: 72 }

/**
 * What is wrong with a new password, or undefined; whether it can be guessed is judged by the server.
 *
 * The contract's schemas say the same; they are not used here because their library is larger than this screen.
 */
export function passwordError(text: Text<'users'>, password: string): string | undefined {
  const length = new TextEncoder().encode(password).length
  if (length < PASSWORD_BYTES.least) return text('form.passwordShort', { count: PASSWORD_BYTES.least })
  if (length > PASSWORD_BYTES.most) return text('form.passwordLong', { count: PASSWORD_BYTES.most })
  return undefined
}

/** What is wrong with the values, by field, before they are sent. */
export function validateUser(text: Text<'users'>, values: UserFormValues, isNew: boolean): UserFormErrors {
  const username = values.username.trim()
  const email = values.email.trim()
  const errors: UserFormErrors = {
    username:
      username === ''
        ? text('form.usernameMissing')
        : /^[\p{L}\p{N}._@+-]+$/u.test(username)
          ? undefined
          : text('form.usernameWrong'),
    email: /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email) ? undefined : text('form.emailWrong'),
    password: isNew || values.password !== '' ? passwordError(text, values.password) : undefined,
  }
  return Object.fromEntries(Object.entries(errors).filter(([, message]) => message !== undefined))
}
