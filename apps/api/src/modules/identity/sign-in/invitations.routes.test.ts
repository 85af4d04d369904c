import type { InvitationJson } from '@mira/shared'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { newAddress } from '../../../../test/test-accounts.ts'
import { startTestApp, type TestApp } from '../../../../test/test-app.ts'

const PASSWORD = 'quiet-lantern-orchard-52'

let mira: TestApp
beforeAll(async () => {
  mira = await startTestApp({ environment: { TRUST_PROXY: 'true' } })
})
afterAll(() => mira.close())

const asAdmin = (method: 'get' | 'post' | 'delete', path: string) =>
  mira.request[method](`/api${path}`).auth(mira.admin.token, { type: 'bearer' })

const open = (step: 'look' | 'accept', body: object, address = newAddress()) =>
  mira.request.post(`/api/auth/invitations/${step}`).set('x-forwarded-for', address).send(body)

let invitationCount = 0
async function invite(options: object = {}): Promise<InvitationJson & { token: string }> {
  invitationCount += 1
  const body = { email: `invited-${invitationCount}@example.org`, can_upload: true, ...options }
  return (await asAdmin('post', '/admin/invitations').send(body).expect(201)).body
}

test('an invited user chooses a username and password, and is signed in with the granted permissions', async () => {
  const { token, ...invitation } = await invite({ full_name: 'Invited Person' })
  expect(invitation).toMatchObject({ state: 'open', invited_by: 'admin', role: 'user', can_upload: true })
  expect((await open('look', { token }).expect(200)).body).toEqual({
    email: invitation.email,
    full_name: 'Invited Person',
    role: 'user',
    invited_by: 'admin',
    expires_at: invitation.expires_at,
  })
  const username = `invited${invitationCount}`
  const { body } = await open('accept', { token, username, password: PASSWORD }).expect(201)
  const me = await mira.request.get('/api/auth/me').auth(body.access_token, { type: 'bearer' }).expect(200)
  expect(me.body).toMatchObject({
    username,
    email: invitation.email,
    full_name: 'Invited Person',
    can_chat: true,
    can_upload: true,
    can_use_agents: false,
    must_change_password: false,
  })
  await mira.signIn(username, PASSWORD)
  const list = await asAdmin('get', '/admin/invitations').expect(200)
  expect(list.body[0]).toEqual({ ...invitation, state: 'accepted' })
})

test('the audit log records invitations, their revocation, and the resulting account', async () => {
  const [{ token, email }, revoked] = [await invite(), await invite()]
  await asAdmin('delete', `/admin/invitations/${revoked.id}`).expect(204)
  const username = `welcome${invitationCount}`
  await open('accept', { token, username, password: PASSWORD }).expect(201)
  const { entries } = (await asAdmin('get', '/admin/audit?limit=5').expect(200)).body
  const by = { actor_name: 'admin', via: 'session', outcome: 'done' }
  expect(entries).toMatchObject([
    { action: 'sign_in', actor_name: username, detail: { method: 'invitation' } },
    { action: 'account.created', actor_name: username, detail: { role: 'user', method: 'invitation' } },
    { ...by, action: 'invitation.revoked', subject_name: revoked.email },
    { ...by, action: 'invitation.made', subject_name: revoked.email, detail: { role: 'user' } },
    { ...by, action: 'invitation.made', subject_name: email },
  ])
})

describe('an invitation is invalid', () => {
  const expectInvalid = async (token: string) => {
    expect((await open('look', { token }).expect(404)).body.code).toBe('invitation_over')
    const input = { token, username: `late${invitationCount}`, password: PASSWORD }
    expect((await open('accept', input).expect(404)).body.code).toBe('invitation_over')
  }

  test('once accepted, even when two accept concurrently', async () => {
    const { token } = await invite()
    const names = [`first${invitationCount}`, `second${invitationCount}`]
    const responses = await Promise.all(
      names.map((username) => open('accept', { token, username, password: PASSWORD })),
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 404])
    await expectInvalid(token)
  })

  test('once revoked', async () => {
    const { id, token } = await invite()
    await asAdmin('delete', `/admin/invitations/${id}`).expect(204)
    await expectInvalid(token)
    await asAdmin('delete', `/admin/invitations/${id}`).expect(404)
    expect((await asAdmin('get', '/admin/invitations').expect(200)).body[0]).toMatchObject({ id, state: 'revoked' })
  })

  test('once expired', async () => {
    const { id, token } = await invite({ expires_in_days: 1 })
    await mira.context.database.prisma.invitation.update({ where: { id }, data: { expiresAt: new Date(0) } })
    await expectInvalid(token)
    expect((await asAdmin('get', '/admin/invitations').expect(200)).body[0]).toMatchObject({ id, state: 'expired' })
  })

  test('with a guessed token, of which 30 per minute may be tried', async () => {
    await invite()
    const address = newAddress()
    for (let n = 0; n < 30; n++) await open('look', { token: 'A'.repeat(43) }, address).expect(404)
    await open('look', { token: 'A'.repeat(43) }, address).expect(429)
  })
})

test.each([
  ['short', 'kx9!vQ2#mP', /at least 12 characters/],
  ['easy to guess', 'password12345', /too easy to guess/],
])('refuses a password that is %s, and leaves the invitation open', async (_name, password, message) => {
  const { token } = await invite()
  const { body } = await open('accept', { token, username: `weak${invitationCount}`, password }).expect(422)
  expect(body.errors).toEqual([{ path: 'password', message: expect.stringMatching(message) }])
  await open('look', { token }).expect(200)
})

test('with passwords off and without a provider, an invitation can be accepted with a password', async () => {
  const { token } = await invite()
  const settings = mira.context.settings.current()
  const other = { ...settings, sign_in: { ...settings.sign_in, passwords: false } }
  const spy = vi.spyOn(mira.context.settings, 'current').mockReturnValue(other)
  await open('accept', { token, username: `invited${invitationCount}`, password: PASSWORD }).expect(201)
  spy.mockRestore()
})

test('a taken username leaves the invitation open', async () => {
  const { token } = await invite()
  await open('accept', { token, username: 'ADMIN', password: PASSWORD }).expect(409)
  await open('look', { token }).expect(200)
})

test('the link’s secret is returned once and stored only as a hash', async () => {
  const { token } = await invite()
  const list = await asAdmin('get', '/admin/invitations').expect(200)
  expect(JSON.stringify(list.body)).not.toContain(token)
  const { rows } = await mira.context.database.pool.query<{ row: string }>('SELECT i::text AS row FROM invitations i')
  expect(rows.map(({ row }) => row).join()).not.toContain(token)
})

test('refuses to invite the email address of an existing account', async () => {
  const { user } = await mira.createUser()
  const response = await asAdmin('post', '/admin/invitations').send({ email: user.email.toUpperCase() }).expect(409)
  expect(response.body.errors).toEqual([{ path: 'email', message: expect.stringContaining('taken') }])
})

test('a personal API token can’t invite', async () => {
  const { body } = await asAdmin('post', '/auth/tokens').send({ name: 'a script' }).expect(201)
  const response = await mira.request
    .post('/api/admin/invitations')
    .auth(body.token, { type: 'bearer' })
    .send({ email: 'somebody@example.org', role: 'admin' })
  expect(response.status).toBe(403)
})
