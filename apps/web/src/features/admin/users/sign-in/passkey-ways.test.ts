// @vitest-environment happy-dom
import { startAuthentication } from '@simplewebauthn/browser'
import { expect, it, vi } from 'vitest'
import { signInWithPasskey } from '../../../../api/sign-in.ts'
import { offerPasskeys } from './passkey-ways.ts'

vi.mock('@simplewebauthn/browser', () => ({
  browserSupportsWebAuthnAutofill: async () => true,
  startAuthentication: vi.fn(),
}))
vi.mock('../../../../api/sign-in.ts', () => ({
  beginPasskeySignIn: async () => ({ ticket: 'ticket', options: {} }),
  signInWithPasskey: vi.fn(),
}))

it('fails of what was offered only once a passkey was chosen', async () => {
  vi.spyOn(console, 'warn').mockReturnValue()
  vi.mocked(signInWithPasskey).mockRejectedValue(new Error('This passkey is not known.'))
  vi.mocked(startAuthentication).mockRejectedValueOnce(new DOMException('Not here', 'NotSupportedError'))
  await offerPasskeys(new AbortController().signal)
  expect(signInWithPasskey).not.toHaveBeenCalled()
  vi.mocked(startAuthentication).mockResolvedValueOnce({ id: 'chosen' } as never)
  await expect(offerPasskeys(new AbortController().signal)).rejects.toThrow('This passkey is not known.')
})
