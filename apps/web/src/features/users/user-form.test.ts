import { createUserSchema, PASSWORD_MAX_BYTES, PASSWORD_MIN_BYTES } from '@mira/shared'
import { expect, it } from 'vitest'
import type { Text } from '../../lib/i18n.ts'
import { newUserValues, passwordError, validateUser } from './user-form.ts'

/** Says the key instead of the words. */
const text = ((key: string) => key) as unknown as Text<'users'>
const good = { ...newUserValues, username: 'ada.lovelace', email: 'ada@example.org', password: 'plum-orbit-lantern' }

it('a new user begins with the defaults of the specification', () => {
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
  [{ password: '' }, { password: 'form.passwordShort' }],
])('the form with %o says %o, as the server would', (change, errors) => {
  const values = { ...good, ...change }
  expect(validateUser(text, values, true)).toEqual(errors)
  expect(createUserSchema.safeParse(values).success).toBe(Object.keys(errors).length === 0)
})

it('a user who is there may keep their password', () => {
  expect(validateUser(text, { ...good, password: '' }, false)).toEqual({})
  expect(validateUser(text, { ...good, password: 'short' }, false)).toEqual({ password: 'form.passwordShort' })
})

it('a password is as long as the contract says, in bytes', () => {
  const errors = (length: number) => [
    passwordError(text, 'x'.repeat(length)),
    passwordError(text, 'é'.repeat(length / 2)),
  ]
  expect(errors(PASSWORD_MIN_BYTES)).toEqual([undefined, undefined])
  expect(errors(PASSWORD_MIN_BYTES - 2)).toEqual(['form.passwordShort', 'form.passwordShort'])
  expect(errors(PASSWORD_MAX_BYTES)).toEqual([undefined, undefined])
  expect(errors(PASSWORD_MAX_BYTES + 2)).toEqual(['form.passwordLong', 'form.passwordLong'])
})
