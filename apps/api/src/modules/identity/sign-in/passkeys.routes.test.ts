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

test('a passkey signs its user in without a password or a code', async () => {
  const anna = await mira.createUser()
  const { device, passkey } = await addPasskey(anna)
  expect(passkey).toMatchObject({ name: 'My phone', host: 'mira.example.org', last_used_at: null })

  const response = await signIn(device)
  expect([response.status, response.body]).toEqual([
    200,
    { access_token: expect.any(String), token_type: 'bearer', expires_in: 30 * 24 * 60 * 60 },
  ])
  const token = response.body.access_token as string
  const me = await mira.request.get('/api/auth/me').auth(token, { type: 'bearer' }).expect(200)
  expect(me.body.id).toBe(anna.user.id)
  const sessions = await mira.request.get('/api/auth/sessions').auth(token, { type: 'bearer' }).expect(200)
  expect(sessions.body.find((session: { current: boolean }) => session.current)).toMatchObject({ method: 'passkey' })
  const list = await as(anna, 'get', '/auth/passkeys').expect(200)
  expect(list.body).toEqual([{ ...passkey, last_used_at: expect.any(String) }])
})

test('passkeys can be renamed and removed, and a removed one no longer signs in', async () => {
  const anna = await mira.createUser()
  const { device, passkey } = await addPasskey(anna)
  const renamed = await as(anna, 'patch', `/auth/passkeys/${passkey.id}`).send({ name: 'Old phone' }).expect(200)
  expect(renamed.body).toEqual({ ...passkey, name: 'Old phone' })
  await as(anna, 'delete', `/auth/passkeys/${passkey.id}`).expect(204)
  expect((await signIn(device)).status).toBe(401)
  expect((await as(anna, 'get', '/auth/passkeys').expect(200)).body).toEqual([])
})

describe('refuses', () => {
  let device: Device
  let anna: TestAccount
  beforeAll(async () => {
    anna = await mira.createUser()
    device = (await addPasskey(anna)).device
  })

  test.each<[string, Deviation]>([
    ['a response made for another origin', { origin: 'https://evil.example' }],
    ['a response to another challenge', { challenge: 'AAAA' }],
    ['a response without user verification', { isVerified: false }],
    ['a response whose counter hasn’t increased, which may be from a cloned device', { counter: 0 }],
  ])('%s', async (_name, deviation) => {
    expect((await signIn(device)).status).toBe(200)
    const { status, body } = await signIn(device, deviation)
    expect([status, body.code]).toEqual([401, 'cannot_sign_in'])
  })

  test('a response that was used before', async () => {
    const { ticket, options } = await begin()
    const send = () =>
      mira.request.post('/api/auth/passkeys/sign-in').send({ ticket, response: device.signIn(options) })
    await send().expect(200)
    const again = await send().expect(401)
    expect(again.body.code).toBe('sign_in_expired')
  })

  test('a ticket for another purpose, a forged one, and another user’s', async () => {
    const { body } = await as(anna, 'post', '/auth/passkeys/registration').send({}).expect(200)
    const response = device.signIn(body.options)
    for (const ticket of [body.ticket, `${body.ticket.slice(0, -2)}AA`, 'nonsense']) {
      await mira.request.post('/api/auth/passkeys/sign-in').send({ ticket, response }).expect(401)
    }
    const ben = await mira.createUser()
    const stolen = { ticket: body.ticket, name: 'Mine', response: device.register(body.options) }
    await as(ben, 'post', '/auth/passkeys').send(stolen).expect(401)
  })

  test('a passkey of a disabled account', async () => {
    const disabledUser = await mira.createUser()
    const added = await addPasskey(disabledUser)
    await mira.context.database.prisma.user.update({ where: { id: disabledUser.user.id }, data: { isActive: false } })
    expect((await signIn(added.device)).status).toBe(401)
  })

  test('an IP address after thirty attempts with an unknown device in a minute', async () => {
    const address = newAddress()
    const stranger = createSoftAuthenticator(PUBLIC)
    for (let n = 0; n < 30; n++) expect((await signIn(stranger, {}, address)).status).toBe(401)
    expect((await signIn(stranger, {}, address)).status).toBe(429)
    expect((await signIn(device)).status).toBe(200)
  })
})

test('adding a passkey requires the password when the sign-in isn’t recent', async () => {
  const anna = await mira.createUser()
  const { prisma } = mira.context.database
  const createdAt = new Date(Date.now() - 11 * 60_000)
  await prisma.authSession.updateMany({ where: { userId: anna.user.id }, data: { createdAt } })
  const ask = (body: object) => as(anna, 'post', '/auth/passkeys/registration').send(body)
  expect((await ask({}).expect(403)).body.code).toBe('confirmation_required')
  expect((await ask({ current_password: 'not the password' }).expect(403)).body.code).toBe('wrong_password')
  await ask({ current_password: anna.password }).expect(200)
})

test('a personal API token can neither list nor add passkeys', async () => {
  const anna = await mira.createUser()
  const response = await as(anna, 'post', '/auth/tokens').send({ name: 'a script' }).expect(201)
  const script = { ...anna, token: response.body.token as string }
  await as(script, 'get', '/auth/passkeys').expect(403)
  await as(script, 'post', '/auth/passkeys/registration').send({}).expect(403)
})

test('the public config contains the sign-in methods', async () => {
  const { body } = await mira.request.get('/api/config').expect(200)
  expect(body.sign_in).toEqual({ password: true, passkeys: true, oidc: null })
})
