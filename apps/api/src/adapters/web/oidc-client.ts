import type { Configuration, CustomFetch } from 'openid-client'
import { UnauthorizedError, UnavailableError } from '../../errors.ts'

/** Client settings for an OpenID Connect provider. */
export interface OidcOptions {
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
export interface OidcChecks {
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

/** The code flow with PKCE, state and nonce; signatures are checked with the provider's keys. */
export function createOidcClient(options: OidcOptions): OidcClient {
  const { issuer, redirectUri, scopes } = options
  let discovering: Promise<Configuration> | undefined

  /** Asked for once, and again after a failure. */
  const configure = (): Promise<Configuration> => {
    discovering ??= discover(options).catch((error: unknown) => {
      discovering = undefined
      throw new UnavailableError('The sign-in provider does not answer. Try again in a moment.', {
        code: 'oidc_unreachable',
        cause: new Error(`${issuer}: ${reasonOf(error)}`),
      })
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
        const tokens = await oidc.authorizationCodeGrant(configuration, returned, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: codeVerifier,
          idTokenExpected: true,
        })
        const claims = tokens.claims()
        if (claims === undefined) throw new Error('there is no ID token')
        const hasMore = configuration.serverMetadata().userinfo_endpoint !== undefined
        // many providers tell name and address there alone
        const told = hasMore ? await oidc.fetchUserInfo(configuration, tokens.access_token, claims.sub) : {}
        return { issuer: claims.iss, subject: claims.sub, claims: { ...told, ...claims } }
      } catch (error) {
        throw new UnauthorizedError('The sign-in at your provider did not succeed. Begin again.', {
          code: 'oidc_refused',
          cause: new Error(`${issuer}: ${reasonOf(error)}`),
        })
      }
    },
  }
}

async function discover({
  issuer,
  clientId,
  clientSecret,
  timeoutSeconds = 10,
  fetch: via = fetch,
}: OidcOptions): Promise<Configuration> {
  const oidc = await import('openid-client')
  const server = new URL(issuer)
  // in a private network some have no certificate: the operator wrote http themselves
  const execute = server.protocol === 'http:' ? [oidc.allowInsecureRequests] : []
  const options = { execute, timeout: timeoutSeconds, [oidc.customFetch]: via as CustomFetch }
  const found = await oidc.discovery(server, clientId, undefined, oidc.None(), options)
  const methods = found.serverMetadata().token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  const authentication =
    clientSecret === undefined
      ? oidc.None()
      : methods.includes('client_secret_basic')
        ? oidc.ClientSecretBasic(clientSecret)
        : oidc.ClientSecretPost(clientSecret)
  const configuration = new oidc.Configuration(found.serverMetadata(), clientId, undefined, authentication)
  configuration.timeout = timeoutSeconds
  configuration[oidc.customFetch] = via as CustomFetch
  for (const apply of execute) apply(configuration)
  oidc.enableNonRepudiationChecks(configuration)
  return configuration
}

/** The library's machine words, which never hold what was sent. */
function reasonOf(error: unknown): string {
  const { code, error: word, message } = error as { code?: string; error?: string; message?: string }
  return [code, word, message].filter((part) => typeof part === 'string').join(', ')
}
