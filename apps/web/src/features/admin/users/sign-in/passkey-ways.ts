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
async function signInWithPasskey(ticket: string, response: AuthenticationResponseJSON): Promise<LoginResponse> {
  return call('POST /auth/passkeys/sign-in', { json: { ticket, response: plain(response) } })
}

/** Adds the passkey that the device created. */
async function addPasskey(ticket: string, name: string, response: RegistrationResponseJSON): Promise<PasskeyJson> {
  return call('POST /auth/passkeys', { json: { ticket, name, response: plain(response) } })
}

/** The credential with untyped extensions, as the contract has them. */
function plain<Credential extends { clientExtensionResults: object }>(credential: Credential) {
  return { ...credential, clientExtensionResults: { ...credential.clientExtensionResults } as Record<string, unknown> }
}

type SignInOptions = Parameters<typeof startAuthentication>[0]['optionsJSON']
type RegistrationOptions = Parameters<typeof startRegistration>[0]['optionsJSON']

// The options are WebAuthn's, which the contract doesn't type.
const asSignIn = ({ options }: PasskeyOptions) => options as unknown as SignInOptions
const asRegistration = ({ options }: PasskeyOptions) => options as unknown as RegistrationOptions

/** Signs in with a passkey that the user chooses. */
export async function signInByPasskey(): Promise<void> {
  const ceremony = await call('POST /auth/passkeys/options')
  const response = await startAuthentication({ optionsJSON: asSignIn(ceremony) })
  await session.accept(await signInWithPasskey(ceremony.ticket, response))
}

/**
 * Offers passkeys in the username field's autofill, and signs in with the chosen one; resolves also when none can be offered.
 * @throws only the server's errors for the chosen one: the browser reports its own.
 */
export async function offerPasskeys(signal: AbortSignal): Promise<void> {
  const result = await chooseOffered(signal).catch((error: unknown) => {
    if (!signal.aborted && !isCancelled(error)) console.warn('No passkeys can be offered', error)
    return null
  })
  if (result === null || signal.aborted) return
  await session.accept(await signInWithPasskey(result.ticket, result.response))
}

/** Time before the offer is renewed; tickets expire after five minutes. */
const OFFER_MS = 4 * 60_000
const CHECK_MS = 10_000

async function chooseOffered(signal: AbortSignal) {
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
export async function makePasskey(name: string, password?: string): Promise<PasskeyJson> {
  const ceremony = await call('POST /auth/passkeys/registration', { json: { current_password: password } })
  const response = await startRegistration({ optionsJSON: asRegistration(ceremony) })
  return addPasskey(ceremony.ticket, name, response)
}

/** True when the user closed the browser's dialog or another one replaced it: not a failure. */
export function isCancelled(error: unknown): boolean {
  const names = ['AbortError', 'NotAllowedError']
  const { name, cause } = error as { name?: string; cause?: { name?: string } }
  return names.includes(name ?? '') || names.includes(cause?.name ?? '')
}

/** True when the device already has a passkey of this account. */
export function isKnownDevice(error: unknown): boolean {
  return (error as { name?: string }).name === 'InvalidStateError'
}
