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
import { apiUrl, call, callPage, type Page } from './client.ts'
import { takeEarlyAnswer } from './early-answers.ts'

/** Signs in and returns the token of the new session, or what a code is asked for with. */
export async function login(username: string, password: string): Promise<LoginResponse | LoginChallenge> {
  const form = new FormData()
  form.set('username', username)
  form.set('password', password)
  return call('POST /auth/login', { form })
}

/** The signed-in user. */
export async function fetchMe(signal?: AbortSignal): Promise<MeJson> {
  return (await takeEarlyAnswer<MeJson>(apiUrl('/auth/me'))) ?? call('GET /auth/me', { signal })
}

/** Ends this browser's session on the server. */
export async function logout(): Promise<void> {
  await call('POST /auth/logout', { timeoutMs: 5_000, mayClearCache: true })
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
  await call('POST /auth/password', {
    json: { current_password: currentPassword, new_password: newPassword, end_access: endAccess },
  })
}

/** The user's active sign-ins. */
export async function fetchAuthSessions(signal?: AbortSignal): Promise<AuthSessionJson[]> {
  return call('GET /auth/sessions', { signal, query: { limit: 200 } })
}

/** Signs another browser of the user out. */
export async function endAuthSession(id: string): Promise<void> {
  await call('DELETE /auth/sessions/:id', { params: { id } })
}

/** The user's personal API tokens, without their secrets. */
export async function fetchApiTokens(signal?: AbortSignal): Promise<ApiTokenJson[]> {
  return call('GET /auth/tokens', { signal, query: { limit: 200 } })
}

/** Makes a personal API token; its answer alone carries the secret. */
export async function createApiToken(token: {
  name: string
  scopes: TokenScope[]
  expiresAt: Date | null
}): Promise<ApiTokenJson> {
  const { name, scopes, expiresAt } = token
  return call('POST /auth/tokens', { json: { name, scopes, expires_at: expiresAt?.toISOString() ?? null } })
}

/** Makes a personal API token useless. */
export async function revokeApiToken(id: string): Promise<void> {
  await call('DELETE /auth/tokens/:id', { params: { id } })
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
  return callPage('GET /admin/users', { signal, query: { query: query || null, cursor, limit, in: place } })
}

/** Makes an account. */
export async function createUser(user: CreateUserJson): Promise<UserJson> {
  return call('POST /admin/users', { json: user })
}

/** Changes an account: takes the whole user, and a new password when it is to change. */
export async function updateUser(id: string, user: UpdateUserJson): Promise<UserJson> {
  return call('PUT /admin/users/:id', { params: { id }, json: user })
}

/** A user's storage use and quota. */
export async function fetchUserStorage(id: string, signal?: AbortSignal): Promise<StorageUse> {
  return call('GET /admin/users/:id/storage', { params: { id }, signal })
}

/** Deletes an account and everything that belongs to it; `password` when the sign-in is more than ten minutes old. */
export async function deleteUser(id: string, { password, now = false }: DeleteUserOptions = {}): Promise<void> {
  await call('DELETE /admin/users/:id', {
    params: { id },
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
  return call('POST /admin/users/:id/restore', { params: { id } })
}
