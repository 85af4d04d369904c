import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { listen } from '../../../../test/chat-client.ts'
import { insertMediaItem, insertMoment } from '../../../../test/factories.ts'
import { ask, openAiClient } from '../../../../test/openai-client.ts'
import { lastMessage, type OpenAiServer, startOpenAiServer } from '../../../../test/openai-server.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'

let model: OpenAiServer
let server: TestApp
/** Server without a language model. */
let serverWithoutModel: TestApp
let account: TestAccount
let url: string
let client: ReturnType<typeof openAiClient>

beforeAll(async () => {
  model = await startOpenAiServer()
  server = await startTestApp({
    environment: { OPENAI_BASE_URL: model.baseUrl, CHAT_MODEL: 'test-model' },
    memoryTimeoutMs: 10_000,
  })
  serverWithoutModel = await startTestApp()
  url = await listen(server.app)
})
beforeEach(async () => {
  account = await server.createUser({ can_upload: true, can_use_agents: true })
  client = openAiClient(url, account.token)
})
afterEach(() => model.reset())
afterAll(async () => {
  await server.close()
  await serverWithoutModel.close()
  await model.close()
})

const offeredTools = () =>
  model
    .chats()
    .at(-1)
    ?.body.tools?.map((tool) => tool.function.name) ?? []

describe('a program that requests an output format', () => {
  const schema = {
    type: 'object',
    properties: { end: { type: 'string' } },
    required: ['end'],
    additionalProperties: false,
  }
  const format = { type: 'json_schema' as const, json_schema: { name: 'lease', schema, strict: true } }

  test('gets the model’s output unchanged; the model is offered only the program’s tools', async () => {
    model.next({ text: '{"end":"30 June"}' })
    const request = { model: 'mira', messages: ask('When does my lease end?'), response_format: format }
    const { choices } = await client.chat.completions.create(request)
    expect(choices[0]?.message.content).toBe('{"end":"30 June"}')
    expect(model.chats().at(-1)?.body).toMatchObject({ response_format: format })
    expect(offeredTools()).toEqual([])
    const lamp = { type: 'function' as const, function: { name: 'switch_lamp' } }
    await client.chat.completions.create({ ...request, tools: [lamp] })
    expect(offeredTools()).toEqual(['switch_lamp'])
  })

  test('gets bracketed numbers unchanged, even when memory has passages to cite', async () => {
    const item = await insertMediaItem(server.context.database, account.user.id, { originalFilename: 'lamp.pdf' })
    await insertMoment(server.context.database, item, {
      kind: 'text',
      body: 'The lamp of the boathouse is a brass lantern.',
    })
    const text = '{"pages":[1,2],"page":[1],"ids":["[2]"],"matrix":[[1, 2],[3]]}'
    model.next({ text })
    const messages = ask('What is the lamp of the boathouse?')
    const { choices } = await client.chat.completions.create({ model: 'mira', messages, response_format: format })
    expect(lastMessage(model.chats().at(-1)!)).toContain('brass lantern')
    expect(choices[0]?.message.content).toBe(text)
  })

  test('gets it through the Responses API, too', async () => {
    model.next({ text: '{"end":"30 June"}' })
    const text = { format: { type: 'json_schema' as const, name: 'lease', schema, strict: true } }
    const response = await client.responses.create({ model: 'mira', input: 'When does my lease end?', text })
    expect([response.output_text, response.text]).toEqual(['{"end":"30 June"}', text])
    expect(model.chats().at(-1)?.body).toMatchObject({ response_format: format })
  })

  test('is refused for stored conversations, invalid formats and a server without a model', async () => {
    const request = { model: 'mira', messages: ask('Hi'), response_format: format }
    const stored = client.chat.completions.create({ ...request, store: true })
    await expect(stored).rejects.toMatchObject({ status: 400, param: 'response_format' })
    const broken = { type: 'json_schema' as const, json_schema: { name: 'x', schema: 1 as never } }
    await expect(client.chat.completions.create({ ...request, response_format: broken })).rejects.toMatchObject({
      ...{ status: 400, param: 'response_format.json_schema.schema' },
    })
    const invalidName = { type: 'json_schema' as const, json_schema: { name: 'a lease', schema } }
    await expect(client.chat.completions.create({ ...request, response_format: invalidName })).rejects.toMatchObject({
      ...{ status: 400, param: 'response_format.json_schema.name' },
    })
    for (const unknown of [{ type: 'grammar' }, 'json']) {
      const refused = client.chat.completions.create({ ...request, response_format: unknown as never })
      await expect(refused).rejects.toMatchObject({ status: 400, code: 'invalid_format' })
    }
    const accountWithoutModel = await serverWithoutModel.createUser()
    const response = await serverWithoutModel.request
      .post('/v1/chat/completions')
      .auth(accountWithoutModel.token, { type: 'bearer' })
      .send(request)
    expect([response.status, response.body.error.code]).toEqual([503, 'tools_unavailable'])
  })
})
