import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/test-app.ts'
import { makeStorable } from './storable-texts.ts'

const LONE_SURROGATE = '\ud800'

let mira: TestApp
beforeAll(async () => {
  mira = await startTestApp()
})
afterAll(() => mira.close())

const post = (path: string, body: string) =>
  mira.request.post(path).auth(mira.admin.token, { type: 'bearer' }).type('json').send(body)

test('a lone surrogate becomes the replacement character, in keys and values at any depth', () => {
  const bytes = Buffer.from(LONE_SURROGATE)
  const value = {
    a: `x${LONE_SURROGATE}`,
    list: ['🙂', LONE_SURROGATE, { deep: LONE_SURROGATE }],
    [LONE_SURROGATE]: LONE_SURROGATE,
    bytes,
    count: 1,
    none: null,
  }
  makeStorable(value)
  expect(value).toEqual({
    a: 'x\ufffd',
    list: ['🙂', '\ufffd', { deep: '\ufffd' }],
    '\ufffd': '\ufffd',
    bytes,
    count: 1,
    none: null,
  })
})

test('a lone surrogate in a request causes no unexpected error', async () => {
  const token = await post('/api/auth/tokens', String.raw`{"name":"a\ud800"}`)
  expect([token.status, token.body.name]).toEqual([201, 'a\ufffd'])
  const response = await post('/api/chat/message', String.raw`{"content":"Hello \ud800"}`)
  expect(response.status).toBe(200)
  const login = await mira.request
    .post('/api/auth/login')
    .type('json')
    .send(String.raw`{"username":"\ud800","password":"\ud800"}`)
  expect(login.status).toBe(401)
  const sessions = await mira.request.get('/api/chat/sessions').auth(mira.admin.token, { type: 'bearer' }).expect(200)
  const rename = await mira.request
    .patch(`/api/chat/sessions/${sessions.body[0].id}`)
    .auth(mira.admin.token, { type: 'bearer' })
    .type('json')
    .send(String.raw`{"session_name":"\ud800 talk"}`)
  expect([rename.status, rename.body.session_name]).toEqual([200, '\ufffd talk'])
  const user = String.raw`{"username":"half","email":"half@example.org","full_name":"\ud800","password":"violet-tractor-91"}`
  expect((await post('/api/admin/users', user)).status).toBeLessThan(500)
})

test('the character NUL is refused in bodies and in queries', async () => {
  expect((await post('/api/auth/tokens', String.raw`{"name":"a\u0000"}`)).status).toBe(422)
  const response = await mira.request.get('/api/chat/sessions?search=%00').auth(mira.admin.token, { type: 'bearer' })
  expect([response.status, response.body.detail]).toEqual([
    422,
    'A text contains the character NUL, which can’t be stored.',
  ])
})

test('a request with too many values is refused before validation', async () => {
  for (const body of [`{"images":[${Array(200_000).fill(0).join()}]}`, `[${Array(200_000).fill('{}').join()}]`]) {
    const response = await post('/api/auth/tokens', body)
    expect([response.status, response.body]).toEqual([
      413,
      { detail: 'What you sent contains too many values, or nests them too deeply.', code: 'payload_too_large' },
    ])
  }
})

test('a validation error lists at most twenty problems', async () => {
  const response = await post('/api/chat/message', JSON.stringify({ content: 'x', images: Array(5000).fill(0) }))
  expect([response.status, response.body.errors.length <= 20, response.text.length < 5000]).toEqual([422, true, true])
})
