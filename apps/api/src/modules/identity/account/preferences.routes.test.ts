import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'

let mira: TestApp
let anna: TestAccount

beforeAll(async () => {
  mira = await startTestApp()
  anna = await mira.createUser({})
})
afterAll(() => mira.close())

const nothingChosen = {
  language: null,
  time_zone: null,
  theme: null,
  model: null,
  shares_answers: false,
  hides_first_steps: false,
  keeps_places: false,
}

const get = (path: string, { token }: TestAccount) => mira.request.get(`/api${path}`).auth(token, { type: 'bearer' })
const patch = (body: object, { token }: TestAccount) =>
  mira.request.patch('/api/me/preferences').auth(token, { type: 'bearer' }).send(body)

test('preferences belong to the account, come with /auth/me, and can be reset', async () => {
  await get('/me/preferences', anna).expect(200, nothingChosen)
  const preferences = { language: 'de', time_zone: 'Europe/Berlin', theme: 'dark', model: 'large' }
  await patch(preferences, anna).expect(200, { ...nothingChosen, ...preferences })
  const flags = { hides_first_steps: true, keeps_places: true }
  await patch(flags, anna).expect(200, { ...nothingChosen, ...preferences, ...flags })
  const { body } = await get('/auth/me', anna).expect(200)
  expect(body.preferences).toEqual({ ...nothingChosen, ...preferences, ...flags })

  const otherAccount = await mira.createUser({})
  await get('/me/preferences', otherAccount).expect(200, nothingChosen)
  const expected = { ...preferences, theme: null, ...flags }
  await patch({ theme: null }, anna).expect(200, { ...nothingChosen, ...expected })
})

test('a device’s headers don’t override the account’s language and time zone', async () => {
  const account = await mira.createUser({})
  await patch({ language: 'fr', time_zone: 'Europe/Paris' }, account).expect(200)
  await get('/auth/me', account).set({ 'accept-language': 'en', 'x-time-zone': 'America/Chicago' }).expect(200)
  // stored asynchronously, after the response
  await vi.waitFor(async () => {
    const { rows } = await mira.context.database.pool.query(
      'SELECT language, time_zone AS zone, last_active_at IS NOT NULL AS touched FROM users WHERE id = $1',
      [account.user.id],
    )
    expect(rows).toEqual([{ language: 'fr', zone: 'Europe/Paris', touched: true }])
  }, 30_000)
})

test.each([
  { language: 'tlh' },
  { time_zone: 'Mars/Olympus' },
  { time_zone: '+01:00' },
  { theme: 'sepia' },
  { colour: 'red' },
])('refuses %j', async (body) => {
  await patch(body, anna).expect(422)
})
