import { createHash, randomBytes, randomInt } from 'node:crypto'
import { expect } from 'vitest'
import type { TestAccount, TestApp } from './test-app.ts'

/** Redirect URI of the program. */
export const REDIRECT_URI = 'http://127.0.0.1:4567/callback'

/** PKCE verifier of the program, with the challenge derived from it below. */
const verifier = randomBytes(32).toString('base64url')
export const challenge = createHash('sha256').update(verifier).digest('base64url')

/** OAuth calls of a program, and the consent of `person`; `url` is the server's address. */
export function oauthCallsOf({
  mira,
  url,
  account: defaultAccount,
}: {
  mira: TestApp
  url: string
  account: TestAccount
}) {
  /** Consents on the screen that a program opened. @returns the query of the redirect to the program. */
  async function consent(
    openedUrl: URL,
    { account = defaultAccount, scopes = ['read', 'chat', 'upload', 'agents'], agreed = true } = {},
  ) {
    const response = await fetch(openedUrl, { redirect: 'manual' })
    expect(response.status).toBe(302)
    const screen = new URL(response.headers.get('location') ?? '')
    expect(screen.pathname).toBe('/connect')
    const query = Object.fromEntries(screen.searchParams)
    const { body } = await mira.request
      .post('/api/oauth/consent')
      .set('host', openedUrl.host)
      .auth(account.token, { type: 'bearer' })
      .send({ ...query, agreed, scopes })
      .expect(200)
    return new URL(body.redirect_to).searchParams
  }

  async function register(redirectUris = [REDIRECT_URI]): Promise<string> {
    const response = await fetch(`${url}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': `203.0.${randomInt(256)}.${randomInt(256)}` },
      body: JSON.stringify({ client_name: 'Notebook', redirect_uris: redirectUris }),
    })
    expect(response.status).toBe(201)
    return ((await response.json()) as { client_id: string }).client_id
  }

  function authorizeUrl(clientId: string, changed: Record<string, string> = {}): URL {
    const address = new URL('/oauth/authorize', url)
    const parameters = {
      ...{ response_type: 'code', client_id: clientId, redirect_uri: REDIRECT_URI, state: 's', scope: 'read chat' },
      ...{ code_challenge: challenge, code_challenge_method: 'S256', resource: `${url}/mcp` },
      ...changed,
    }
    for (const [name, value] of Object.entries(parameters)) if (value !== '') address.searchParams.set(name, value)
    return address
  }

  async function post(path: string, fields: Record<string, string>) {
    const response = await fetch(url + path, { method: 'POST', body: new URLSearchParams(fields) })
    const text = await response.text()
    return { status: response.status, body: text === '' ? null : JSON.parse(text) }
  }

  /** Authorises a program without an OAuth library. */
  async function authorizeProgram({ account = defaultAccount, scope = 'read chat' } = {}) {
    const clientId = await register()
    const back = await consent(authorizeUrl(clientId, { scope }), { account })
    const code = back.get('code') ?? ''
    const exchange = (changed: Record<string, string> = {}) =>
      post('/oauth/token', {
        grant_type: 'authorization_code',
        client_id: clientId,
        code,
        redirect_uri: REDIRECT_URI,
        code_verifier: verifier,
        resource: `${url}/mcp`,
        ...changed,
      })
    const refresh = (token: string, changed: Record<string, string> = {}) =>
      post('/oauth/token', { grant_type: 'refresh_token', client_id: clientId, refresh_token: token, ...changed })
    return { clientId, code, exchange, refresh }
  }

  /** Status of a request with a token. */
  async function statusAt(path: string, token: string): Promise<number> {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    const isMcp = path === '/mcp'
    const response = await fetch(url + path, {
      method: isMcp ? 'POST' : 'GET',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      ...(isMcp ? { body: JSON.stringify(body) } : {}),
    })
    await response.body?.cancel()
    return response.status
  }

  return { consent, register, authorizeUrl, post, authorizeProgram, statusAt }
}

export type OAuthCalls = ReturnType<typeof oauthCallsOf>
