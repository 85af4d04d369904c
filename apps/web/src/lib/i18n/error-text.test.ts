import { createTranslator } from 'use-intl/core'
import { describe, expect, it } from 'vitest'
import german from '../../messages/de/errors.json'
import english from '../../messages/en/errors.json'
import spanish from '../../messages/es/errors.json'
import french from '../../messages/fr/errors.json'
import { markMissingPart } from '../../ui/lazy-part.tsx'
import { ApiError } from '../api/client.ts'
import { errorText, fieldErrors } from './error-text.ts'
import type { Text } from './i18n.ts'

const translator = (locale: string, errors: typeof english) =>
  createTranslator({ locale, messages: { errors }, namespace: 'errors' }) as unknown as Text<'errors'>
const en = translator('en', english)
const de = translator('de', german)
const usernameTaken = new ApiError(409, {
  code: 'username_taken',
  detail: 'The username “ada” is taken.',
  errors: [{ path: 'username', message: 'The username “ada” is taken.' }],
})
const unknownCode = new ApiError(400, { code: 'never_heard_of', detail: 'Something new.' })
const network = new ApiError(0, { code: 'network', detail: 'The server cannot be reached.' })

describe('an error', () => {
  it('is the server’s own sentence in English', () => {
    expect(errorText(en, 'en', usernameTaken)).toBe('The username “ada” is taken.')
  })

  it('is translated by its code in other languages', () => {
    expect(errorText(de, 'de', usernameTaken)).toBe('Dieser Benutzername ist bereits vergeben.')
    expect(fieldErrors(de, 'de', usernameTaken)).toEqual({ username: 'Dieser Benutzername ist bereits vergeben.' })
  })

  it.each([
    ['en', english, /Sign in another way and link .* in your settings/],
    ['de', german, /Melde dich anders an und verknüpfe .* in den Einstellungen/],
    ['es', spanish, /Inicia sesión de otra forma y vincula .* en los ajustes/],
    ['fr', french, /Connectez-vous autrement et liez .* dans les paramètres/],
  ])('says how to link a provider that doesn’t confirm the email address (%s)', (_language, errors, way) => {
    expect(errors.oidc_unverified_email).toMatch(way)
  })

  it('uses the fallback, or else the server’s sentence, when its code has no translation', () => {
    expect(errorText(de, 'de', unknownCode, 'Das ging nicht')).toBe('Das ging nicht')
    expect(errorText(de, 'de', unknownCode)).toBe('Something new.')
  })

  it('is the server’s own sentence in any language when it has no code of its own', () => {
    const unnamed = new ApiError(400, { code: 'unnamed', detail: 'The session is over.' })
    expect([errorText(en, 'en', unnamed, 'Login failed'), errorText(de, 'de', unnamed)]).toEqual([
      'The session is over.',
      'The session is over.',
    ])
  })

  it('is the fallback, or else a generic sentence, when the server sent none', () => {
    expect(errorText(en, 'en', network, 'Login failed')).toBe('Login failed')
    expect(errorText(en, 'en', network)).toBe('The server can’t be reached.')
    expect(errorText(en, 'en', new ApiError(502, { code: 'http', detail: '' }))).toBe(
      'The server answered with an error (502).',
    )
    expect(errorText(de, 'de', new Error('secret detail'))).toBe('Etwas ist schiefgegangen.')
  })

  it('says to reload the page when a part of the app can’t be loaded, even if there is a fallback', () => {
    const error = new TypeError('Failed to fetch dynamically imported module')
    markMissingPart(error)
    expect(errorText(en, 'en', error, 'Login failed')).toMatch(/Reload the page/)
  })
})
