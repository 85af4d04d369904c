import { createUserSchema, OWN_PASSWORD_MIN_CHARACTERS, PASSWORD_MAX_BYTES } from '@mira/shared'
import { expect, it } from 'vitest'
import type { Text } from '../../../lib/i18n/i18n.ts'
import { storageLimitOf } from './use-users.ts'
import { newUserValues, passwordError, validateUser } from './user-form.ts'

/** Returns the key instead of the text. */
const text = ((key: string) => key) as unknown as Text<'users'>
const admin = { has_password: true }
const validValues = {
  ...newUserValues,
  username: 'ada.lovelace',
  email: 'ada@example.org',
  password: 'plum-orbit-lantern',
}

it('a new user may only chat', () => {
  expect(newUserValues).toMatchObject({
    role: 'user',
    can_chat: true,
    can_upload: false,
    can_use_voice: false,
    can_use_agents: false,
  })
})

it.each([
  [{}, {}],
  [{ username: '  ' }, { username: 'form.usernameMissing' }],
  [{ username: 'two words' }, { username: 'form.usernameWrong' }],
  [{ username: 'Zoë_2' }, {}],
  [{ email: '' }, { email: 'form.emailWrong' }],
  [{ email: 'ada@home' }, { email: 'form.emailWrong' }],
  [{ storage_megabytes: '500' }, {}],
  [{ storage_megabytes: '0' }, { storage_megabytes: 'form.storageWrong' }],
  [{ password: '' }, { password: 'form.passwordShort' }],
])('the form with %o reports %o, and the server agrees', (change, errors) => {
  const values = { ...validValues, ...change }
  expect(validateUser(text, values, null, admin)).toEqual(errors)
  // an empty current password isn't sent
  const body = { ...values, ...storageLimitOf(values), current_password: values.current_password || undefined }
  expect(createUserSchema.safeParse(body).success).toBe(Object.keys(errors).length === 0)
})

it('rejects storage with a thousands separator, which is ambiguous', () => {
  const values = { ...validValues, storage_megabytes: '10.000' }
  expect(validateUser(text, values, null, admin)).toEqual({ storage_megabytes: 'form.storageWrong' })
})

it('the storage limit changes only when megabytes are entered or cleared', () => {
  expect(storageLimitOf(newUserValues)).toEqual({})
  expect(storageLimitOf({ storage_megabytes: ' ' })).toEqual({ storage_limit_bytes: null })
  expect(storageLimitOf({ storage_megabytes: '2' })).toEqual({ storage_limit_bytes: 2 * 1024 * 1024 })
})

it('an existing user may keep their password', () => {
  const change = (values: Partial<typeof validValues>) =>
    validateUser(text, { ...validValues, password: '', ...values }, { role: 'user', email: validValues.email }, admin)
  expect(change({})).toEqual({})
  expect(change({ password: 'short', current_password: 'x' })).toEqual({ password: 'form.passwordShort' })
})

it('changing an existing user’s password, role or address requires the administrator’s own password', () => {
  const passwordMissing = { current_password: 'form.ownPasswordMissing' }
  const change = (values: Partial<typeof validValues>) =>
    validateUser(text, { ...validValues, password: '', ...values }, { role: 'user', email: validValues.email }, admin)
  expect(change({ role: 'guest' })).toEqual(passwordMissing)
  expect(change({ password: validValues.password })).toEqual(passwordMissing)
  expect(change({ email: 'other@example.org' })).toEqual(passwordMissing)
  expect(change({ role: 'guest', current_password: 'mine' })).toEqual({})
  admin.has_password = false
  expect(change({ role: 'guest' })).toEqual({})
})

it('a password needs the minimum of characters and stays within the maximum of bytes', () => {
  expect(passwordError(text, 'x'.repeat(OWN_PASSWORD_MIN_CHARACTERS))).toBeUndefined()
  expect(passwordError(text, 'é'.repeat(OWN_PASSWORD_MIN_CHARACTERS - 1))).toBe('form.passwordShort')
  expect(passwordError(text, 'é'.repeat(PASSWORD_MAX_BYTES / 2))).toBeUndefined()
  expect(passwordError(text, 'é'.repeat(PASSWORD_MAX_BYTES / 2 + 1))).toBe('form.passwordLong')
})
