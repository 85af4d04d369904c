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

test('what a person chooses is theirs on every device, comes with who is signed in, and can be taken back', async () => {
  await get('/me/preferences', anna).expect(200, nothingChosen)
  const preferences = { language: 'de', time_zone: 'Europe/Berlin', theme: 'dark', model: 'large' }
  await patch(preferences, anna).expect(200, { ...nothingChosen, ...preferences })
  const away = { hides_first_steps: true, keeps_places: true }
  await patch(away, anna).expect(200, { ...nothingChosen, ...preferences, ...away })
  const { body } = await get('/auth/me', anna).expect(200)
  expect(body.preferences).toEqual({ ...nothingChosen, ...preferences, ...away })

  const otherAccount = await mira.createUser({})
  await get('/me/preferences', otherAccount).expect(200, nothingChosen)
  const back = { ...preferences, theme: null, ...away }
  await patch({ theme: null }, anna).expect(200, { ...nothingChosen, ...back })
})

test('a device that has not heard of the choice does not change what the account speaks', async () => {
  const person = await mira.createUser({})
  await patch({ language: 'fr', time_zone: 'Europe/Paris' }, person).expect(200)
  await get('/auth/me', person).set({ 'accept-language': 'en', 'x-time-zone': 'America/Chicago' }).expect(200)
  // it is written beside the answer
  await vi.waitFor(async () => {
    const { rows } = await mira.context.database.pool.query(
      'SELECT language, time_zone AS zone, last_active_at IS NOT NULL AS touched FROM users WHERE id = $1',
      [person.user.id],
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
])('%j is refused', async (body) => {
  await patch(body, anna).expect(422)
})
