import { expect, test } from 'vitest'
import { createSeal } from './sealing.ts'

const secret = 'a secret of at least 32 characters.'
const seal = createSeal({ secret, purpose: 'a purpose' })

test('sealed text can be opened only with the same secret for the same purpose', () => {
  const sealed = seal.encrypt('JBSWY3DPEHPK3PXP')
  expect(sealed).not.toContain('JBSWY3DPEHPK3PXP')
  expect(seal.decrypt(sealed)).toBe('JBSWY3DPEHPK3PXP')
  expect(createSeal({ secret, purpose: 'another' }).decrypt(sealed)).toBeNull()
  expect(createSeal({ secret: `${secret}.`, purpose: 'a purpose' }).decrypt(sealed)).toBeNull()
})

test('the same text looks different each time, but has one fingerprint', () => {
  expect(seal.encrypt('text')).not.toBe(seal.encrypt('text'))
  expect(seal.fingerprint('text')).toBe(seal.fingerprint('text'))
  expect(seal.fingerprint('text')).not.toBe(seal.fingerprint('texts'))
})

test('changed, truncated or invalid text is not opened', () => {
  const sealed = Buffer.from(seal.encrypt('text'), 'base64url')
  for (const index of [0, 12, sealed.length - 1]) {
    const changed = Buffer.from(sealed)
    changed[index] = (changed[index] ?? 0) ^ 1
    expect(seal.decrypt(changed.toString('base64url'))).toBeNull()
  }
  expect(seal.decrypt(sealed.subarray(0, 20).toString('base64url'))).toBeNull()
  expect(seal.decrypt('')).toBeNull()
})
