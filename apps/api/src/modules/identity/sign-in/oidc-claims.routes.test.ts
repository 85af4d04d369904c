import type { OidcStart } from '@mira/shared'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type OidcServer, startOidcServer } from '../../../../test/oidc-server.ts'
import { startTestApp, type TestApp } from '../../../../test/test-app.ts'

const PUBLIC_URL = 'https://mira.example.org'

let provider: OidcServer
let mira: TestApp
beforeAll(async () => {
  provider = await startOidcServer(`${PUBLIC_URL}/login/oidc`)
  mira = await startTestApp({
    environment: {
      ...{ PUBLIC_URL, OIDC_ISSUER: provider.issuer, OIDC_CLIENT_ID: provider.clientId },
      ...{ OIDC_CLIENT_SECRET: provider.clientSecret, OIDC_ADMIN_CLAIM: 'groups=mira-admins' },
    },
  })
})
let identityCount = 0
beforeEach(() => {
  identityCount += 1
  const name = `person-${identityCount}`
  Object.assign(provider, { tamper: null, isUserInfoDown: false })
  provider.identity = { sub: name, email: `${name}@example.org`, email_verified: true, preferred_username: name }
})
afterAll(async () => {
  await mira.close()
  await provider.close()
})

/** Signs in, and returns the account. */
async function signIn() {
  const { url, ticket }: OidcStart = (await mira.request.post('/api/auth/oidc/start').expect(200)).body
  const { search: query } = await provider.visit(url)
  const { body } = await mira.request.post('/api/auth/oidc/finish').send({ ticket, query }).expect(200)
  return (await mira.request.get('/api/auth/me').auth(body.access_token, { type: 'bearer' }).expect(200)).body
}

test('roles that are the keys of an object, as from Zitadel, make an administrator', async () => {
  provider.identity.groups = { 'mira-admins': { '358981944035333912': 'zitadel.example.com' } }
  expect(await signIn()).toMatchObject({ role: 'admin' })
  provider.identity.groups = { staff: {} }
  expect(await signIn()).toMatchObject({ role: 'user' })
})

test('an administrator keeps the role while the provider’s further claims can’t be read', async () => {
  provider.identity.groups = ['mira-admins']
  expect(await signIn()).toMatchObject({ role: 'admin' })
  const { email, email_verified } = provider.identity
  provider.tamper = { claims: { email, email_verified } }
  provider.isUserInfoDown = true
  expect(await signIn()).toMatchObject({ role: 'admin' })
  provider.isUserInfoDown = false
  delete provider.identity.groups
  provider.tamper = null
  expect(await signIn()).toMatchObject({ role: 'user' })
})

test.each([
  ['สมศักดิ์', 'somsak@xn--e1afmkfd.xn--p1ai'],
  ['अनीता', 'anita@भारत.भारत'],
  ['müller', 'hans.müller@müller.example'],
  ['customer', 'customer/department=shipping@example.com'],
])('the name %s and the address %s stay as they are', async (name, email) => {
  Object.assign(provider.identity, { preferred_username: name, email })
  expect(await signIn()).toMatchObject({ username: name, email })
})
