import { expect, test } from 'vitest'
import { relyingPartyOf } from './passkeys.service.ts'

const request = { host: 'mira.example.org', localPort: 3000 }

test('passkeys are bound to the public address', () => {
  expect(relyingPartyOf('https://mira.example.org', request)).toEqual({
    id: 'mira.example.org',
    origin: 'https://mira.example.org',
  })
})

test('on the server’s own machine they are bound to localhost at the server’s port', () => {
  const local = { id: 'localhost', origin: 'http://localhost:3000' }
  expect(relyingPartyOf(null, { ...request, host: 'localhost:3000' })).toEqual(local)
  expect(relyingPartyOf('https://mira.example.org', { ...request, host: 'localhost:3000' })).toEqual(local)
})

test('the Host header of a request doesn’t choose the host', () => {
  expect(relyingPartyOf(null, request)).toBeNull()
  expect(relyingPartyOf(null, { ...request, host: 'localhost:4000' })).toBeNull()
  expect(relyingPartyOf('https://mira.example.org', { ...request, host: 'evil.example' })?.id).toBe('mira.example.org')
})

test('there are none without TLS and for IP addresses, where browsers refuse them', () => {
  expect(relyingPartyOf('http://mira.example.org', request)).toBeNull()
  expect(relyingPartyOf('https://192.168.1.20', request)).toBeNull()
  expect(relyingPartyOf('https://[::1]', request)).toBeNull()
})
