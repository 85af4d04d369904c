import { cutText } from '@mira/shared/constants/cut-text'
import type {
  AuthorizationCodeGrantChecks,
  authorizationCodeGrant,
  ClientAuth,
  Configuration,
  CustomFetch,
  ServerMetadata,
} from 'openid-client'
import { UnauthorizedError, UnavailableError } from '../../errors.ts'
import { someCause } from '../lib/some-cause.ts'
import { boundedFetch } from './bounded-fetch.ts'

/** Client settings for an OpenID Connect provider. */
interface OidcOptions {
  issuer: string
  clientId: string
  clientSecret: string | undefined
  scopes: string
  /** URL to which the provider redirects users back, as registered with it. */
  redirectUri: string
  timeoutSeconds?: number
  /** Fetches from the provider. Anonymous visitors trigger that, so its name lookups must not occupy threads. */
  fetch?: typeof fetch
}

/** Values to verify when the user returns from the provider. */
interface OidcChecks {
  state: string
  nonce: string
  codeVerifier: string
}

/** Verified claims of a provider about a user. */
export interface OidcClaims {
  issuer: string
  subject: string
  claims: Record<string, unknown>
  /** False when the provider's endpoint for more claims was out of order: a missing claim then says nothing. */
  isComplete: boolean
}

/** OpenID Connect client: redirects users to a provider and verifies the response. */
export interface OidcClient {
  /** @throws UnavailableError when the provider doesn't respond correctly. */
  begin(): Promise<{ url: string; checks: OidcChecks }>
  /**
   * Exchanges the code in the query of the URL that the user returned to.
   * @throws UnauthorizedError unless state, nonce, issuer, audience, signature and age are valid and the code is new;
   *   UnavailableError
   */
  finish(query: string, checks: OidcChecks): Promise<OidcClaims>
}

/** Tolerates the inaccurate clocks of home servers. */
const CLOCK_TOLERANCE_SECONDS = 120
/** Documents, keys and claims are a few kilobytes. */
const MAX_RESPONSE_BYTES = 1024 * 1024
const TIMEOUT_SECONDS = 10
const MAX_REASON_CHARACTERS = 500
/** Google's tokens may have either issuer. */
const GOOGLE = 'https://accounts.google.com'
const GOOGLE_WITHOUT_SCHEME = 'accounts.google.com'

type Library = typeof import('openid-client')

/** Uses the code flow with PKCE, state and nonce, and verifies signatures with the provider's keys. */
export function createOidcClient(options: OidcOptions): OidcClient {
  const { issuer, redirectUri, scopes } = options
  const authentication = { refusesBasic: false }
  let discovering: Promise<Configuration> | undefined

  /** Exchanges the code; accepts both of Google's issuers. */
  const exchange = async (
    configuration: Configuration,
    returnUrl: URL,
    checks: AuthorizationCodeGrantChecks,
  ): Promise<Awaited<ReturnType<typeof authorizationCodeGrant>>> => {
    const oidc = await import('openid-client')
    const metadata = configuration.serverMetadata()
    const methods = metadata.token_endpoint_auth_methods_supported ?? []
    const grant = async (config: Configuration, url: URL) => {
      try {
        return await oidc.authorizationCodeGrant(config, url, checks)
      } catch (error) {
        const hasOther = ['client_secret_basic', 'client_secret_post'].every((method) => methods.includes(method))
        if (authentication.refusesBasic || !hasOther || !refusesClient(error)) throw error
        // A refused client hasn't used up the code.
        authentication.refusesBasic = true
        return oidc.authorizationCodeGrant(config, url, checks).catch((otherError: unknown) => {
          authentication.refusesBasic = false
          throw otherError
        })
      }
    }
    if (metadata.issuer !== GOOGLE) return grant(configuration, returnUrl)
    const baseFetch = fetchOf(options)
    let response: Response | undefined
    const recording = await configurationOf(options, authentication, metadata)
    recording[oidc.customFetch] = async (url, init) => {
      const received = await baseFetch(url, init)
      if (url === metadata.token_endpoint) response = received.clone()
      return received
    }
    try {
      return await grant(recording, returnUrl)
    } catch (error) {
      const tokenResponse = response
      if (tokenResponse === undefined || (await issuerIn(tokenResponse.clone())) !== GOOGLE_WITHOUT_SCHEME) throw error
      // the code is used up, so the same response is verified again with the other issuer
      const other = {
        ...(metadata as ServerMetadata),
        issuer: GOOGLE_WITHOUT_SCHEME,
        authorization_response_iss_parameter_supported: false,
      }
      const otherConfiguration = await configurationOf(options, authentication, other)
      otherConfiguration[oidc.customFetch] = async (url, init) =>
        url === metadata.token_endpoint ? tokenResponse : baseFetch(url, init)
      const url = new URL(returnUrl)
      url.searchParams.delete('iss')
      return grant(otherConfiguration, url)
    }
  }

  const unavailableError = (error: unknown) =>
    new UnavailableError('The sign-in provider isn’t responding. Try again in a moment.', {
      code: 'oidc_unreachable',
      cause: new Error(`${issuer}: ${reasonOf(error)}`),
    })

  /** Discovers the provider once, and again after a failure. */
  const configure = (): Promise<Configuration> => {
    discovering ??= discover(options, authentication).catch((error: unknown) => {
      discovering = undefined
      throw unavailableError(error)
    })
    return discovering
  }

  return {
    async begin() {
      const oidc = await import('openid-client')
      const configuration = await configure()
      const checks = {
        state: oidc.randomState(),
        nonce: oidc.randomNonce(),
        codeVerifier: oidc.randomPKCECodeVerifier(),
      }
      const url = oidc.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: scopes,
        state: checks.state,
        nonce: checks.nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(checks.codeVerifier),
        code_challenge_method: 'S256',
      })
      return { url: url.href, checks }
    },

    async finish(query, { state, nonce, codeVerifier }) {
      const oidc = await import('openid-client')
      const configuration = await configure()
      const returnUrl = new URL(redirectUri)
      returnUrl.search = query
      try {
        const tokens = await exchange(configuration, returnUrl, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: codeVerifier,
          idTokenExpected: true,
        })
        const claims = tokens.claims()
        if (claims === undefined) throw new Error('there is no ID token')
        let isComplete = true
        const hasMore = configuration.serverMetadata().userinfo_endpoint !== undefined
        // many providers only state name and email at that endpoint, but at some it doesn't respond
        const userInfo = hasMore
          ? await oidc.fetchUserInfo(configuration, tokens.access_token, claims.sub).catch((error: unknown) => {
              if (typeof claims.email !== 'string') throw error
              isComplete = !isProviderOutage(error)
              return {}
            })
          : {}
        return {
          issuer: claims.iss === GOOGLE_WITHOUT_SCHEME ? GOOGLE : claims.iss,
          subject: claims.sub,
          claims: { ...userInfo, ...claims },
          isComplete,
        }
      } catch (error) {
        if (isProviderOutage(error)) throw unavailableError(error)
        throw new UnauthorizedError('Signing in with your provider failed. Start again.', {
          code: 'oidc_refused',
          cause: new Error(`${issuer}: ${reasonOf(error)}`),
        })
      }
    },
  }
}

async function discover(options: OidcOptions, authentication: Authentication): Promise<Configuration> {
  const { issuer, clientId, timeoutSeconds = TIMEOUT_SECONDS } = options
  const oidc = await import('openid-client')
  const server = new URL(issuer)
  const execute = [...transportOf(oidc, server), oidc.enableNonRepudiationChecks]
  const settings = { execute, timeout: timeoutSeconds, [oidc.customFetch]: fetchOf(options) }
  const client = { [oidc.clockTolerance]: CLOCK_TOLERANCE_SECONDS }
  const authenticate = authenticationOf(oidc, options, authentication)
  const discoverAt = (url: URL) => oidc.discovery(url, clientId, client, authenticate, settings)
  // not `configurationOf`, which would lose the library's handling of Entra's `common`, whose tokens name the tenant
  return discoverAt(server).catch((error: unknown) => {
    const reportedIssuer = issuerOfError(error)
    if (reportedIssuer === null) throw error
    // a trailing slash makes no difference
    if (withoutSlash(reportedIssuer) === withoutSlash(issuer)) return discoverAt(new URL(reportedIssuer))
    throw new Error(`the provider's issuer is ${reportedIssuer}, so set OIDC_ISSUER to that`, { cause: error })
  })
}

/** A configuration with modified metadata. */
async function configurationOf(
  options: OidcOptions,
  authentication: Authentication,
  metadata: ServerMetadata,
): Promise<Configuration> {
  const oidc = await import('openid-client')
  const client = { [oidc.clockTolerance]: CLOCK_TOLERANCE_SECONDS }
  const authenticate = authenticationOf(oidc, options, authentication)
  const configuration = new oidc.Configuration(metadata, options.clientId, client, authenticate)
  configuration.timeout = options.timeoutSeconds ?? TIMEOUT_SECONDS
  for (const apply of transportOf(oidc, new URL(options.issuer))) apply(configuration)
  oidc.enableNonRepudiationChecks(configuration)
  return configuration
}

const fetchOf = ({ fetch: baseFetch = fetch }: OidcOptions) =>
  boundedFetch(baseFetch, { maxBytes: MAX_RESPONSE_BYTES }) as CustomFetch

/** Allows HTTP if the operator configured it, for providers without a certificate in a private network. */
const transportOf = (oidc: Library, { protocol }: URL) => (protocol === 'http:' ? [oidc.allowInsecureRequests] : [])

/** Ways in which a provider has turned out to accept the client's secret. */
interface Authentication {
  /** True when it has refused the secret in a header, although it lists that method. */
  refusesBasic: boolean
}

/** Client authentication with a method that the provider supports. */
function authenticationOf(oidc: Library, { clientSecret }: OidcOptions, authentication: Authentication): ClientAuth {
  if (clientSecret === undefined) return oidc.None()
  const post = oidc.ClientSecretPost(clientSecret)
  return (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    if (authentication.refusesBasic || !methods.includes('client_secret_basic'))
      return post(server, client, body, headers)
    const credentials = [client.client_id, clientSecret].map(formEncoded).join(':')
    headers.set('authorization', `Basic ${Buffer.from(credentials).toString('base64')}`)
  }
}

/**
 * A text in the encoding of forms, as the protocol asks for. The library's own method also encodes - . and _, which providers
 * that decode nothing, such as GitLab, then take for part of the secret.
 */
const formEncoded = (text: string) => new URLSearchParams({ text }).toString().slice('text='.length)

/** True when a provider refused the client itself, rather than the code. */
const refusesClient = (error: unknown) =>
  someCause(error, ({ status, error: code }) => status === 401 || code === 'invalid_client')

/** Unverified issuer of an ID token. */
async function issuerIn(response: Response): Promise<unknown> {
  const { id_token = '' } = (await response.json().catch(() => ({}))) as { id_token?: string }
  const payload = Buffer.from(id_token.split('.')[1] ?? '', 'base64url').toString()
  return payload === '' ? undefined : (JSON.parse(payload) as { iss?: unknown }).iss
}

const withoutSlash = (url: string) => url.replace(/(?<!\/)\/+$/, '')

/** The issuer that a provider reported instead of the expected one; null for other errors. */
function issuerOfError(error: unknown): string | null {
  for (let one = error, depth = 0; typeof one === 'object' && one !== null && depth < 5; depth++) {
    const { cause, attribute, body } = one as { cause?: unknown; attribute?: unknown; body?: { issuer?: unknown } }
    if (attribute === 'issuer' && typeof body?.issuer === 'string' && URL.canParse(body.issuer)) return body.issuer
    one = cause
  }
  return null
}

/** True when the provider is unreachable or has failed, rather than rejected the code. */
function isProviderOutage(error: unknown): boolean {
  return someCause(error, ({ code, status }) => {
    if (typeof status === 'number' && status >= 500) return true
    return typeof code === 'string' && /^(OAUTH_TIMEOUT$|UND_ERR_|E(?!RR_)[A-Z_]{4,}$)/.test(code)
  })
}

/** An error of the library, with the provider's error response. */
interface ProviderError extends Error {
  code: unknown
  error: unknown
  error_description: unknown
}

/** Error messages of the library and the provider, for the log; without the request. */
function reasonOf(error: unknown): string {
  const parts: unknown[] = []
  for (let one = error, depth = 0; one instanceof Error && depth < 5; one = one.cause, depth++) {
    const { code, error: errorCode, message, error_description: description } = one as Partial<ProviderError>
    parts.push(code, errorCode, message, description)
  }
  const texts = parts.filter((part) => typeof part === 'string' && part !== '')
  return cutText([...new Set(texts)].join(', '), MAX_REASON_CHARACTERS)
}
