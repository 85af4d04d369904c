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

/** Signs in with what the device answered. */
async function signInWithPasskey(ticket: string, response: AuthenticationResponseJSON): Promise<LoginResponse> {
  return call('POST /auth/passkeys/sign-in', { json: { ticket, response: plain(response) } })
}

/** Adds the passkey that the device made. */
async function addPasskey(ticket: string, name: string, response: RegistrationResponseJSON): Promise<PasskeyJson> {
  return call('POST /auth/passkeys', { json: { ticket, name, response: plain(response) } })
}

/** The same as an object whose extensions may be any. */
function plain<Credential extends { clientExtensionResults: object }>(credential: Credential) {
  return { ...credential, clientExtensionResults: { ...credential.clientExtensionResults } as Record<string, unknown> }
}

type SignInOptions = Parameters<typeof startAuthentication>[0]['optionsJSON']
type RegistrationOptions = Parameters<typeof startRegistration>[0]['optionsJSON']

/** The server writes the options as WebAuthn does; its schema leaves them open. */
const asSignIn = ({ options }: PasskeyOptions) => options as unknown as SignInOptions
const asRegistration = ({ options }: PasskeyOptions) => options as unknown as RegistrationOptions

/** Asks the person's devices for a passkey, and signs in with it. */
export async function signInByPasskey(): Promise<void> {
  const ceremony = await call('POST /auth/passkeys/options')
  const response = await startAuthentication({ optionsJSON: asSignIn(ceremony) })
  await session.accept(await signInWithPasskey(ceremony.ticket, response))
}

/**
 * Lets the browser offer passkeys in the list of names, and signs in with the one that is chosen; resolves also where there is
 * nothing to offer. It throws only what the server says of the chosen one: what the browser cannot do is told in its own windows.
 */
export async function offerPasskeys(signal: AbortSignal): Promise<void> {
  const result = await chooseOffered(signal).catch((error: unknown) => {
    if (!signal.aborted && !isCancelled(error)) console.warn('No passkeys can be offered', error)
    return null
  })
  if (result === null || signal.aborted) return
  await session.accept(await signInWithPasskey(result.ticket, result.response))
}

/** A ticket lasts for five minutes. */
const OFFER_MS = 4 * 60_000
const CHECK_MS = 10_000

async function chooseOffered(signal: AbortSignal) {
  if (!(await browserSupportsWebAuthnAutofill())) return null
  signal.addEventListener('abort', () => WebAuthnAbortService.cancelCeremony(), { once: true })
  while (!signal.aborted) {
    const ceremony = await call('POST /auth/passkeys/options', { signal })
    if (signal.aborted) return null
    const begunAt = Date.now()
    let isOver = false
    // the clock of a timer may stop while the device sleeps
    const timer = setInterval(() => {
      if (document.hidden || Date.now() - begunAt < OFFER_MS) return
      isOver = true
      WebAuthnAbortService.cancelCeremony()
    }, CHECK_MS)
    try {
      const response = await startAuthentication({
        optionsJSON: asSignIn(ceremony),
        useBrowserAutofill: true,
        // the field stands in the form, which is there before this is loaded
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

/** Makes a passkey on a device that the person chooses. */
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
