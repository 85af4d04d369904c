import { createUserSchema, OWN_PASSWORD_MIN_CHARACTERS, PASSWORD_MAX_BYTES } from '@mira/shared'
import { expect, it } from 'vitest'
import type { Text } from '../../../lib/i18n/i18n.ts'
import { storageLimitOf } from './use-users.ts'
import { newUserValues, passwordError, validateUser } from './user-form.ts'

/** Says the key instead of the words. */
const text = ((key: string) => key) as unknown as Text<'users'>
const admin = { has_password: true }
const good = { ...newUserValues, username: 'ada.lovelace', email: 'ada@example.org', password: 'plum-orbit-lantern' }

it('a new user may chat and nothing else', () => {
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
])('the form with %o says %o, as the server would', (change, errors) => {
  const values = { ...good, ...change }
  expect(validateUser(text, values, null, admin)).toEqual(errors)
  // what isn't typed isn't sent
  const body = { ...values, ...storageLimitOf(values), current_password: values.current_password || undefined }
  expect(createUserSchema.safeParse(body).success).toBe(Object.keys(errors).length === 0)
})

it('storage in groups of digits is refused, as these are read in more than one way', () => {
  const values = { ...good, storage_megabytes: '10.000' }
  expect(validateUser(text, values, null, admin)).toEqual({ storage_megabytes: 'form.storageWrong' })
})

it('the storage of an account changes when a number of megabytes is typed or taken away, and not otherwise', () => {
  expect(storageLimitOf(newUserValues)).toEqual({})
  expect(storageLimitOf({ storage_megabytes: ' ' })).toEqual({ storage_limit_bytes: null })
  expect(storageLimitOf({ storage_megabytes: '2' })).toEqual({ storage_limit_bytes: 2 * 1024 * 1024 })
})

it('a user who is there may keep their password', () => {
  const change = (values: Partial<typeof good>) =>
    validateUser(text, { ...good, password: '', ...values }, { role: 'user', email: good.email }, admin)
  expect(change({})).toEqual({})
  expect(change({ password: 'short', current_password: 'x' })).toEqual({ password: 'form.passwordShort' })
})

it('a new password, another role or another address of a user who is there takes one’s own password', () => {
  const passwordMissing = { current_password: 'form.ownPasswordMissing' }
  const change = (values: Partial<typeof good>) =>
    validateUser(text, { ...good, password: '', ...values }, { role: 'user', email: good.email }, admin)
  expect(change({ role: 'guest' })).toEqual(passwordMissing)
  expect(change({ password: good.password })).toEqual(passwordMissing)
  expect(change({ email: 'other@example.org' })).toEqual(passwordMissing)
  expect(change({ role: 'guest', current_password: 'mine' })).toEqual({})
  admin.has_password = false
  expect(change({ role: 'guest' })).toEqual({})
})

it('a password is as long as everybody’s, and no longer than is read of it', () => {
  expect(passwordError(text, 'x'.repeat(OWN_PASSWORD_MIN_CHARACTERS))).toBeUndefined()
  expect(passwordError(text, 'é'.repeat(OWN_PASSWORD_MIN_CHARACTERS - 1))).toBe('form.passwordShort')
  expect(passwordError(text, 'é'.repeat(PASSWORD_MAX_BYTES / 2))).toBeUndefined()
  expect(passwordError(text, 'é'.repeat(PASSWORD_MAX_BYTES / 2 + 1))).toBe('form.passwordLong')
})
