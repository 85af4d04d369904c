import type { MeJson, OidcStart } from '@mira/shared'
import { startOidcServer } from './oidc-server.ts'
import { startTestApp } from './test-app.ts'

const PUBLIC_URL = 'https://mira.example.org'

/** A test app whose users can sign in at a real provider. */
export async function startOidcApp(environment: Record<string, string> = {}) {
  const provider = await startOidcServer(`${PUBLIC_URL}/login/oidc`)
  const { issuer, clientId, clientSecret } = provider
  const oidc = { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret }
  const mira = await startTestApp({ environment: { PUBLIC_URL, ...oidc, ...environment } })
  const begin = async (body?: { invitation?: string }): Promise<OidcStart> =>
    (await mira.request.post('/api/auth/oidc/start').send(body).expect(200)).body
  /** Visits the provider's page and finishes the sign-in. */
  const finish = async ({ url, ticket }: OidcStart) => {
    const { search: query } = await provider.visit(url)
    return mira.request.post('/api/auth/oidc/finish').send({ ticket, query })
  }
  return {
    ...{ provider, mira, begin, finish },
    signIn: async () => finish(await begin()),
    meOf: async (token: string): Promise<MeJson> =>
      (await mira.request.get('/api/auth/me').auth(token, { type: 'bearer' }).expect(200)).body,
    async close() {
      await mira.close()
      await provider.close()
    },
  }
}
