import { path } from '@mira/client/path'
import type {
  AccessItemRef,
  ApiTokenJson,
  AuthSessionJson,
  CreateUserJson,
  LoginChallenge,
  LoginResponse,
  MeJson,
  StorageUse,
  TokenScope,
  UpdateUserJson,
  UserJson,
} from '@mira/shared'
import { apiUrl, type Page, request, requestJson, requestPage } from './client.ts'
import { takeEarlyAnswer } from './early-answers.ts'

/** Signs in and returns the token of the new session, or what a code is asked for with. */
export async function login(username: string, password: string): Promise<LoginResponse | LoginChallenge> {
  const form = new FormData()
  form.set('username', username)
  form.set('password', password)
  return requestJson('/auth/login', { method: 'POST', form })
}

/** The signed-in user. */
export async function fetchMe(signal?: AbortSignal): Promise<MeJson> {
  return (await takeEarlyAnswer<MeJson>(apiUrl('/auth/me'))) ?? requestJson('/auth/me', { signal })
}

/** Ends this browser's session on the server. */
export async function logout(): Promise<void> {
  await request('/auth/logout', { method: 'POST', timeoutMs: 5_000, mayClearCache: true })
}

/**
 * Sets a new password; every other session and token of the user ends, and so does `endAccess`. A user without a password
 * leaves the current one out.
 */
export async function changePassword(
  currentPassword: string | undefined,
  newPassword: string,
  endAccess: readonly AccessItemRef[] = [],
): Promise<void> {
  await request('/auth/password', {
    method: 'POST',
    json: { current_password: currentPassword, new_password: newPassword, end_access: endAccess },
  })
}

/** The user's active sign-ins. */
export async function fetchAuthSessions(signal?: AbortSignal): Promise<AuthSessionJson[]> {
  return requestJson('/auth/sessions', { signal, query: { limit: 200 } })
}

/** Signs another browser of the user out. */
export async function endAuthSession(id: string): Promise<void> {
  await request(path`/auth/sessions/${id}`, { method: 'DELETE' })
}

/** The user's personal API tokens, without their secrets. */
export async function fetchApiTokens(signal?: AbortSignal): Promise<ApiTokenJson[]> {
  return requestJson('/auth/tokens', { signal, query: { limit: 200 } })
}

/** Makes a personal API token; its answer alone carries the secret. */
export async function createApiToken(token: {
  name: string
  scopes: TokenScope[]
  expiresAt: Date | null
}): Promise<ApiTokenJson> {
  const { name, scopes, expiresAt } = token
  return requestJson('/auth/tokens', {
    method: 'POST',
    json: { name, scopes, expires_at: expiresAt?.toISOString() ?? null },
  })
}

/** Makes a personal API token useless. */
export async function revokeApiToken(id: string): Promise<void> {
  await request(path`/auth/tokens/${id}`, { method: 'DELETE' })
}

/** A part of all users, or of those whose username, email or name has `query` in it. */
export async function fetchUsers(
  {
    query,
    cursor,
    limit,
    in: place,
  }: { query?: string; cursor?: string | null; limit?: number; in?: 'accounts' | 'trash' },
  signal?: AbortSignal,
): Promise<Page<UserJson>> {
  return requestPage('/admin/users', { signal, query: { query: query || null, cursor, limit, in: place } })
}

/** Makes an account. */
export async function createUser(user: CreateUserJson): Promise<UserJson> {
  return requestJson('/admin/users', { method: 'POST', json: user })
}

/** Changes an account: takes the whole user, and a new password when it is to change. */
export async function updateUser(id: string, user: UpdateUserJson): Promise<UserJson> {
  return requestJson(path`/admin/users/${id}`, { method: 'PUT', json: user })
}

/** A user's storage use and quota. */
export async function fetchUserStorage(id: string, signal?: AbortSignal): Promise<StorageUse> {
  return requestJson(path`/admin/users/${id}/storage`, { signal })
}

/** Deletes an account and everything that belongs to it; `password` when the sign-in is more than ten minutes old. */
export async function deleteUser(id: string, { password, now = false }: DeleteUserOptions = {}): Promise<void> {
  await request(path`/admin/users/${id}`, {
    method: 'DELETE',
    query: now ? { now: 'true' } : {},
    json: { current_password: password },
  })
}

type DeleteUserOptions = {
  /** The administrator's own. */
  password?: string | undefined
  /** For good, in place of moving the account to the trash. */
  now?: boolean
}

/** Takes an account out of the trash as it was. */
export async function restoreUser(id: string): Promise<UserJson> {
  return requestJson(path`/admin/users/${id}/restore`, { method: 'POST' })
}
