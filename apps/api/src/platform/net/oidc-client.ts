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
  /** Return address, as registered with the provider. */
  redirectUri: string
  timeoutSeconds?: number
  /** Reaches the provider; anonymous visitors cause it, so its name lookups must not occupy threads. */
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
}

/** Sends people to an OpenID Connect provider, and checks what they bring back. */
export interface OidcClient {
  /** @throws UnavailableError when the provider does not answer as one does. */
  begin(): Promise<{ url: string; checks: OidcChecks }>
  /**
   * Exchanges what a person brought back: the query of the address they returned to.
   * @throws UnauthorizedError unless state, nonce, issuer, audience, signature and age are right and the code is new;
   *   UnavailableError
   */
  finish(query: string, checks: OidcChecks): Promise<OidcClaims>
}

/** Clocks of machines at home differ. */
const CLOCK_TOLERANCE_SECONDS = 120
/** Documents, keys and claims are a few kilobytes. */
const ANSWER_MAX_BYTES = 1024 * 1024
const TIMEOUT_SECONDS = 10
const REASON_MAX_CHARACTERS = 500
/** Google's tokens may name it in either way. */
const GOOGLE = 'https://accounts.google.com'
const GOOGLE_WITHOUT_SCHEME = 'accounts.google.com'

type Library = typeof import('openid-client')

/** The code flow with PKCE, state and nonce; signatures are checked with the provider's keys. */
export function createOidcClient(options: OidcOptions): OidcClient {
  const { issuer, redirectUri, scopes } = options
  let discovering: Promise<Configuration> | undefined

  /** Exchanges the code; of Google under both of its names. */
  const exchange = async (
    configuration: Configuration,
    returned: URL,
    checks: AuthorizationCodeGrantChecks,
  ): Promise<Awaited<ReturnType<typeof authorizationCodeGrant>>> => {
    const oidc = await import('openid-client')
    const grant = (asked: Configuration, address: URL) => oidc.authorizationCodeGrant(asked, address, checks)
    const metadata = configuration.serverMetadata()
    if (metadata.issuer !== GOOGLE) return grant(configuration, returned)
    const via = fetchOf(options)
    let response: Response | undefined
    const listening = await configurationOf(options, metadata)
    listening[oidc.customFetch] = async (url, init) => {
      const answer = await via(url, init)
      if (url === metadata.token_endpoint) response = answer.clone()
      return answer
    }
    try {
      return await grant(listening, returned)
    } catch (error) {
      const kept = response
      if (kept === undefined || (await issuerIn(kept.clone())) !== GOOGLE_WITHOUT_SCHEME) throw error
      // the code is spent: everything is checked once more of the same response, under the other name
      const other = {
        ...(metadata as ServerMetadata),
        issuer: GOOGLE_WITHOUT_SCHEME,
        authorization_response_iss_parameter_supported: false,
      }
      const older = await configurationOf(options, other)
      older[oidc.customFetch] = async (url, init) => (url === metadata.token_endpoint ? kept : via(url, init))
      const address = new URL(returned)
      address.searchParams.delete('iss')
      return grant(older, address)
    }
  }

  const away = (error: unknown) =>
    new UnavailableError('The sign-in provider does not answer. Try again in a moment.', {
      code: 'oidc_unreachable',
      cause: new Error(`${issuer}: ${reasonOf(error)}`),
    })

  /** Asked for once, and again after a failure. */
  const configure = (): Promise<Configuration> => {
    discovering ??= discover(options).catch((error: unknown) => {
      discovering = undefined
      throw away(error)
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
      const returned = new URL(redirectUri)
      returned.search = query
      try {
        const tokens = await exchange(configuration, returned, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: codeVerifier,
          idTokenExpected: true,
        })
        const claims = tokens.claims()
        if (claims === undefined) throw new Error('there is no ID token')
        const hasMore = configuration.serverMetadata().userinfo_endpoint !== undefined
        // many providers tell name and address there alone; some name a place that doesn't answer
        const userInfo = hasMore
          ? await oidc.fetchUserInfo(configuration, tokens.access_token, claims.sub).catch((error: unknown) => {
              if (typeof claims.email !== 'string') throw error
              return {}
            })
          : {}
        return {
          issuer: claims.iss === GOOGLE_WITHOUT_SCHEME ? GOOGLE : claims.iss,
          subject: claims.sub,
          claims: { ...userInfo, ...claims },
        }
      } catch (error) {
        if (isAway(error)) throw away(error)
        throw new UnauthorizedError('The sign-in at your provider did not succeed. Begin again.', {
          code: 'oidc_refused',
          cause: new Error(`${issuer}: ${reasonOf(error)}`),
        })
      }
    },
  }
}

async function discover(options: OidcOptions): Promise<Configuration> {
  const { issuer, clientId, timeoutSeconds = TIMEOUT_SECONDS } = options
  const oidc = await import('openid-client')
  const server = new URL(issuer)
  const execute = [...transportOf(oidc, server), oidc.enableNonRepudiationChecks]
  const settings = { execute, timeout: timeoutSeconds, [oidc.customFetch]: fetchOf(options) }
  const client = { [oidc.clockTolerance]: CLOCK_TOLERANCE_SECONDS }
  const ask = (address: URL) => oidc.discovery(address, clientId, client, authenticationOf(oidc, options), settings)
  // what the library knows of Entra's `common`, whose tokens name the tenant, is lost with another configuration
  return ask(server).catch((error: unknown) => {
    const reportedIssuer = issuerOfError(error)
    if (reportedIssuer === null) throw error
    // one slash more or less names the same provider
    if (withoutSlash(reportedIssuer) === withoutSlash(issuer)) return ask(new URL(reportedIssuer))
    throw new Error(`the provider calls itself ${reportedIssuer}, so OIDC_ISSUER has to be that`, { cause: error })
  })
}

/** A configuration with other metadata than the provider told. */
async function configurationOf(options: OidcOptions, metadata: ServerMetadata): Promise<Configuration> {
  const oidc = await import('openid-client')
  const client = { [oidc.clockTolerance]: CLOCK_TOLERANCE_SECONDS }
  const configuration = new oidc.Configuration(metadata, options.clientId, client, authenticationOf(oidc, options))
  configuration.timeout = options.timeoutSeconds ?? TIMEOUT_SECONDS
  for (const apply of transportOf(oidc, new URL(options.issuer))) apply(configuration)
  oidc.enableNonRepudiationChecks(configuration)
  return configuration
}

const fetchOf = ({ fetch: via = fetch }: OidcOptions) =>
  boundedFetch(via, { maxBytes: ANSWER_MAX_BYTES }) as CustomFetch

/** In a private network some have no certificate: the operator wrote http themselves. */
const transportOf = (oidc: Library, { protocol }: URL) => (protocol === 'http:' ? [oidc.allowInsecureRequests] : [])

/** The secret, sent in a way that the provider takes. */
function authenticationOf(oidc: Library, { clientSecret }: OidcOptions): ClientAuth {
  if (clientSecret === undefined) return oidc.None()
  const [basic, post] = [oidc.ClientSecretBasic(clientSecret), oidc.ClientSecretPost(clientSecret)]
  return (server, ...request) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    return (methods.includes('client_secret_basic') ? basic : post)(server, ...request)
  }
}

/** The issuer that an ID token names, before anything of it is checked. */
async function issuerIn(response: Response): Promise<unknown> {
  const { id_token = '' } = (await response.json().catch(() => ({}))) as { id_token?: string }
  const payload = Buffer.from(id_token.split('.')[1] ?? '', 'base64url').toString()
  return payload === '' ? undefined : (JSON.parse(payload) as { iss?: unknown }).iss
}

const withoutSlash = (address: string) => address.replace(/(?<!\/)\/+$/, '')

/** The issuer that a provider told where another one was expected; null for failures of other kinds. */
function issuerOfError(error: unknown): string | null {
  for (let at = error, depth = 0; typeof at === 'object' && at !== null && depth < 5; depth++) {
    const { cause, attribute, body } = at as { cause?: unknown; attribute?: unknown; body?: { issuer?: unknown } }
    if (attribute === 'issuer' && typeof body?.issuer === 'string' && URL.canParse(body.issuer)) return body.issuer
    at = cause
  }
  return null
}

/** True for a provider that can't be reached, or fails itself: nobody has shown a wrong code. */
function isAway(error: unknown): boolean {
  return someCause(error, ({ code, status }) => {
    if (typeof status === 'number' && status >= 500) return true
    return typeof code === 'string' && /^(OAUTH_TIMEOUT$|UND_ERR_|E(?!RR_)[A-Z_]{4,}$)/.test(code)
  })
}

/** An error of the library, with what the provider said. */
interface ProviderError extends Error {
  code: unknown
  error: unknown
  error_description: unknown
}

/** Words of the library and the provider about an error, for the log; never what was sent. */
function reasonOf(error: unknown): string {
  const parts: unknown[] = []
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    const { code, error: word, message, error_description: description } = at as Partial<ProviderError>
    parts.push(code, word, message, description)
  }
  const texts = parts.filter((part) => typeof part === 'string' && part !== '')
  return [...new Set(texts)].join(', ').slice(0, REASON_MAX_CHARACTERS)
}
