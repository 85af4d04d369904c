/// <reference path="./oidc-provider.d.ts" />
import { generateKeyPairSync, type JsonWebKey, type KeyObject, sign } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'

/** Claims about a user at the provider. */
export interface OidcIdentity {
  sub: string
  email?: string
  email_verified?: boolean
  name?: string
  preferred_username?: string
  groups?: string[] | Record<string, unknown>
}

/** A real OpenID Connect provider over real HTTP that signs in `person` without a prompt. */
export interface OidcServer {
  issuer: string
  /** Redirect address after signing in. */
  redirectUri: string
  clientId: string
  clientSecret: string
  identity: OidcIdentity
  /** Changes the claims of the next ID tokens and signs them again, with the provider's key or, when `isForged`, another one. */
  tamper: { claims?: Record<string, unknown>; isForged?: boolean } | null
  /** True while its endpoint for a user's further claims fails. */
  isUserInfoDown: boolean
  /** Opens the provider's page as `person`. @returns the address of the redirect back. */
  visit(url: string): Promise<URL>
  close(): Promise<void>
}

/** Starts a provider that redirects users to `redirectUri`. */
export async function startOidcServer(redirectUri: string): Promise<OidcServer> {
  const keys = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const jwk: JsonWebKey = { ...keys.privateKey.export({ format: 'jwk' }), kid: 'test', alg: 'RS256', use: 'sig' }
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = { client_id: 'mira', client_secret: 'a secret of the client' }
  const state: OidcServer = {
    issuer,
    redirectUri,
    clientId: client.client_id,
    clientSecret: client.client_secret,
    identity: { sub: 'somebody' },
    tamper: null,
    isUserInfoDown: false,
    visit,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  const provider = createProvider(issuer, { ...client, redirect_uris: [redirectUri] }, jwk, () => state.identity)
  const handle = provider.callback()
  server.on('request', (request, response) => {
    if (request.url?.startsWith('/interaction/')) {
      void completeSignIn(provider, request, response, state.identity.sub)
      return
    }
    if (request.url?.startsWith('/me') && state.isUserInfoDown) {
      response.writeHead(502).end('Bad gateway')
      return
    }
    if (request.url?.startsWith('/token') && state.tamper !== null)
      replaceIdToken(response, state.tamper, keys.privateKey)
    handle(request, response)
  })
  return state
}

function createProvider(issuer: string, client: object, jwk: JsonWebKey, identity: () => OidcIdentity): Provider {
  return new Provider(issuer, {
    clients: [{ ...client, token_endpoint_auth_method: 'client_secret_basic' }],
    jwks: { keys: [jwk] },
    cookies: { keys: ['a key of the cookies'] },
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['name', 'preferred_username', 'groups'],
    },
    scopes: ['openid', 'email', 'profile'],
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    pkce: { required: () => true },
    ttl: { AccessToken: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
    findAccount: (_context: unknown, sub: string) => ({ accountId: sub, claims: async () => ({ ...identity(), sub }) }),
    loadExistingGrant,
  })
}

/** Grants all scopes without asking. */
async function loadExistingGrant(context: {
  oidc: {
    client: { clientId: string }
    session: { accountId: string }
    provider: { Grant: new (properties: object) => { addOIDCScope(scope: string): void; save(): Promise<string> } }
  }
}) {
  const { client, session, provider } = context.oidc
  const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId })
  grant.addOIDCScope('openid email profile')
  await grant.save()
  return grant
}

/** Completes the sign-in without asking. */
async function completeSignIn(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
  accountId: string,
) {
  await provider.interactionDetails(request, response)
  const result = { login: { accountId, remember: false } }
  await (provider as Provider & { interactionFinished(...args: unknown[]): Promise<void> }).interactionFinished(
    request,
    response,
    result,
    { mergeWithLastSubmission: false },
  )
}

/** Follows the provider's own redirects with its cookies, until it sends the browser away. */
async function visit(url: string): Promise<URL> {
  const { origin } = new URL(url)
  const cookies = new Map<string, string>()
  let next = new URL(url)
  while (next.origin === origin) {
    const header = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(next, { redirect: 'manual', headers: { cookie: header } })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    const location = response.headers.get('location')
    if (location === null) throw new Error(`The provider returned ${response.status}: ${await response.text()}`)
    next = new URL(location, next)
  }
  return next
}

/** Replaces the ID token in the provider's response. */
function replaceIdToken(response: ServerResponse, tamper: NonNullable<OidcServer['tamper']>, ownKey: KeyObject): void {
  const key = tamper.isForged === true ? generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey : ownKey
  const end = response.end.bind(response) as (text: string) => ServerResponse
  response.end = ((body: unknown) => {
    const tokens = JSON.parse(String(body)) as { id_token?: string }
    const [header = '', payload = ''] = tokens.id_token?.split('.') ?? []
    const claims = { ...(JSON.parse(Buffer.from(payload, 'base64url').toString()) as object), ...tamper.claims }
    const signed = `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`
    tokens.id_token = `${signed}.${sign('sha256', Buffer.from(signed), key).toString('base64url')}`
    response.removeHeader('content-length')
    return end(JSON.stringify(tokens))
  }) as typeof response.end
}
