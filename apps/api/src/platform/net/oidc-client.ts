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
  /** False when the provider's endpoint for further claims gave no usable answer: a missing claim then says nothing. */
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

/** Redirects that the discovery request follows. */
const MAX_REDIRECTS = 3

type Library = typeof import('openid-client')

/** Uses the code flow with PKCE, state and nonce, and verifies signatures with the provider's keys. */
export function createOidcClient(options: OidcOptions): OidcClient {
  const { issuer, redirectUri, scopes } = options
  let discovering: Promise<Configuration> | undefined
  const secretMethod: SecretMethod = { isPost: false }

  /** Exchanges the code; accepts both of Google's issuers. */
  const exchange = async (
    configuration: Configuration,
    returnUrl: URL,
    checks: AuthorizationCodeGrantChecks,
  ): Promise<Awaited<ReturnType<typeof authorizationCodeGrant>>> => {
    const oidc = await import('openid-client')
    const metadata = configuration.serverMetadata()
    const grant = async (config: Configuration, url: URL) => {
      const request = () => oidc.authorizationCodeGrant(config, url, checks)
      const { isPost } = secretMethod
      try {
        return await request()
      } catch (error) {
        if (!isClientRefused(error) || options.clientSecret === undefined || !acceptsBoth(metadata)) throw error
        // some providers list a method that they don't accept for this client; refusing it leaves the code unused
        secretMethod.isPost = !isPost
        return request().catch((otherError: unknown) => {
          if (!isClientRefused(otherError)) throw otherError
          secretMethod.isPost = isPost
          throw error
        })
      }
    }
    if (metadata.issuer !== GOOGLE) return grant(configuration, returnUrl)
    const baseFetch = fetchOf(options)
    let response: Response | undefined
    const recording = await configurationOf(options, secretMethod, metadata)
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
      const otherConfiguration = await configurationOf(options, secretMethod, other)
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
    discovering ??= discover(options, secretMethod).catch((error: unknown) => {
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
        const hasMore = configuration.serverMetadata().userinfo_endpoint !== undefined
        // many providers only state name and email at that endpoint, but at some it doesn't respond
        let isComplete = true
        const userInfo = hasMore
          ? await oidc.fetchUserInfo(configuration, tokens.access_token, claims.sub).catch((error: unknown) => {
              if (typeof claims.email !== 'string') throw error
              isComplete = someCause(error, ({ status }) => status === 401 || status === 403)
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

async function discover(options: OidcOptions, secretMethod: SecretMethod): Promise<Configuration> {
  const { issuer, clientId, timeoutSeconds = TIMEOUT_SECONDS } = options
  const oidc = await import('openid-client')
  const server = new URL(issuer)
  const execute = [...transportOf(oidc, server), oidc.enableNonRepudiationChecks]
  const settings = { execute, timeout: timeoutSeconds, [oidc.customFetch]: followWithin(fetchOf(options)) }
  const client = { [oidc.clockTolerance]: CLOCK_TOLERANCE_SECONDS }
  const discoverAt = async (url: URL) => {
    const authentication = authenticationOf(oidc, options, secretMethod)
    const configuration = await oidc.discovery(url, clientId, client, authentication, settings)
    configuration[oidc.customFetch] = fetchOf(options)
    return configuration
  }
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
  secretMethod: SecretMethod,
  metadata: ServerMetadata,
): Promise<Configuration> {
  const oidc = await import('openid-client')
  const client = { [oidc.clockTolerance]: CLOCK_TOLERANCE_SECONDS }
  const authentication = authenticationOf(oidc, options, secretMethod)
  const configuration = new oidc.Configuration(metadata, options.clientId, client, authentication)
  configuration.timeout = options.timeoutSeconds ?? TIMEOUT_SECONDS
  for (const apply of transportOf(oidc, new URL(options.issuer))) apply(configuration)
  oidc.enableNonRepudiationChecks(configuration)
  return configuration
}

const fetchOf = ({ fetch: baseFetch = fetch }: OidcOptions) =>
  boundedFetch(baseFetch, { maxBytes: MAX_RESPONSE_BYTES }) as CustomFetch

/**
 * Follows redirects to the same origin, such as Nextcloud's behind nginx. The issuer in the document is still compared with
 * the configured one.
 */
function followWithin(baseFetch: CustomFetch): CustomFetch {
  return async (url, init) => {
    let [target, response] = [new URL(url), await baseFetch(url, init)]
    for (let count = 0; response.status >= 300 && response.status < 400; count++) {
      const location = response.headers.get('location')
      const next = location !== null && URL.canParse(location, target.href) ? new URL(location, target) : null
      await response.body?.cancel()
      if (next === null || next.origin !== target.origin || count === MAX_REDIRECTS) {
        throw new Error(
          `${target.href} responds with ${response.status} and redirects to ${next?.href ?? 'no address'}`,
        )
      }
      target = next
      response = await baseFetch(next.href, init)
    }
    return response
  }
}

/** Allows HTTP if the operator configured it, for providers without a certificate in a private network. */
const transportOf = (oidc: Library, { protocol }: URL) => (protocol === 'http:' ? [oidc.allowInsecureRequests] : [])

/** Choice between Basic and POST at a provider that lists both; Basic until it's refused. */
interface SecretMethod {
  isPost: boolean
}

const secretMethodsOf = ({ token_endpoint_auth_methods_supported: methods }: Partial<ServerMetadata>) =>
  methods ?? ['client_secret_basic']

const acceptsBoth = (server: Partial<ServerMetadata>) =>
  ['client_secret_basic', 'client_secret_post'].every((method) => secretMethodsOf(server).includes(method))

/** Client authentication with a method that the provider supports. */
function authenticationOf(oidc: Library, { clientSecret }: OidcOptions, secretMethod: SecretMethod): ClientAuth {
  if (clientSecret === undefined) return oidc.None()
  const post = oidc.ClientSecretPost(clientSecret)
  return (server, client, body, headers) => {
    const isPost = acceptsBoth(server) ? secretMethod.isPost : !secretMethodsOf(server).includes('client_secret_basic')
    if (isPost) return post(server, client, body, headers)
    const credentials = `${formEncoded(client.client_id)}:${formEncoded(clientSecret)}`
    headers.set('authorization', `Basic ${btoa(credentials)}`)
  }
}

/**
 * Form encoding, as RFC 6749 requires for Basic. Unlike the library's, it leaves `-._*` as they are: the same to providers
 * that decode it, and right for GitLab and others that don't.
 */
const formEncoded = (text: string) => new URLSearchParams({ text }).toString().slice('text='.length)

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

/** True when the token endpoint refused the client's authentication. */
function isClientRefused(error: unknown): boolean {
  return someCause(error, ({ status, error: code }) => status === 401 || code === 'invalid_client')
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
