import { afterAll, beforeEach, expect, test } from 'vitest'
import { startOidcApp } from '../../../../test/oidc-app.ts'

const app = await startOidcApp({ OIDC_ADMIN_CLAIM: 'groups=mira-admins' })
const { provider } = app
afterAll(app.close)

let identityCount = 0
beforeEach(() => {
  identityCount += 1
  const name = `person-${identityCount}`
  Object.assign(provider, { tamper: null, isUserInfoDown: false })
  provider.identity = { sub: name, email: `${name}@example.org`, email_verified: true, preferred_username: name }
})

/** Signs in, and returns the account. */
async function signIn() {
  const { body } = await app.signIn()
  return app.meOf(body.access_token)
}

const grants = { '358981944035333912': 'zitadel.example.com' }
test.each<[object, string]>([
  [{ 'mira-admins': grants, staff: {} }, 'admin'],
  [{ staff: { 1: 'mira-admins' } }, 'user'],
  [{ 'mira-admins': 'false' }, 'user'],
  [{ 'mira-admins': {} }, 'user'],
  [{ 'mira-admins': ['false'] }, 'user'],
])('roles that are the keys of an object, as from Zitadel, decide the role: %j', async (groups, role) => {
  const { email, email_verified } = provider.identity
  provider.tamper = { claims: { email, email_verified, groups } }
  expect(await signIn()).toMatchObject({ role })
})

test('an administrator neither keeps nor loses the role while the provider’s further claims can’t be read', async () => {
  provider.identity.groups = ['mira-admins']
  expect(await signIn()).toMatchObject({ role: 'admin' })
  const { email, email_verified } = provider.identity
  provider.tamper = { claims: { email, email_verified } }
  provider.isUserInfoDown = true
  const refused = await app.signIn()
  expect(refused).toMatchObject({ status: 503, body: { code: 'oidc_unreachable' } })
  provider.isUserInfoDown = false
  expect(await signIn()).toMatchObject({ role: 'admin' })
  delete provider.identity.groups
  provider.tamper = null
  expect(await signIn()).toMatchObject({ role: 'user' })
})

test('an address that turns into another person’s when it’s composed doesn’t open their account', async () => {
  const { user } = await app.mira.createUser({ email: 'mike@example.org' })
  provider.identity.email = 'mi\u212Ae@example.org'
  expect(await app.signIn()).toMatchObject({ status: 403, body: { code: 'oidc_no_email' } })
  provider.identity.email = 'mike@example.org'
  expect(await signIn()).toMatchObject({ id: user.id })
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
