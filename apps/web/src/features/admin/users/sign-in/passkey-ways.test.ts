// @vitest-environment happy-dom
import { startAuthentication, WebAuthnAbortService } from '@simplewebauthn/browser'
import { expect, it, vi } from 'vitest'
import { route } from '../../../../../test/routes.ts'
import { ApiError } from '../../../../lib/api/client.ts'
import { offerPasskeys } from './passkey-ways.ts'

vi.mock('@simplewebauthn/browser', () => ({
  browserSupportsWebAuthnAutofill: async () => true,
  startAuthentication: vi.fn(),
  WebAuthnAbortService: { cancelCeremony: vi.fn() },
}))

it('fails only once a passkey was chosen', async () => {
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

it('offers passkeys with a new ticket before the old one expires on a page left open', async () => {
  vi.useFakeTimers()
  const options = route('POST /auth/passkeys/options')
  options.mockResolvedValueOnce({ ticket: 'old', options: {} } as never)
  options.mockResolvedValueOnce({ ticket: 'new', options: {} } as never)
  const signIn = route('POST /auth/passkeys/sign-in')
  const cancelled = Promise.withResolvers<never>()
  vi.mocked(WebAuthnAbortService.cancelCeremony).mockImplementation(() =>
    cancelled.reject(new DOMException('Cancelled', 'AbortError')),
  )
  vi.mocked(startAuthentication).mockReturnValueOnce(cancelled.promise)
  vi.mocked(startAuthentication).mockResolvedValueOnce({ id: 'chosen' } as never)
  signIn.mockRejectedValue(new ApiError(401, { code: 'passkey_unknown', detail: 'This passkey is not known.' }))
  const rejection = expect(offerPasskeys(new AbortController().signal)).rejects.toThrow('not known')
  await vi.advanceTimersByTimeAsync(5 * 60_000)
  await rejection
  expect(signIn.mock.lastCall?.[0].json).toMatchObject({ ticket: 'new' })
  vi.useRealTimers()
})
