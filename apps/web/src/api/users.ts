import type { ApiTokenJson, AuthSessionJson, CreateUserJson, LoginAnswer, UpdateUserJson, UserJson } from '@mira/shared'
import { type Page, request, requestJson, requestPage } from './client.ts'

/** Signs in and returns the token of the new session. */
export async function login(username: string, password: string): Promise<LoginAnswer> {
  const form = new FormData()
  form.set('username', username)
  form.set('password', password)
  return requestJson('/auth/login', { method: 'POST', form })
}

/** The signed-in user. */
export async function fetchMe(signal?: AbortSignal): Promise<UserJson> {
  return requestJson('/auth/me', { signal })
}

/** Ends this browser's session on the server. */
export async function logout(): Promise<void> {
  await request('/auth/logout', { method: 'POST', timeoutMs: 5_000 })
}

/** Sets a new password; every other session and token of the user ends. */
export async function changePassword(currentPassword: string, newPassword: string): Promise<void> {
  await request('/auth/password', {
    method: 'POST',
    json: { current_password: currentPassword, new_password: newPassword },
  })
}

/** Where the user is signed in. */
export async function fetchAuthSessions(signal?: AbortSignal): Promise<AuthSessionJson[]> {
  return requestJson('/auth/sessions', { signal, query: { limit: 200 } })
}

/** Signs another browser of the user out. */
export async function endAuthSession(id: string): Promise<void> {
  await request(`/auth/sessions/${id}`, { method: 'DELETE' })
}

/** The user's personal API tokens, without their secrets. */
export async function fetchApiTokens(signal?: AbortSignal): Promise<ApiTokenJson[]> {
  return requestJson('/auth/tokens', { signal, query: { limit: 200 } })
}

/** Makes a personal API token; its answer alone carries the secret. */
export async function createApiToken(name: string, expiresAt: Date | null): Promise<ApiTokenJson> {
  return requestJson('/auth/tokens', {
    method: 'POST',
    json: { name, expires_at: expiresAt?.toISOString() ?? null },
  })
}

/** Makes a personal API token useless. */
export async function revokeApiToken(id: string): Promise<void> {
  await request(`/auth/tokens/${id}`, { method: 'DELETE' })
}

/** A part of all users, or of those whose username, email or name has `query` in it. */
export async function fetchUsers(
  { query, cursor, limit }: { query?: string; cursor?: string | null; limit?: number },
  signal?: AbortSignal,
): Promise<Page<UserJson>> {
  return requestPage('/admin/users', { signal, query: { query: query || null, cursor, limit } })
}

/** Makes an account. */
export async function createUser(user: CreateUserJson): Promise<UserJson> {
  return requestJson('/admin/users', { method: 'POST', json: user })
}

/** Changes an account: takes the whole user, and a new password when it is to change. */
export async function updateUser(id: string, user: UpdateUserJson): Promise<UserJson> {
  return requestJson(`/admin/users/${id}`, { method: 'PUT', json: user })
}

/** Deletes an account and everything that belongs to it. */
export async function deleteUser(id: string): Promise<void> {
  await request(`/admin/users/${id}`, { method: 'DELETE' })
}
