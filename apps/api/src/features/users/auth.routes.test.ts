import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/test-app.ts'

let mira: TestApp
beforeAll(async () => {
  mira = await startTestApp()
})
afterAll(() => mira.close())

test('a signed-in user sees who they are', async () => {
  const { user, token } = await mira.createUser({ username: 'ada' })
  const response = await mira.request.get('/api/auth/me').auth(token, { type: 'bearer' }).expect(200)
  expect(response.body).toEqual({ ...user, last_active_at: response.body.last_active_at })
})
