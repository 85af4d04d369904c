import type { LoginChallenge, LoginResponse, MeJson } from '@mira/shared'
import { apiUrl, call, takeEarlyResponse } from '../api/client.ts'

/** Signs in; returns the token of the new session, or a challenge when a code is needed as well. */
export async function login(username: string, password: string): Promise<LoginResponse | LoginChallenge> {
  const form = new FormData()
  form.set('username', username)
  form.set('password', password)
  return call('POST /auth/login', { form })
}

/** The signed-in user. */
export async function fetchMe(): Promise<MeJson> {
  return (await takeEarlyResponse<MeJson>(apiUrl('/auth/me'))) ?? call('GET /auth/me')
}

/** Ends this browser's session on the server. */
export async function logout(): Promise<void> {
  await call('POST /auth/logout', { timeoutMs: 5_000, mayClearCache: true })
}
