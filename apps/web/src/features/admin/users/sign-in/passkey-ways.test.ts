// @vitest-environment happy-dom
import { startAuthentication } from '@simplewebauthn/browser'
import { expect, it, vi } from 'vitest'
import { route } from '../../../../../test/routes.ts'
import { ApiError } from '../../../../lib/api/client.ts'
import { offerPasskeys } from './passkey-ways.ts'

vi.mock('@simplewebauthn/browser', () => ({
  browserSupportsWebAuthnAutofill: async () => true,
  startAuthentication: vi.fn(),
}))

it('fails of what was offered only once a passkey was chosen', async () => {
  vi.spyOn(console, 'warn').mockReturnValue()
  route('POST /auth/passkeys/options').mockResolvedValue({ ticket: 'ticket', options: {} } as never)
  const signIn = route('POST /auth/passkeys/sign-in')
  signIn.mockRejectedValue(new ApiError(401, { code: 'passkey_unknown', detail: 'This passkey is not known.' }))
  vi.mocked(startAuthentication).mockRejectedValueOnce(new DOMException('Not here', 'NotSupportedError'))
  await offerPasskeys(new AbortController().signal)
  expect(signIn).not.toHaveBeenCalled()
  vi.mocked(startAuthentication).mockResolvedValueOnce({ id: 'chosen' } as never)
  await expect(offerPasskeys(new AbortController().signal)).rejects.toThrow('This passkey is not known.')
})
