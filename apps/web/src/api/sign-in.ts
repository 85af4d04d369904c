import type {
  AcceptInvitationJson,
  CreateInvitationJson,
  InvitationJson,
  InvitationLookJson,
  LoginResponse,
  OidcStart,
  PasskeyJson,
  PasskeyOptions,
  RecoveryCodes,
  SignInWays,
  TotpDraft,
  TotpState,
  UserSignIn,
} from '@mira/shared'
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/browser'
import { call, callPage, type Page } from './client.ts'

/** By what people may sign in here. */
export async function fetchSignInWays(signal?: AbortSignal): Promise<SignInWays> {
  const { sign_in } = await call('GET /config', { signal })
  return sign_in
}

/** Signs in whose password was right, with a code of the app or a recovery code. */
export async function signInWithCode(challenge: string, code: string): Promise<LoginResponse> {
  return call('POST /auth/totp/sign-in', { json: { challenge, code } })
}

/** Options for a sign-in with a passkey. */
export async function beginPasskeySignIn(signal?: AbortSignal): Promise<PasskeyOptions> {
  return call('POST /auth/passkeys/options', { signal })
}

/** Signs in with what the device answered. */
export async function signInWithPasskey(ticket: string, response: AuthenticationResponseJSON): Promise<LoginResponse> {
  return call('POST /auth/passkeys/sign-in', { json: { ticket, response: plain(response) } })
}

/** URL of the provider's sign-in page. */
export async function beginOidcSignIn(): Promise<OidcStart> {
  return call('POST /auth/oidc/start')
}

/** Signs in with what the provider sent back. */
export async function finishOidcSignIn(ticket: string, query: string): Promise<LoginResponse> {
  return call('POST /auth/oidc/finish', { json: { ticket, query } })
}

/** Details of an invitation. */
export async function lookAtInvitation(token: string, signal?: AbortSignal): Promise<InvitationLookJson> {
  return call('POST /auth/invitations/look', { json: { token }, signal })
}

/** Makes the account that an invitation offers. */
export async function acceptInvitation(body: AcceptInvitationJson): Promise<LoginResponse> {
  return call('POST /auth/invitations/accept', { json: body })
}

/** The user's passkeys, newest first. */
export async function fetchPasskeys(signal?: AbortSignal): Promise<PasskeyJson[]> {
  return call('GET /auth/passkeys', { signal })
}

/** Options for a new passkey; `password` is required when the sign-in is more than ten minutes old. */
export async function beginPasskey(password?: string): Promise<PasskeyOptions> {
  return call('POST /auth/passkeys/registration', { json: { current_password: password } })
}

/** Adds the passkey that the device made. */
export async function addPasskey(
  ticket: string,
  name: string,
  response: RegistrationResponseJSON,
): Promise<PasskeyJson> {
  return call('POST /auth/passkeys', { json: { ticket, name, response: plain(response) } })
}

export async function renamePasskey(id: string, name: string): Promise<PasskeyJson> {
  return call('PATCH /auth/passkeys/:id', { params: { id }, json: { name } })
}

export async function removePasskey(id: string): Promise<void> {
  await call('DELETE /auth/passkeys/:id', { params: { id } })
}

/** State of two-factor authentication by code. */
export async function fetchTotp(signal?: AbortSignal): Promise<TotpState> {
  return call('GET /auth/totp', { signal })
}

/** A secret for an authenticator app; `password` when the sign-in is more than ten minutes old. */
export async function beginTotp(password?: string): Promise<TotpDraft> {
  return call('POST /auth/totp', { json: { current_password: password } })
}

/** Turns codes on with a first one. */
export async function confirmTotp(code: string): Promise<RecoveryCodes> {
  return call('POST /auth/totp/confirm', { json: { code } })
}

/** Makes new recovery codes; `password` when the sign-in is more than ten minutes old. */
export async function renewRecoveryCodes(password?: string): Promise<RecoveryCodes> {
  return call('POST /auth/totp/recovery-codes', { json: { current_password: password } })
}

/** Turns codes off; `password` when the sign-in is more than ten minutes old. */
export async function turnTotpOff(password?: string): Promise<void> {
  await call('DELETE /auth/totp', { json: { current_password: password } })
}

/** By what a user can sign in. */
export async function fetchUserSignIn(id: string, signal?: AbortSignal): Promise<UserSignIn> {
  return call('GET /admin/users/:id/sign-in', { params: { id }, signal })
}

/** Turns the codes of a user off; `password` when the administrator's sign-in is more than ten minutes old. */
export async function turnUserCodesOff(id: string, password?: string): Promise<void> {
  await call('DELETE /admin/users/:id/totp', { params: { id }, json: { current_password: password } })
}

/** Removes every passkey of a user; `password` when the administrator's sign-in is more than ten minutes old. */
export async function removeUserPasskeys(id: string, password?: string): Promise<void> {
  await call('DELETE /admin/users/:id/passkeys', { params: { id }, json: { current_password: password } })
}

/** Invitations, newest first. */
export async function fetchInvitations(cursor: string | null, signal?: AbortSignal): Promise<Page<InvitationJson>> {
  return callPage('GET /admin/invitations', { signal, query: { limit: 20, cursor } })
}

/** Makes an invitation; its answer alone carries the token of the link. */
export async function createInvitation(body: CreateInvitationJson): Promise<InvitationJson> {
  return call('POST /admin/invitations', { json: body })
}

export async function revokeInvitation(id: string): Promise<void> {
  await call('DELETE /admin/invitations/:id', { params: { id } })
}

/** The same as an object whose extensions may be any. */
function plain<Credential extends { clientExtensionResults: object }>(credential: Credential) {
  return { ...credential, clientExtensionResults: { ...credential.clientExtensionResults } as Record<string, unknown> }
}
