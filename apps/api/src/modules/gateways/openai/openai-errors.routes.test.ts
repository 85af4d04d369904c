import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createApiToken } from '../../../../test/api-tokens.ts'
import { listen } from '../../../../test/chat-client.ts'
import { ask, collect, openAiClient } from '../../../../test/openai-client.ts'
import { type OpenAiServer, startOpenAiServer } from '../../../../test/openai-server.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'

let model: OpenAiServer
let server: TestApp
let account: TestAccount
let url: string
let client: ReturnType<typeof openAiClient>

beforeAll(async () => {
  model = await startOpenAiServer()
  server = await startTestApp({
    environment: { OPENAI_BASE_URL: model.baseUrl, CHAT_MODEL: 'test-model' },
  })
  url = await listen(server.app)
})
beforeEach(async () => {
  account = await server.createUser({ can_upload: true, can_use_agents: true })
  client = openAiClient(url, await createApiToken(server, account, ['read', 'chat']))
})
afterEach(() => model.reset())
afterAll(async () => {
  await server.close()
  await model.close()
})

describe('errors use the protocol’s format', () => {
  test.each([
    [{ model: 'no-such-model', messages: ask('Hi') }, 404, 'model_not_found'],
    [{ model: 'mira', messages: [{ role: 'assistant' as const, content: 'Hi' }] }, 400, 'no_question'],
    [
      {
        ...{ model: 'mira', messages: ask('Hi'), tool_choice: 'required' as const, store: true },
        tools: [{ type: 'function' as const, function: { name: 'x' } }],
      },
      400,
      'tools_not_supported',
    ],
    [
      { model: 'mira', messages: [...ask('Hi'), { role: 'tool' as const, tool_call_id: 'a', content: 'x' }] },
      400,
      'tool_call_missing',
    ],
    [{ model: 'mira', messages: [] }, 400, 'validation_failed'],
    [{ model: 'mira', messages: ask('Hi'), functions: [{ name: 'x' }] }, 400, 'functions_not_supported'],
    [{ model: 'mira', messages: ask('Hi'), stop: ['a', 'b', 'c', 'd', 'e'] }, 400, 'validation_failed'],
    [
      { model: 'mira', messages: ask('Hi'), metadata: { session_id: '0198c0de-0000-7000-8000-000000000000' } },
      404,
      'not_found',
    ],
    [{ model: 'mira', messages: ask('Hi'), metadata: { session_id: 'mine' } }, 400, 'bad_request'],
  ])('%j: %i, %s', async (request, status, code) => {
    await expect(client.chat.completions.create(request)).rejects.toMatchObject({ status, code })
  })

  test('for broken JSON, an unknown path and another user’s conversation', async () => {
    const post = (body: string) =>
      fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json', authorization: `Bearer ${account.token}` },
      })
    const broken = await post('{"model": ')
    expect([broken.status, await broken.json()]).toMatchObject([400, { error: { type: 'invalid_request_error' } }])
    const withoutType = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      body: new URLSearchParams('{"model": "mira"}'),
      headers: { authorization: `Bearer ${account.token}` },
    })
    expect([withoutType.status, await withoutType.json()]).toMatchObject([
      415,
      { error: { message: expect.stringContaining('application/json') } },
    ])
    const unknownPath = await fetch(`${url}/v1/nothing`)
    expect([unknownPath.status, await unknownPath.json()]).toMatchObject([404, { error: { code: 'not_found' } }])
    model.next({ text: 'Mine.' })
    const mine = await client.chat.completions.create({ model: 'mira', messages: ask('Hello'), store: true })
    const { metadata } = mine as unknown as { metadata: { session_id: string } }
    const stranger = await server.createUser()
    const foreign = openAiClient(url, stranger.token).chat.completions.create({
      model: 'mira',
      messages: ask('And?'),
      metadata,
    })
    await expect(foreign).rejects.toMatchObject({ status: 404 })
  })

  test('for a missing or unknown token, a missing scope and an account without chat', async () => {
    const anonymous = await fetch(`${url}/v1/models`)
    expect(anonymous.status).toBe(401)
    expect(anonymous.headers.get('www-authenticate')).toContain('Bearer')
    expect(await anonymous.json()).toMatchObject({ error: { type: 'authentication_error' } })
    await expect(openAiClient(url, 'sk-of-elsewhere').models.list()).rejects.toMatchObject({
      status: 401,
      code: 'invalid_api_key',
      message: expect.stringContaining('This token is unknown'),
    })
    const reader = openAiClient(url, await createApiToken(server, account, ['read']))
    await expect(reader.chat.completions.create({ model: 'mira', messages: ask('Hi') })).rejects.toMatchObject({
      status: 403,
      code: 'scope_missing',
      message: expect.stringContaining('chat'),
    })
    const withoutChat = openAiClient(url, (await server.createUser({ can_chat: false })).token)
    await expect(withoutChat.models.list()).rejects.toMatchObject({ status: 403, type: 'permission_error' })
  })

  test('for a model error: a status before the first byte, an event in the stream after it', async () => {
    model.next({
      error: { status: 400, message: 'maximum context length is 4096 tokens', code: 'context_length_exceeded' },
    })
    const early = client.chat.completions.create({ model: 'test-model', messages: ask('Long'), stream: true })
    await expect(early).rejects.toMatchObject({ status: 400, code: 'context_length_exceeded' })
    for (const modelName of ['mira', 'test-model']) {
      model.next({ text: ['It ', 'ends '], cutAfter: 1 })
      const stream = await client.chat.completions.create({ model: modelName, messages: ask('Tell me'), stream: true })
      await expect(collect(stream)).rejects.toMatchObject({ code: 'answer_cut_off' })
    }
  })
})
