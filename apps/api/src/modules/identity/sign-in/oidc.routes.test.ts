import type { OidcStart } from '@mira/shared'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type OidcServer, startOidcServer } from '../../../../test/oidc-server.ts'
import { startTestApp, type TestApp } from '../../../../test/test-app.ts'
import { MCP_SERVERS_CHANNEL } from '../access-items/access-items.service.ts'

const PUBLIC_URL = 'https://mira.example.org'

let provider: OidcServer
let mira: TestApp
beforeAll(async () => {
  provider = await startOidcServer(`${PUBLIC_URL}/login/oidc`)
  mira = await startTestApp({
    environment: {
      ...{ PUBLIC_URL, TRUST_PROXY: 'true', OIDC_ISSUER: provider.issuer, OIDC_CLIENT_ID: provider.clientId },
      ...{ OIDC_CLIENT_SECRET: provider.clientSecret, OIDC_NAME: 'Our house' },
      OIDC_ADMIN_CLAIM: 'groups=mira-admins',
    },
  })
})
let people = 0
beforeEach(() => {
  people += 1
  const name = `person-${people}`
  provider.tamper = null
  provider.person = {
    ...{ sub: `sub-${people}`, email: `${name}@example.org`, email_verified: true },
    ...{ name: `Person ${people}`, preferred_username: name },
  }
})
afterAll(async () => {
  await mira.close()
  await provider.close()
})

const begin = async (body?: { invitation?: string }): Promise<OidcStart> =>
  (await mira.request.post('/api/auth/oidc/start').send(body).expect(200)).body
/** Failures count against an address, so each call comes from one of its own. */
let lastAddress = 0
const finish = (ticket: string, query: string) =>
  mira.request
    .post('/api/auth/oidc/finish')
    .set('x-forwarded-for', `198.51.100.${++lastAddress}`)
    .send({ ticket, query })

/** The whole way, as a browser goes it; `change` meddles with what comes back. */
async function signIn(change: (query: URLSearchParams) => void = () => {}, body?: { invitation?: string }) {
  const { url, ticket } = await begin(body)
  const returned = await provider.visit(url)
  expect(`${returned.origin}${returned.pathname}`).toBe(`${PUBLIC_URL}/login/oidc`)
  change(returned.searchParams)
  return finish(ticket, returned.search)
}

const meOf = async (token: string) =>
  (await mira.request.get('/api/auth/me').auth(token, { type: 'bearer' }).expect(200)).body

test('the page is told how the provider is called', async () => {
  const { body } = await mira.request.get('/api/config').expect(200)
  expect(body.sign_in.oidc).toEqual({ name: 'Our house' })
})

test('the first sign-in makes an account with name and address, and the next one finds it again', async () => {
  const first = await signIn()
  expect(first.status).toBe(200)
  const me = await meOf(first.body.access_token)
  expect(me).toMatchObject({
    username: `person-${people}`,
    email: `person-${people}@example.org`,
    full_name: `Person ${people}`,
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

test('an account without a password confirms by a recent sign-in in place of one', async () => {
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

test('a name that is taken gets a number', async () => {
  const otherUser = await mira.createUser()
  provider.person.preferred_username = otherUser.user.username.toUpperCase()
  const { body } = await signIn()
  expect((await meOf(body.access_token)).username).toBe(`${otherUser.user.username.toUpperCase()}-2`)
})

describe('an account that is there already', () => {
  test('is signed in to when the provider vouches for its address', async () => {
    const anna = await mira.createUser()
    provider.person.email = anna.user.email.toUpperCase()
    const { body } = await signIn()
    expect(await meOf(body.access_token)).toMatchObject({ id: anna.user.id, has_password: true })
  })

  test('is not when the provider does not', async () => {
    const anna = await mira.createUser()
    Object.assign(provider.person, { email: anna.user.email, email_verified: false })
    const { status, body } = await signIn()
    expect([status, body.code]).toEqual([403, 'oidc_unverified_email'])
  })

  test('is not by a second person of the provider', async () => {
    const anna = await mira.createUser()
    provider.person.email = anna.user.email
    expect((await signIn()).status).toBe(200)
    provider.person.sub = `${provider.person.sub}-other`
    const { status, body } = await signIn()
    expect([status, body.code]).toEqual([403, 'oidc_other_identity'])
  })

  test('opens nothing while it is disabled', async () => {
    const { body } = await signIn()
    const { id } = await meOf(body.access_token)
    await mira.context.database.prisma.user.update({ where: { id }, data: { isActive: false } })
    expect((await signIn()).status).toBe(401)
  })
})

test('an address that no account can have is said to be invalid, not missing', async () => {
  provider.person.email = 'root@localhost'
  const { status, body } = await signIn()
  expect([status, body.code]).toEqual([403, 'oidc_no_email'])
  expect(body.detail).toContain('didn’t share a valid email address')
})

test('the claim makes administrators, and takes that back', async () => {
  provider.person.groups = ['staff', 'mira-admins']
  const first = await signIn()
  expect(await meOf(first.body.access_token)).toMatchObject({ role: 'admin' })
  provider.person.groups = ['staff']
  const published = vi.spyOn(mira.context.events, 'publish')
  const notified = vi.spyOn(mira.context.database, 'notify')
  const second = await signIn()
  const person = await meOf(second.body.access_token)
  expect(person).toMatchObject({ role: 'user' })
  // open pages and other servers hear of it
  expect(published).toHaveBeenCalledWith(person.id, { type: 'account.updated' })
  expect(notified).toHaveBeenCalledWith(MCP_SERVERS_CHANNEL, '')
  published.mockRestore()
  notified.mockRestore()
  const lines = await mira.context.database.prisma.auditEntry.findMany({
    where: { subjectId: person.id },
    orderBy: { id: 'asc' },
  })
  expect(lines.map(({ action, detail }) => [action, detail])).toEqual([
    ['account.created', { role: 'admin', method: 'oidc' }],
    ['sign_in', { method: 'oidc' }],
    ['account.updated', { changed: ['role'], role: 'user', method: 'oidc' }],
    ['sign_in', { method: 'oidc' }],
  ])
})

test('where accounts are not made by themselves, a stranger stays outside', async () => {
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
    const invitation = { email: `invited-${people}@example.org`, full_name: 'Invited Person', can_upload: true }
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

  test('is accepted by its link, whatever the provider says of the address', async () => {
    const { id, token } = await invite({ role: 'guest' })
    Object.assign(provider.person, { email: undefined, email_verified: undefined })
    const { url } = await begin({ invitation: token })
    expect(url).not.toContain(token)
    const { body } = await accept({ token })
    const me = await meOf(body.access_token)
    const email = `invited-${people}@example.org`
    expect(me).toMatchObject({ email, role: 'guest', can_upload: true, has_password: false })
    expect(await stateOf(id)).toBe('accepted')
    expect((await meOf((await signIn()).body.access_token)).id).toBe(me.id)
  })

  test('is not accepted without its link, not even by its verified address', async () => {
    const { id } = await invite({ email: provider.person.email, role: 'admin' })
    const { body } = await signIn()
    expect(await meOf(body.access_token)).toMatchObject({ role: 'user', can_upload: false })
    expect(await stateOf(id)).toBe('open')
  })

  test('lets nobody in once it was used, was revoked or has expired', async () => {
    const [used, revoked, expired] = [
      await invite(),
      await invite({ email: `revoked-${people}@example.org` }),
      await invite({ email: `expired-${people}@example.org` }),
    ]
    expect((await accept(used)).status).toBe(200)
    await asAdmin('delete', `/${revoked.id}`).expect(204)
    await mira.context.database.prisma.invitation.update({
      where: { id: expired.id },
      data: { expiresAt: new Date(0) },
    })
    provider.person.sub = `${provider.person.sub}-other`
    provider.person.email = `other-${people}@example.org`
    for (const invitation of [used, revoked, expired]) {
      const { status, body } = await accept(invitation)
      expect([status, body.code]).toEqual([404, 'invitation_over'])
    }
  })

  test('takes over no account, neither of the invited address nor of the provider’s, and stays open', async () => {
    const [invitation, anna] = [await invite(), await mira.createUser()]
    provider.person.email = anna.user.email
    const verified = await accept(invitation)
    expect([verified.status, verified.body.code]).toEqual([409, 'email_taken'])
    provider.person.email_verified = false
    const unverified = await accept(invitation)
    expect([unverified.status, unverified.body.code]).toEqual([403, 'oidc_unverified_email'])
    provider.person.email = `unused-${people}@example.org`
    const where = { id: anna.user.id }
    await mira.context.database.prisma.user.update({ where, data: { email: `Invited-${people}@example.org` } })
    const invited = await accept(invitation)
    expect([invited.status, invited.body.code]).toEqual([409, 'email_taken'])
    expect(await mira.context.database.prisma.oidcIdentity.count({ where: { userId: anna.user.id } })).toBe(0)
    expect(await stateOf(invitation.id)).toBe('open')
  })

  test('where passwords are off, is only accepted with one when it is for an administrator', async () => {
    const settings = mira.context.settings.current()
    const other = { ...settings, sign_in: { ...settings.sign_in, passwords: false } }
    const withPassword = ({ token }: { token: string }, username: string) =>
      mira.request.post('/api/auth/invitations/accept').send({ token, username, password: 'quiet-lantern-orchard-52' })
    const invitation = await invite()
    const ofAdmin = await invite({ email: `admin-${people}@example.org`, role: 'admin' })
    const spy = vi.spyOn(mira.context.settings, 'current').mockReturnValue(other)
    const { body } = await withPassword(invitation, `invited-${people}`).expect(403)
    await withPassword(ofAdmin, `admin-${people}`).expect(201)
    spy.mockRestore()
    expect([body.code, await stateOf(invitation.id)]).toEqual(['passwords_off', 'open'])
  })

  test('as administrator is accepted as the claim says, and stays open without it', async () => {
    const invitation = await invite({ role: 'admin' })
    const { status, body } = await accept(invitation)
    expect([status, body.code]).toEqual([403, 'oidc_no_account'])
    expect(await stateOf(invitation.id)).toBe('open')
    provider.person.groups = ['mira-admins']
    const accepted = await accept(invitation)
    expect(await meOf(accepted.body.access_token)).toMatchObject({ role: 'admin' })
  })
})

describe('is refused', () => {
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
    ['a token that is over', { iat: 1_600_000_000, exp: 1_600_003_600 }],
    ['a token for another program', { aud: 'another' }],
  ])('%s', async (_name, claims) => {
    provider.tamper = { claims }
    expectRefused(await signIn())
  })

  test('a token that a stranger signed', async () => {
    provider.tamper = { isForged: true }
    expectRefused(await signIn())
  })

  test('a code that was used before, and a ticket that was used before', async () => {
    const { url, ticket } = await begin()
    const { search } = await provider.visit(url)
    await finish(ticket, search).expect(200)
    expect((await finish(ticket, search).expect(401)).body.code).toBe('sign_in_expired')
    // even if the ticket were taken again, the provider takes its code once
    await mira.context.database.prisma.usedTicket.deleteMany()
    expectRefused(await finish(ticket, search))
  })

  test('what somebody else brought back: their browser has another ticket', async () => {
    const mine = await begin()
    const theirs = await begin()
    const { search } = await provider.visit(theirs.url)
    expectRefused(await finish(mine.ticket, search))
  })

  test('a refusal of the provider', async () => {
    const { ticket, url } = await begin()
    const state = new URL(url).searchParams.get('state') ?? ''
    const query = new URLSearchParams({ error: 'access_denied', state, iss: provider.issuer })
    expectRefused(await finish(ticket, `?${query.toString()}`))
  })

  test('a ticket that was made up', async () => {
    expect((await finish('made-up', '?code=1&state=2').expect(401)).body.code).toBe('sign_in_expired')
  })
})

test('a provider that does not answer is said to be away', async () => {
  const lonely = await startTestApp({
    environment: { PUBLIC_URL, OIDC_ISSUER: 'http://127.0.0.1:9', OIDC_CLIENT_ID: 'mira' },
  })
  const { body } = await lonely.request.post('/api/auth/oidc/start').expect(503)
  expect(body.code).toBe('oidc_unreachable')
  await lonely.close()
})

describe('a provider in its own way', () => {
  test('vouches for an address with the text "true"', async () => {
    const user = await mira.createUser()
    provider.tamper = { claims: { email: user.user.email, email_verified: 'true' } }
    const { body } = await signIn()
    expect((await meOf(body.access_token)).id).toBe(user.user.id)
  })

  test.each([
    ['a text with commas', { groups: 'staff, mira-admins' }],
    ['one text', { groups: 'mira-admins' }],
  ])('tells groups as %s', async (_how, claims) => {
    provider.tamper = { claims }
    const { body } = await signIn()
    expect((await meOf(body.access_token)).role).toBe('admin')
  })

  test('whose clock is a minute ahead lets people in', async () => {
    const seconds = Math.floor(Date.now() / 1000) + 60
    provider.tamper = { claims: { iat: seconds, nbf: seconds } }
    expect((await signIn()).status).toBe(200)
  })
})
