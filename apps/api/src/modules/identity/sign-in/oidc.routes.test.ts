import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { startOidcApp } from '../../../../test/oidc-app.ts'
import { startTestApp } from '../../../../test/test-app.ts'
import { MCP_SERVERS_CHANNEL } from '../access-items/access-items.service.ts'

const app = await startOidcApp({ TRUST_PROXY: 'true', OIDC_NAME: 'Our house', OIDC_ADMIN_CLAIM: 'groups=mira-admins' })
const { mira, provider, begin, meOf } = app
afterAll(app.close)

let identityCount = 0
beforeEach(() => {
  identityCount += 1
  const name = `person-${identityCount}`
  provider.tamper = null
  provider.identity = {
    ...{ sub: `sub-${identityCount}`, email: `${name}@example.org`, email_verified: true },
    ...{ name: `Person ${identityCount}`, preferred_username: name },
  }
})
/** Failures are limited by address, so each call uses another one. */
let lastAddress = 0
const finish = (ticket: string, query: string) =>
  mira.request
    .post('/api/auth/oidc/finish')
    .set('x-forwarded-for', `198.51.100.${++lastAddress}`)
    .send({ ticket, query })

/** The whole flow of a browser; `change` alters the returned query. */
async function signIn(change: (query: URLSearchParams) => void = () => {}, body?: { invitation?: string }) {
  const { url, ticket } = await begin(body)
  const returned = await provider.visit(url)
  expect(`${returned.origin}${returned.pathname}`).toBe(provider.redirectUri)
  change(returned.searchParams)
  return finish(ticket, returned.search)
}

test('the public config contains the provider’s name', async () => {
  const { body } = await mira.request.get('/api/config').expect(200)
  expect(body.sign_in.oidc).toEqual({ name: 'Our house' })
})

test('the first sign-in creates an account with name and email address, which the next one uses', async () => {
  const first = await signIn()
  expect(first.status).toBe(200)
  const me = await meOf(first.body.access_token)
  expect(me).toMatchObject({
    username: `person-${identityCount}`,
    email: `person-${identityCount}@example.org`,
    full_name: `Person ${identityCount}`,
    role: 'user',
    can_chat: true,
    can_upload: false,
    has_password: false,
    must_change_password: false,
  })
  const second = await signIn()
  expect((await meOf(second.body.access_token)).id).toBe(me.id)
  const sessions = await mira.request
    .get('/api/auth/sessions')
    .auth(second.body.access_token, { type: 'bearer' })
    .expect(200)
  expect(sessions.body.map(({ method }: { method: string }) => method)).toEqual(['oidc', 'oidc'])
})

test('an account without a password confirms with a recent sign-in instead', async () => {
  const { prisma } = mira.context.database
  const { access_token: token } = (await signIn()).body
  const { id } = await meOf(token)
  await prisma.user.update({ where: { id }, data: { role: 'admin' } })
  const { user } = await mira.createUser()
  const deleteData = () => mira.request.delete('/api/me/data').auth(token, { type: 'bearer' }).send({})
  const changeRole = () =>
    mira.request
      .put(`/api/admin/users/${user.id}`)
      .auth(token, { type: 'bearer' })
      .send({ ...user, role: 'guest' })
  await prisma.authSession.updateMany({
    where: { userId: id },
    data: { createdAt: new Date(Date.now() - 11 * 60_000) },
  })
  expect([(await deleteData()).body.code, (await changeRole()).body.code]).toEqual(['sign_in_again', 'sign_in_again'])
  await prisma.authSession.updateMany({ where: { userId: id }, data: { createdAt: new Date() } })
  await changeRole().expect(200)
  await deleteData().expect(200)
})

test('a taken username gets a number', async () => {
  const otherUser = await mira.createUser()
  provider.identity.preferred_username = otherUser.user.username.toUpperCase()
  const { body } = await signIn()
  expect((await meOf(body.access_token)).username).toBe(`${otherUser.user.username.toUpperCase()}-2`)
})

describe('an existing account', () => {
  test('is used when the provider has verified its email address', async () => {
    const anna = await mira.createUser()
    provider.identity.email = anna.user.email.toUpperCase()
    const { body } = await signIn()
    expect(await meOf(body.access_token)).toMatchObject({ id: anna.user.id, has_password: true })
  })

  test('is refused when the provider hasn’t verified its email address', async () => {
    const anna = await mira.createUser()
    Object.assign(provider.identity, { email: anna.user.email, email_verified: false })
    const { status, body } = await signIn()
    expect([status, body.code]).toEqual([403, 'oidc_unverified_email'])
    expect(body.detail).toContain('link the provider in your settings')
    // As the message says.
    const link = await mira.request
      .post('/api/auth/oidc/link')
      .auth(anna.token, { type: 'bearer' })
      .send({})
      .expect(200)
    const { search } = await provider.visit(link.body.url)
    expect((await finish(link.body.ticket, search)).status).toBe(200)
    expect((await meOf((await signIn()).body.access_token)).id).toBe(anna.user.id)
  })

  test('is refused to a second identity of the provider', async () => {
    const anna = await mira.createUser()
    provider.identity.email = anna.user.email
    expect((await signIn()).status).toBe(200)
    provider.identity.sub = `${provider.identity.sub}-other`
    const { status, body } = await signIn()
    expect([status, body.code]).toEqual([403, 'oidc_other_identity'])
  })

  test('can’t sign in while it’s disabled', async () => {
    const { body } = await signIn()
    const { id } = await meOf(body.access_token)
    await mira.context.database.prisma.user.update({ where: { id }, data: { isActive: false } })
    expect((await signIn()).status).toBe(401)
  })
})

test('reports an email address that no account can have as invalid, not missing', async () => {
  provider.identity.email = 'root@localhost'
  const { status, body } = await signIn()
  expect([status, body.code]).toEqual([403, 'oidc_no_email'])
  expect(body.detail).toContain('didn’t share a valid email address')
})

test('the claim grants and revokes the administrator role', async () => {
  provider.identity.groups = ['staff', 'mira-admins']
  const first = await signIn()
  expect(await meOf(first.body.access_token)).toMatchObject({ role: 'admin' })
  provider.identity.groups = ['staff']
  const published = vi.spyOn(mira.context.events, 'publish')
  const notified = vi.spyOn(mira.context.database, 'notify')
  const second = await signIn()
  const account = await meOf(second.body.access_token)
  expect(account).toMatchObject({ role: 'user' })
  // open pages and other servers are notified
  expect(published).toHaveBeenCalledWith(account.id, { type: 'account.updated' })
  expect(notified).toHaveBeenCalledWith(MCP_SERVERS_CHANNEL, '')
  published.mockRestore()
  notified.mockRestore()
  const lines = await mira.context.database.prisma.auditEntry.findMany({
    where: { subjectId: account.id },
    orderBy: { id: 'asc' },
  })
  expect(lines.map(({ action, detail }) => [action, detail])).toEqual([
    ['account.created', { role: 'admin', method: 'oidc' }],
    ['sign_in', { method: 'oidc' }],
    ['account.updated', { changed: ['role'], role: 'user', method: 'oidc' }],
    ['sign_in', { method: 'oidc' }],
  ])
})

test('refuses an unknown identity when accounts aren’t created automatically', async () => {
  const settings = mira.context.settings.current()
  const other = { ...settings, sign_in: { ...settings.sign_in, oidc_creates_accounts: false } }
  const spy = vi.spyOn(mira.context.settings, 'current').mockReturnValue(other)
  const { status, body } = await signIn()
  spy.mockRestore()
  expect([status, body.code]).toEqual([403, 'oidc_no_account'])
  expect((await signIn()).status).toBe(200)
})

describe('an invitation', () => {
  const asAdmin = (method: 'get' | 'post' | 'delete', path: string) =>
    mira.request[method](`/api/admin/invitations${path}`).auth(mira.admin.token, { type: 'bearer' })
  const invite = async (options: object = {}) => {
    const invitation = { email: `invited-${identityCount}@example.org`, full_name: 'Invited Person', can_upload: true }
    return (
      await asAdmin('post', '')
        .send({ ...invitation, ...options })
        .expect(201)
    ).body as { id: string; token: string }
  }
  const accept = async ({ token }: { token: string }) => {
    const settings = mira.context.settings.current()
    const other = { ...settings, sign_in: { ...settings.sign_in, oidc_creates_accounts: false, passwords: false } }
    const spy = vi.spyOn(mira.context.settings, 'current').mockReturnValue(other)
    const response = await signIn(undefined, { invitation: token })
    spy.mockRestore()
    return response
  }
  const stateOf = async (id: string) =>
    (await asAdmin('get', '').expect(200)).body.find((one: { id: string }) => one.id === id).state

  test('is accepted with its link, even when the provider gives no email address', async () => {
    const { id, token } = await invite({ role: 'guest' })
    Object.assign(provider.identity, { email: undefined, email_verified: undefined })
    const { url } = await begin({ invitation: token })
    expect(url).not.toContain(token)
    const { body } = await accept({ token })
    const me = await meOf(body.access_token)
    const email = `invited-${identityCount}@example.org`
    expect(me).toMatchObject({ email, role: 'guest', can_upload: true, has_password: false })
    expect(await stateOf(id)).toBe('accepted')
    expect((await meOf((await signIn()).body.access_token)).id).toBe(me.id)
  })

  test('isn’t accepted without its link, even with its verified email address', async () => {
    const { id } = await invite({ email: provider.identity.email, role: 'admin' })
    const { body } = await signIn()
    expect(await meOf(body.access_token)).toMatchObject({ role: 'user', can_upload: false })
    expect(await stateOf(id)).toBe('open')
  })

  test('is refused once used, revoked or expired', async () => {
    const [used, revoked, expired] = [
      await invite(),
      await invite({ email: `revoked-${identityCount}@example.org` }),
      await invite({ email: `expired-${identityCount}@example.org` }),
    ]
    expect((await accept(used)).status).toBe(200)
    await asAdmin('delete', `/${revoked.id}`).expect(204)
    await mira.context.database.prisma.invitation.update({
      where: { id: expired.id },
      data: { expiresAt: new Date(0) },
    })
    provider.identity.sub = `${provider.identity.sub}-other`
    provider.identity.email = `other-${identityCount}@example.org`
    for (const invitation of [used, revoked, expired]) {
      const { status, body } = await accept(invitation)
      expect([status, body.code]).toEqual([404, 'invitation_over'])
    }
  })

  test('takes over no account with the invited or the provider’s email address, and stays open', async () => {
    const [invitation, anna] = [await invite(), await mira.createUser()]
    provider.identity.email = anna.user.email
    const verified = await accept(invitation)
    expect([verified.status, verified.body.code]).toEqual([409, 'email_taken'])
    provider.identity.email_verified = false
    const unverified = await accept(invitation)
    expect([unverified.status, unverified.body.code]).toEqual([403, 'oidc_unverified_email'])
    provider.identity.email = `unused-${identityCount}@example.org`
    const where = { id: anna.user.id }
    await mira.context.database.prisma.user.update({ where, data: { email: `Invited-${identityCount}@example.org` } })
    const invited = await accept(invitation)
    expect([invited.status, invited.body.code]).toEqual([409, 'email_taken'])
    expect(await mira.context.database.prisma.oidcIdentity.count({ where: { userId: anna.user.id } })).toBe(0)
    expect(await stateOf(invitation.id)).toBe('open')
  })

  test('with passwords off, can be accepted with a password only when it’s for an administrator', async () => {
    const settings = mira.context.settings.current()
    const other = { ...settings, sign_in: { ...settings.sign_in, passwords: false } }
    const withPassword = ({ token }: { token: string }, username: string) =>
      mira.request.post('/api/auth/invitations/accept').send({ token, username, password: 'quiet-lantern-orchard-52' })
    const invitation = await invite()
    const ofAdmin = await invite({ email: `admin-${identityCount}@example.org`, role: 'admin' })
    const spy = vi.spyOn(mira.context.settings, 'current').mockReturnValue(other)
    const { body } = await withPassword(invitation, `invited-${identityCount}`).expect(403)
    await withPassword(ofAdmin, `admin-${identityCount}`).expect(201)
    spy.mockRestore()
    expect([body.code, await stateOf(invitation.id)]).toEqual(['passwords_off', 'open'])
  })

  test('for an administrator can be accepted only with the claim, and otherwise stays open', async () => {
    const invitation = await invite({ role: 'admin' })
    const { status, body } = await accept(invitation)
    expect([status, body.code]).toEqual([403, 'oidc_no_account'])
    expect(await stateOf(invitation.id)).toBe('open')
    provider.identity.groups = ['mira-admins']
    const accepted = await accept(invitation)
    expect(await meOf(accepted.body.access_token)).toMatchObject({ role: 'admin' })
  })
})

describe('refuses', () => {
  const expectRefused = ({ status, body }: { status: number; body: { code: string } }) =>
    expect([status, body.code]).toEqual([401, 'oidc_refused'])

  test('another state', async () => {
    expectRefused(await signIn((query) => query.set('state', 'another')))
    expectRefused(await signIn((query) => query.delete('state')))
  })

  test('another issuer, in the address and in the token', async () => {
    expectRefused(await signIn((query) => query.set('iss', 'https://evil.example')))
    provider.tamper = { claims: { iss: 'https://evil.example' } }
    expectRefused(await signIn())
  })

  test.each([
    ['another nonce', { nonce: 'another' }],
    ['no nonce', { nonce: undefined }],
    ['an expired token', { iat: 1_600_000_000, exp: 1_600_003_600 }],
    ['a token for another client', { aud: 'another' }],
  ])('%s', async (_name, claims) => {
    provider.tamper = { claims }
    expectRefused(await signIn())
  })

  test('a token signed with another key', async () => {
    provider.tamper = { isForged: true }
    expectRefused(await signIn())
  })

  test('a code that was used before, and a ticket that was used before', async () => {
    const { url, ticket } = await begin()
    const { search } = await provider.visit(url)
    await finish(ticket, search).expect(200)
    expect((await finish(ticket, search).expect(401)).body.code).toBe('sign_in_expired')
    // even if the ticket could be reused, the provider accepts its code only once
    await mira.context.database.prisma.usedTicket.deleteMany()
    expectRefused(await finish(ticket, search))
  })

  test('the response to another browser’s ticket', async () => {
    const mine = await begin()
    const theirs = await begin()
    const { search } = await provider.visit(theirs.url)
    expectRefused(await finish(mine.ticket, search))
  })

  test('a sign-in that the provider denied', async () => {
    const { ticket, url } = await begin()
    const state = new URL(url).searchParams.get('state') ?? ''
    const query = new URLSearchParams({ error: 'access_denied', state, iss: provider.issuer })
    expectRefused(await finish(ticket, `?${query.toString()}`))
  })

  test('a made-up ticket', async () => {
    expect((await finish('made-up', '?code=1&state=2').expect(401)).body.code).toBe('sign_in_expired')
  })
})

test('reports an unreachable provider', async () => {
  const isolatedApp = await startTestApp({
    environment: { PUBLIC_URL: 'https://mira.example.org', OIDC_ISSUER: 'http://127.0.0.1:9', OIDC_CLIENT_ID: 'mira' },
  })
  const { body } = await isolatedApp.request.post('/api/auth/oidc/start').expect(503)
  expect(body.code).toBe('oidc_unreachable')
  await isolatedApp.close()
})

describe('a provider with its own ways', () => {
  test('may verify an email address with the text "true"', async () => {
    const user = await mira.createUser()
    provider.tamper = { claims: { email: user.user.email, email_verified: 'true' } }
    const { body } = await signIn()
    expect((await meOf(body.access_token)).id).toBe(user.user.id)
  })

  test.each([
    ['a comma-separated text', { groups: 'staff, mira-admins' }],
    ['a single text', { groups: 'mira-admins' }],
  ])('may give groups as %s', async (_form, claims) => {
    provider.tamper = { claims }
    const { body } = await signIn()
    expect((await meOf(body.access_token)).role).toBe('admin')
  })

  test('may have a clock that’s a minute ahead', async () => {
    const seconds = Math.floor(Date.now() / 1000) + 60
    provider.tamper = { claims: { iat: seconds, nbf: seconds } }
    expect((await signIn()).status).toBe(200)
  })
})
