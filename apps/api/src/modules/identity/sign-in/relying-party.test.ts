import { expect, test } from 'vitest'
import { relyingPartyOf } from './passkeys.service.ts'

const request = { host: 'mira.example.org', localPort: 3000 }

test('passkeys are made for the public address', () => {
  expect(relyingPartyOf('https://mira.example.org', request)).toEqual({
    id: 'mira.example.org',
    origin: 'https://mira.example.org',
  })
})

test('on the machine itself they are made for localhost at the port that the server has', () => {
  const local = { id: 'localhost', origin: 'http://localhost:3000' }
  expect(relyingPartyOf(null, { ...request, host: 'localhost:3000' })).toEqual(local)
  expect(relyingPartyOf('https://mira.example.org', { ...request, host: 'localhost:3000' })).toEqual(local)
})

test('no request chooses for which host they are made', () => {
  expect(relyingPartyOf(null, request)).toBeNull()
  expect(relyingPartyOf(null, { ...request, host: 'localhost:4000' })).toBeNull()
  expect(relyingPartyOf('https://mira.example.org', { ...request, host: 'evil.example' })?.id).toBe('mira.example.org')
})

test('there are none where browsers would refuse them: without TLS, and for bare addresses', () => {
  expect(relyingPartyOf('http://mira.example.org', request)).toBeNull()
  expect(relyingPartyOf('https://192.168.1.20', request)).toBeNull()
  expect(relyingPartyOf('https://[::1]', request)).toBeNull()
})
