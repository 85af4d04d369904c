import type { PasskeyJson, PasskeyOptions } from '@mira/shared'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSoftAuthenticator, type Deviation } from '../../../../test/soft-authenticator.ts'
import { newAddress } from '../../../../test/test-accounts.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'

const PUBLIC = { host: 'mira.example.org', origin: 'https://mira.example.org' }

let mira: TestApp
beforeAll(async () => {
  mira = await startTestApp({ environment: { PUBLIC_URL: PUBLIC.origin, TRUST_PROXY: 'true' } })
})
afterAll(() => mira.close())

const as = ({ token }: TestAccount, method: 'get' | 'post' | 'patch' | 'delete', path: string) =>
  mira.request[method](`/api${path}`).auth(token, { type: 'bearer' })

type Challenge = PasskeyOptions & { options: { challenge: string } }

async function addPasskey(account: TestAccount, name = 'My phone') {
  const device = createSoftAuthenticator(PUBLIC)
  const { body } = await as(account, 'post', '/auth/passkeys/registration').send({}).expect(200)
  const { ticket, options } = body as Challenge
  const response = await as(account, 'post', '/auth/passkeys')
    .send({ ticket, name, response: device.register(options) })
    .expect(201)
  return { device, passkey: response.body as PasskeyJson }
}

const begin = async (): Promise<Challenge> => (await mira.request.post('/api/auth/passkeys/options').expect(200)).body

type Device = ReturnType<typeof createSoftAuthenticator>

async function signIn(device: Device, deviation: Deviation = {}, address = newAddress()) {
  const { ticket, options } = await begin()
  const body = { ticket, response: device.signIn(options, deviation) }
  return mira.request.post('/api/auth/passkeys/sign-in').set('x-forwarded-for', address).send(body)
}

test('a passkey signs its holder in, without a password or a code', async () => {
  const anna = await mira.createUser()
  const { device, passkey } = await addPasskey(anna)
  expect(passkey).toMatchObject({ name: 'My phone', host: 'mira.example.org', last_used_at: null })

  const answer = await signIn(device)
  expect([answer.status, answer.body]).toEqual([
    200,
    { access_token: expect.any(String), token_type: 'bearer', expires_in: 30 * 24 * 60 * 60 },
  ])
  const token = answer.body.access_token as string
  const me = await mira.request.get('/api/auth/me').auth(token, { type: 'bearer' }).expect(200)
  expect(me.body.id).toBe(anna.user.id)
  const sessions = await mira.request.get('/api/auth/sessions').auth(token, { type: 'bearer' }).expect(200)
  expect(sessions.body.find((session: { current: boolean }) => session.current)).toMatchObject({ method: 'passkey' })
  const list = await as(anna, 'get', '/auth/passkeys').expect(200)
  expect(list.body).toEqual([{ ...passkey, last_used_at: expect.any(String) }])
})

test('passkeys are renamed and removed, and a removed one opens nothing', async () => {
  const anna = await mira.createUser()
  const { device, passkey } = await addPasskey(anna)
  const renamed = await as(anna, 'patch', `/auth/passkeys/${passkey.id}`).send({ name: 'Old phone' }).expect(200)
  expect(renamed.body).toEqual({ ...passkey, name: 'Old phone' })
  await as(anna, 'delete', `/auth/passkeys/${passkey.id}`).expect(204)
  expect((await signIn(device)).status).toBe(401)
  expect((await as(anna, 'get', '/auth/passkeys').expect(200)).body).toEqual([])
})

describe('is refused', () => {
  let device: Device
  let anna: TestAccount
  beforeAll(async () => {
    anna = await mira.createUser()
    device = (await addPasskey(anna)).device
  })

  test.each<[string, Deviation]>([
    ['an answer that another page asked for', { origin: 'https://evil.example' }],
    ['an answer to another challenge', { challenge: 'AAAA' }],
    ['a device that did not check its holder', { isVerified: false }],
    ['a device that says it was used as often as before: a copy of it may be about', { counter: 0 }],
  ])('%s', async (_name, deviation) => {
    expect((await signIn(device)).status).toBe(200)
    const { status, body } = await signIn(device, deviation)
    expect([status, body.code]).toEqual([401, 'cannot_sign_in'])
  })

  test('an answer that was used before', async () => {
    const { ticket, options } = await begin()
    const send = () =>
      mira.request.post('/api/auth/passkeys/sign-in').send({ ticket, response: device.signIn(options) })
    await send().expect(200)
    const again = await send().expect(401)
    expect(again.body.code).toBe('sign_in_expired')
  })

  test('a ticket that was made for something else, or by somebody else', async () => {
    const { body } = await as(anna, 'post', '/auth/passkeys/registration').send({}).expect(200)
    const response = device.signIn(body.options)
    for (const ticket of [body.ticket, `${body.ticket.slice(0, -2)}AA`, 'nonsense']) {
      await mira.request.post('/api/auth/passkeys/sign-in').send({ ticket, response }).expect(401)
    }
    const ben = await mira.createUser()
    const stolen = { ticket: body.ticket, name: 'Mine', response: device.register(body.options) }
    await as(ben, 'post', '/auth/passkeys').send(stolen).expect(401)
  })

  test('a passkey of an account that was disabled', async () => {
    const deletedUser = await mira.createUser()
    const added = await addPasskey(deletedUser)
    await mira.context.database.prisma.user.update({ where: { id: deletedUser.user.id }, data: { isActive: false } })
    expect((await signIn(added.device)).status).toBe(401)
  })

  test('an address that tried a device nobody knows thirty times in a minute', async () => {
    const address = newAddress()
    const stranger = createSoftAuthenticator(PUBLIC)
    for (let n = 0; n < 30; n++) expect((await signIn(stranger, {}, address)).status).toBe(401)
    expect((await signIn(stranger, {}, address)).status).toBe(429)
    expect((await signIn(device)).status).toBe(200)
  })
})

test('who signed in longer ago gives their password before they add a passkey', async () => {
  const anna = await mira.createUser()
  const { prisma } = mira.context.database
  const createdAt = new Date(Date.now() - 11 * 60_000)
  await prisma.authSession.updateMany({ where: { userId: anna.user.id }, data: { createdAt } })
  const ask = (body: object) => as(anna, 'post', '/auth/passkeys/registration').send(body)
  expect((await ask({}).expect(403)).body.code).toBe('confirmation_required')
  expect((await ask({ current_password: 'not the password' }).expect(403)).body.code).toBe('wrong_password')
  await ask({ current_password: anna.password }).expect(200)
})

test('a personal API token reads and adds no passkeys', async () => {
  const anna = await mira.createUser()
  const response = await as(anna, 'post', '/auth/tokens').send({ name: 'a script' }).expect(201)
  const script = { ...anna, token: response.body.token as string }
  await as(script, 'get', '/auth/passkeys').expect(403)
  await as(script, 'post', '/auth/passkeys/registration').send({}).expect(403)
})

test('what may be signed in with is told before anybody signs in', async () => {
  const { body } = await mira.request.get('/api/config').expect(200)
  expect(body.sign_in).toEqual({ password: true, passkeys: true, oidc: null })
})
