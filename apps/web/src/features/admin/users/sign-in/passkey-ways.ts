import type { LoginResponse, PasskeyJson, PasskeyOptions } from '@mira/shared'
import {
  type AuthenticationResponseJSON,
  browserSupportsWebAuthnAutofill,
  type RegistrationResponseJSON,
  startAuthentication,
  startRegistration,
  WebAuthnAbortService,
} from '@simplewebauthn/browser'
import { call } from '../../../../lib/api/client.ts'
import { session } from '../../../../lib/session/session.ts'

/** Signs in with the device's response. */
async function finishPasskeySignIn(ticket: string, response: AuthenticationResponseJSON): Promise<LoginResponse> {
  return call('POST /auth/passkeys/sign-in', { json: { ticket, response: withUntypedExtensions(response) } })
}

/** Adds the passkey that the device created. */
async function addPasskey(ticket: string, name: string, response: RegistrationResponseJSON): Promise<PasskeyJson> {
  return call('POST /auth/passkeys', { json: { ticket, name, response: withUntypedExtensions(response) } })
}

/** Credential with untyped extensions, as in the API contract. */
function withUntypedExtensions<Credential extends { clientExtensionResults: object }>(credential: Credential) {
  return { ...credential, clientExtensionResults: { ...credential.clientExtensionResults } as Record<string, unknown> }
}

type SignInOptions = Parameters<typeof startAuthentication>[0]['optionsJSON']
type RegistrationOptions = Parameters<typeof startRegistration>[0]['optionsJSON']

// The API contract doesn't type WebAuthn's options.
const asSignIn = ({ options }: PasskeyOptions) => options as unknown as SignInOptions
const asRegistration = ({ options }: PasskeyOptions) => options as unknown as RegistrationOptions

/** Signs in with a passkey that the user chooses. */
export async function signInWithPasskey(): Promise<void> {
  const ceremony = await call('POST /auth/passkeys/options')
  const response = await startAuthentication({ optionsJSON: asSignIn(ceremony) })
  await session.signInWithToken(await finishPasskeySignIn(ceremony.ticket, response))
}

/**
 * Offers passkeys in the username field's autofill, and signs in with the chosen one; also resolves when none can be offered.
 * @throws only if signing in with the chosen passkey fails; earlier failures are logged.
 */
export async function offerPasskeys(signal: AbortSignal): Promise<void> {
  const result = await waitForOfferedPasskey(signal).catch((error: unknown) => {
    if (!signal.aborted && !isCancelled(error)) console.warn('No passkeys can be offered', error)
    return null
  })
  if (result === null || signal.aborted) return
  await session.signInWithToken(await finishPasskeySignIn(result.ticket, result.response))
}

/** Time before the offer is renewed; tickets expire after five minutes. */
const OFFER_MS = 4 * 60_000
const CHECK_MS = 10_000

async function waitForOfferedPasskey(signal: AbortSignal) {
  if (!(await browserSupportsWebAuthnAutofill())) return null
  signal.addEventListener('abort', () => WebAuthnAbortService.cancelCeremony(), { once: true })
  while (!signal.aborted) {
    const ceremony = await call('POST /auth/passkeys/options', { signal })
    if (signal.aborted) return null
    const offeredAt = Date.now()
    let isOver = false
    // an interval with a clock check, as timers may stop while the device sleeps
    const timer = setInterval(() => {
      if (document.hidden || Date.now() - offeredAt < OFFER_MS) return
      isOver = true
      WebAuthnAbortService.cancelCeremony()
    }, CHECK_MS)
    try {
      const response = await startAuthentication({
        optionsJSON: asSignIn(ceremony),
        useBrowserAutofill: true,
        // the field exists already: the form is rendered before this code is loaded
        verifyBrowserAutofillInput: false,
      })
      return { ticket: ceremony.ticket, response }
    } catch (error) {
      if (!isOver) throw error
    } finally {
      clearInterval(timer)
    }
  }
  return null
}

/** Creates a passkey on a device that the user chooses. */
export async function createPasskey(name: string, password?: string): Promise<PasskeyJson> {
  const ceremony = await call('POST /auth/passkeys/registration', { json: { current_password: password } })
  const response = await startRegistration({ optionsJSON: asRegistration(ceremony) })
  return addPasskey(ceremony.ticket, name, response)
}

/** True when the user closed the browser's dialog or another dialog replaced it, which isn't a failure. */
export function isCancelled(error: unknown): boolean {
  const names = ['AbortError', 'NotAllowedError']
  const { name, cause } = error as { name?: string; cause?: { name?: string } }
  return names.includes(name ?? '') || names.includes(cause?.name ?? '')
}

/** True when the device already has a passkey of this account. */
export function isKnownDevice(error: unknown): boolean {
  return (error as { name?: string }).name === 'InvalidStateError'
}
