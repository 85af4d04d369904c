import { Secret, TOTP } from 'otpauth'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { newAddress } from '../../../../test/test-accounts.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'

const STEP_MS = 30_000

let mira: TestApp
beforeAll(async () => {
  mira = await startTestApp({ environment: { TRUST_PROXY: 'true' } })
})
afterEach(() => {
  vi.useRealTimers()
})
afterAll(() => mira.close())

const as = ({ token }: TestAccount, method: 'get' | 'post' | 'delete', path: string) =>
  mira.request[method](`/api${path}`).auth(token, { type: 'bearer' })

/** The app's code some steps from now. */
const codeOf = (secret: string, steps = 0) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * STEP_MS })

/** Advances the clock by a step, since each code is accepted once. */
function nextStep(): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + STEP_MS })
}

async function turnOn(account: TestAccount) {
  const { body } = await as(account, 'post', '/auth/totp').send({}).expect(200)
  const { secret, uri } = body as { secret: string; uri: string }
  const confirmed = await as(account, 'post', '/auth/totp/confirm')
    .send({ code: codeOf(secret) })
    .expect(200)
  return { secret, uri, recoveryCodes: confirmed.body.recovery_codes as string[] }
}

const login = ({ user, password }: TestAccount) =>
  mira.request
    .post('/api/auth/login')
    .set('x-forwarded-for', newAddress())
    .type('form')
    .send({ username: user.username, password })

async function challengeOf(account: TestAccount): Promise<string> {
  const { body } = await login(account).expect(202)
  expect(body).toEqual({ challenge: expect.any(String), expires_in: 300 })
  return body.challenge
}

const signIn = (challenge: string, code: string, address = newAddress()) =>
  mira.request.post('/api/auth/totp/sign-in').set('x-forwarded-for', address).send({ challenge, code })

test('with codes on, signing in requires the password and a code', async () => {
  const anna = await mira.createUser()
  const { secret, uri, recoveryCodes } = await turnOn(anna)
  expect(uri).toContain(`otpauth://totp/Mira:${anna.user.username}?issuer=Mira&secret=${secret}`)
  expect(recoveryCodes).toHaveLength(10)
  expect((await as(anna, 'get', '/auth/totp').expect(200)).body).toEqual({ enabled: true, recovery_codes_left: 10 })

  nextStep()
  const { body } = await signIn(await challengeOf(anna), codeOf(secret)).expect(200)
  const me = await mira.request.get('/api/auth/me').auth(body.access_token, { type: 'bearer' }).expect(200)
  expect(me.body.id).toBe(anna.user.id)
})

test('of two concurrent confirmations, one succeeds and returns the valid recovery codes', async () => {
  const anna = await mira.createUser()
  const { body } = await as(anna, 'post', '/auth/totp').send({}).expect(200)
  const confirm = (steps: number) => as(anna, 'post', '/auth/totp/confirm').send({ code: codeOf(body.secret, steps) })
  const both = await Promise.all([confirm(-1), confirm(0)])
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
  const [code] = both.flatMap(({ body }) => body.recovery_codes ?? []) as [string]
  await signIn(await challengeOf(anna), code).expect(200)
})

test('a challenge isn’t accepted as a token', async () => {
  const anna = await mira.createUser()
  await turnOn(anna)
  const challenge = await challengeOf(anna)
  await mira.request.get('/api/auth/me').auth(challenge, { type: 'bearer' }).expect(401)
})

test('tolerates a difference of half a minute between the app’s and the server’s clocks, and no more', async () => {
  const anna = await mira.createUser()
  const { secret } = await turnOn(anna)
  nextStep()
  await signIn(await challengeOf(anna), codeOf(secret, 1)).expect(200)
  const ben = await mira.createUser()
  const other = await turnOn(ben)
  nextStep()
  const challenge = await challengeOf(ben)
  await signIn(challenge, codeOf(other.secret, 2)).expect(401)
  await signIn(challenge, codeOf(other.secret, -2)).expect(401)
})

test('accepts a code only once, even concurrently, and no older one after it', async () => {
  const anna = await mira.createUser()
  const { secret } = await turnOn(anna)
  const [one, two] = [await challengeOf(anna), await challengeOf(anna)]
  // this code was already used to turn codes on
  await signIn(one, codeOf(secret)).expect(401)
  nextStep()
  const code = codeOf(secret)
  const responses = await Promise.all([signIn(one, code), signIn(two, code)])
  expect(responses.map(({ status }) => status).sort()).toEqual([200, 401])
  await signIn(await challengeOf(anna), code).expect(401)
  await signIn(await challengeOf(anna), codeOf(secret, -1)).expect(401)
})

test('a recovery code works once, in any case and with any separator', async () => {
  const anna = await mira.createUser()
  const { recoveryCodes } = await turnOn(anna)
  const code = recoveryCodes[3]!
  await signIn(await challengeOf(anna), ` ${code.toUpperCase().replace('-', ' ')} `).expect(200)
  expect((await signIn(await challengeOf(anna), code).expect(401)).body.code).toBe('wrong_code')
  expect((await as(anna, 'get', '/auth/totp').expect(200)).body.recovery_codes_left).toBe(9)
})

test('refuses another user’s and replaced recovery codes', async () => {
  const anna = await mira.createUser()
  const ben = await mira.createUser()
  const { recoveryCodes } = await turnOn(anna)
  await turnOn(ben)
  await signIn(await challengeOf(ben), recoveryCodes[0]!).expect(401)
  const { body } = await as(anna, 'post', '/auth/totp/recovery-codes').send({}).expect(200)
  await signIn(await challengeOf(anna), recoveryCodes[0]!).expect(401)
  await signIn(await challengeOf(anna), body.recovery_codes[0]).expect(200)
})

test('a challenge expires after five minutes and works once', async () => {
  const anna = await mira.createUser()
  const { secret, recoveryCodes } = await turnOn(anna)
  const late = await challengeOf(anna)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 301_000 })
  expect((await signIn(late, codeOf(secret)).expect(401)).body.code).toBe('sign_in_expired')
  const challenge = await challengeOf(anna)
  await signIn(challenge, codeOf(secret)).expect(200)
  expect((await signIn(challenge, recoveryCodes[0]!).expect(401)).body.code).toBe('sign_in_expired')
})

test('a challenge is invalid once the password has changed', async () => {
  const anna = await mira.createUser()
  const { recoveryCodes } = await turnOn(anna)
  const challenge = await challengeOf(anna)
  const body = { ...anna.user, password: 'quiet-lantern-orchard-52', current_password: mira.admin.password }
  await mira.request
    .put(`/api/admin/users/${anna.user.id}`)
    .auth(mira.admin.token, { type: 'bearer' })
    .send(body)
    .expect(200)
  expect((await signIn(challenge, recoveryCodes[0]!).expect(401)).body.code).toBe('sign_in_expired')
  await signIn(await challengeOf({ ...anna, password: body.password }), recoveryCodes[0]!).expect(200)
})

test('ten wrong codes block further ones, from any IP address', async () => {
  const anna = await mira.createUser()
  const { recoveryCodes } = await turnOn(anna)
  const challenge = await challengeOf(anna)
  for (let n = 0; n < 10; n++) await signIn(challenge, 'wrong-codes').expect(401)
  const refused = await signIn(challenge, recoveryCodes[0]!).expect(429)
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
})

test('codes aren’t required until a first one was correct', async () => {
  const anna = await mira.createUser()
  const { body } = await as(anna, 'post', '/auth/totp').send({}).expect(200)
  const wrong = await as(anna, 'post', '/auth/totp/confirm').send({ code: '000000' })
  if (codeOf(body.secret) !== '000000') {
    expect([wrong.status, wrong.body.errors]).toEqual([422, [{ path: 'code', message: expect.any(String) }]])
  }
  await login(anna).expect(200)
  expect((await as(anna, 'get', '/auth/totp').expect(200)).body).toEqual({ enabled: false, recovery_codes_left: 0 })
})

test('a user can turn codes off, with the password when the sign-in isn’t recent', async () => {
  const anna = await mira.createUser()
  await turnOn(anna)
  const createdAt = new Date(Date.now() - 11 * 60_000)
  await mira.context.database.prisma.authSession.updateMany({ where: { userId: anna.user.id }, data: { createdAt } })
  await as(anna, 'delete', '/auth/totp').send({}).expect(403)
  await as(anna, 'delete', '/auth/totp').send({ current_password: anna.password }).expect(204)
  await login(anna).expect(200)
})

test('an administrator can turn codes off for a user who lost their phone', async () => {
  const anna = await mira.createUser()
  await turnOn(anna)
  const signInOf = async () => (await as(mira.admin, 'get', `/admin/users/${anna.user.id}/sign-in`).expect(200)).body
  expect(await signInOf()).toMatchObject({ totp: true, passkeys: 0, has_password: true })
  await as(mira.admin, 'delete', `/admin/users/${anna.user.id}/totp`).send({}).expect(204)
  expect(await signInOf()).toMatchObject({ totp: false })
  await login(anna).expect(200)
  await as(anna, 'delete', `/admin/users/${anna.user.id}/totp`).send({}).expect(403)
})

test('stores neither the secret nor the recovery codes in plain text', async () => {
  const anna = await mira.createUser()
  const { secret, recoveryCodes } = await turnOn(anna)
  const { rows } = await mira.context.database.pool.query<{ stored: string }>(
    `SELECT (SELECT string_agg(t::text, '') FROM totp_secrets t) || (SELECT string_agg(r::text, '') FROM recovery_codes r)
       AS stored`,
  )
  expect(rows[0]?.stored).not.toContain(secret)
  for (const code of recoveryCodes) expect(rows[0]?.stored).not.toContain(code.replace('-', ''))
})
