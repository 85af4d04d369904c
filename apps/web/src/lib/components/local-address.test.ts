import { expect, it } from 'vitest'
import { isLocalAddress } from './local-address.tsx'

it.each([
  ['http://127.0.0.1:4100/invitation#x', true],
  ['http://localhost:4100/s/x', true],
  ['http://[::1]/s/x', true],
  ['http://192.168.1.20:4100/s/x', false],
  ['https://mira.example.org/s/x', false],
])('%s opens only on the same computer: %s', (address, isLocal) => {
  expect(isLocalAddress(address)).toBe(isLocal)
})
