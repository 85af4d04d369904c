import type {
  AcceptInvitationJson,
  CreateInvitationJson,
  InvitationJson,
  InvitationLookJson,
  LoginResponse,
  OidcStart,
  PasskeyJson,
  PasskeyOptions,
  PublicConfig,
  RecoveryCodes,
  SignInWays,
  TotpDraft,
  TotpState,
  UserSignIn,
} from '@mira/shared'
import { type Page, request, requestJson, requestPage } from './client.ts'

/** By what people may sign in here. */
export async function fetchSignInWays(signal?: AbortSignal): Promise<SignInWays> {
  const { sign_in } = await requestJson<PublicConfig>('/config', { signal })
  return sign_in
}

/** Signs in whose password was right, with a code of the app or a recovery code. */
export async function signInWithCode(challenge: string, code: string): Promise<LoginResponse> {
  return requestJson('/auth/totp/sign-in', { method: 'POST', json: { challenge, code } })
}

/** Options for a sign-in with a passkey. */
export async function beginPasskeySignIn(signal?: AbortSignal): Promise<PasskeyOptions> {
  return requestJson('/auth/passkeys/options', { method: 'POST', signal })
}

/** Signs in with what the device answered. */
export async function signInWithPasskey(ticket: string, response: unknown): Promise<LoginResponse> {
  return requestJson('/auth/passkeys/sign-in', { method: 'POST', json: { ticket, response } })
}

/** URL of the provider's sign-in page. */
export async function beginOidcSignIn(): Promise<OidcStart> {
  return requestJson('/auth/oidc/start', { method: 'POST' })
}

/** Signs in with what the provider sent back. */
export async function finishOidcSignIn(ticket: string, query: string): Promise<LoginResponse> {
  return requestJson('/auth/oidc/finish', { method: 'POST', json: { ticket, query } })
}

/** Details of an invitation. */
export async function lookAtInvitation(token: string, signal?: AbortSignal): Promise<InvitationLookJson> {
  return requestJson('/auth/invitations/look', { method: 'POST', json: { token }, signal })
}

/** Makes the account that an invitation offers. */
export async function acceptInvitation(given: AcceptInvitationJson): Promise<LoginResponse> {
  return requestJson('/auth/invitations/accept', { method: 'POST', json: given })
}

/** The user's passkeys, newest first. */
export async function fetchPasskeys(signal?: AbortSignal): Promise<PasskeyJson[]> {
  return requestJson('/auth/passkeys', { signal })
}

/** Options for a new passkey; `password` is required when the sign-in is more than ten minutes old. */
export async function beginPasskey(password?: string): Promise<PasskeyOptions> {
  return requestJson('/auth/passkeys/registration', { method: 'POST', json: { current_password: password } })
}

/** Adds the passkey that the device made. */
export async function addPasskey(ticket: string, name: string, response: unknown): Promise<PasskeyJson> {
  return requestJson('/auth/passkeys', { method: 'POST', json: { ticket, name, response } })
}

export async function renamePasskey(id: string, name: string): Promise<PasskeyJson> {
  return requestJson(`/auth/passkeys/${encodeURIComponent(id)}`, { method: 'PATCH', json: { name } })
}

export async function removePasskey(id: string): Promise<void> {
  await request(`/auth/passkeys/${encodeURIComponent(id)}`, { method: 'DELETE' })
}

/** State of two-factor authentication by code. */
export async function fetchTotp(signal?: AbortSignal): Promise<TotpState> {
  return requestJson('/auth/totp', { signal })
}

/** A secret for an authenticator app; `password` when the sign-in is more than ten minutes old. */
export async function beginTotp(password?: string): Promise<TotpDraft> {
  return requestJson('/auth/totp', { method: 'POST', json: { current_password: password } })
}

/** Turns codes on with a first one. */
export async function confirmTotp(code: string): Promise<RecoveryCodes> {
  return requestJson('/auth/totp/confirm', { method: 'POST', json: { code } })
}

/** Makes new recovery codes; `password` when the sign-in is more than ten minutes old. */
export async function renewRecoveryCodes(password?: string): Promise<RecoveryCodes> {
  return requestJson('/auth/totp/recovery-codes', { method: 'POST', json: { current_password: password } })
}

/** Turns codes off; `password` when the sign-in is more than ten minutes old. */
export async function turnTotpOff(password?: string): Promise<void> {
  await request('/auth/totp', { method: 'DELETE', json: { current_password: password } })
}

/** By what a user can sign in. */
export async function fetchUserSignIn(id: string, signal?: AbortSignal): Promise<UserSignIn> {
  return requestJson(`/admin/users/${encodeURIComponent(id)}/sign-in`, { signal })
}

/** Turns the codes of a user off; `password` when the administrator's sign-in is more than ten minutes old. */
export async function turnUserCodesOff(id: string, password?: string): Promise<void> {
  await request(`/admin/users/${encodeURIComponent(id)}/totp`, {
    method: 'DELETE',
    json: { current_password: password },
  })
}

/** Removes every passkey of a user; `password` when the administrator's sign-in is more than ten minutes old. */
export async function removeUserPasskeys(id: string, password?: string): Promise<void> {
  await request(`/admin/users/${encodeURIComponent(id)}/passkeys`, {
    method: 'DELETE',
    json: { current_password: password },
  })
}

/** Invitations, newest first. */
export async function fetchInvitations(cursor: string | null, signal?: AbortSignal): Promise<Page<InvitationJson>> {
  return requestPage('/admin/invitations', { signal, query: { limit: 20, cursor } })
}

/** Makes an invitation; its answer alone carries the token of the link. */
export async function createInvitation(given: CreateInvitationJson): Promise<InvitationJson> {
  return requestJson('/admin/invitations', { method: 'POST', json: given })
}

export async function revokeInvitation(id: string): Promise<void> {
  await request(`/admin/invitations/${encodeURIComponent(id)}`, { method: 'DELETE' })
}
