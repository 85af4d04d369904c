import OpenAI from 'openai'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { listen } from '../../../../test/chat-client.ts'
import { insertMediaItem, insertMoment } from '../../../../test/factories.ts'
import { type OpenAiServer, startOpenAiServer } from '../../../../test/openai-server.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'

let model: OpenAiServer
let server: TestApp
let account: TestAccount
let url: string
let client: OpenAI

beforeAll(async () => {
  model = await startOpenAiServer()
  server = await startTestApp({
    environment: { OPENAI_BASE_URL: model.baseUrl, CHAT_MODEL: 'test-model' },
    memoryTimeoutMs: 10_000,
  })
  url = await listen(server.app)
})
beforeEach(async () => {
  account = await server.createUser({ can_upload: true, can_use_agents: true })
  client = clientOf(account.token)
})
afterEach(() => model.reset())
afterAll(async () => {
  await server.close()
  await model.close()
})

const clientOf = (apiKey: string) => new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 })
const sessions = async () =>
  (await server.request.get('/api/chat/sessions').auth(account.token, { type: 'bearer' }).expect(200)).body

test('a response cites memory and isn’t stored', async () => {
  const { database } = server.context
  const item = await insertMediaItem(database, account.user.id, {
    mediaType: 'document',
    originalFilename: 'lease.pdf',
  })
  await insertMoment(database, item, { kind: 'text', body: 'The lease of the boathouse ends in October.', page: 3 })
  model.next({ text: 'It ends in October [1].', usage: { prompt_tokens: 20, completion_tokens: 6 } })
  const response = await client.responses.create({
    model: 'mira',
    instructions: 'Answer like a pirate.',
    input: 'When does the lease of the boathouse end?',
  })
  expect(response).toMatchObject({ object: 'response', status: 'completed', store: false, error: null })
  expect(response.output_text).toBe('It ends in October [1].')
  expect(response.usage).toMatchObject({ input_tokens: 20, output_tokens: 6, total_tokens: 26 })
  const [message] = response.output
  expect(message).toMatchObject({
    type: 'message',
    content: [{ annotations: [{ type: 'url_citation', title: 'lease.pdf', start_index: 19, media_id: item.id }] }],
  })
  expect(model.chats()[0]?.body.messages?.[0]?.content).toContain('Answer like a pirate.')
  expect(await sessions()).toEqual([])
})

test('a streamed response sends text deltas, then the complete response', async () => {
  model.next({ text: ['It ', 'ends.'] })
  const stream = await client.responses.create({
    model: 'mira',
    input: [{ role: 'user', content: [{ type: 'input_text', text: 'Does it end?' }] }],
    stream: true,
  })
  const types: string[] = []
  let text = ''
  let last: OpenAI.Responses.Response | undefined
  for await (const event of stream) {
    expect(event.sequence_number).toBe(types.length)
    types.push(event.type)
    if (event.type === 'response.output_text.delta') text += event.delta
    if (event.type === 'response.completed') last = event.response
  }
  expect(types[0]).toBe('response.created')
  expect(types.at(-1)).toBe('response.completed')
  expect(text).toBe('It ends.')
  expect(last?.output).toMatchObject([{ status: 'completed', content: [{ text: 'It ends.' }] }])
})

test('a response reports zero tokens when the model reports no usage', async () => {
  model.next({ text: 'Hello.', usage: 'none' })
  const { usage } = await client.responses.create({ model: 'mira', input: 'Hi' })
  expect(usage).toMatchObject({ input_tokens: 0, output_tokens: 0, total_tokens: 0 })
})

test('a stored response can be continued twice, but not by another user', async () => {
  model.next({ text: 'Red.' })
  const first = await client.responses.create({ model: 'mira', input: 'Which colour is my boat?', store: true })
  model.next({ text: 'Since May.' })
  const second = await client.responses.create({ model: 'mira', input: 'How long?', previous_response_id: first.id })
  expect(second).toMatchObject({ previous_response_id: first.id, store: true, output_text: 'Since May.' })
  const contents = model
    .chats()
    .at(-1)
    ?.body.messages?.map(({ content }) => JSON.stringify(content))
  expect(contents?.join()).toContain('Red.')
  model.next({ text: 'My aunt.' })
  await client.responses.create({ model: 'mira', input: 'By whom?', previous_response_id: first.id })
  expect(JSON.stringify(model.chats().at(-1)?.body.messages)).not.toContain('Since May.')
  expect(await sessions()).toHaveLength(1)
  const stranger = clientOf((await server.createUser()).token)
  const foreign = stranger.responses.create({ model: 'mira', input: 'And?', previous_response_id: first.id })
  await expect(foreign).rejects.toMatchObject({ status: 404, code: 'previous_response_not_found' })
})

test('a client’s developer message, function calls and their outputs reach the model', async () => {
  model.next({ text: 'Hello.', usage: 'none' })
  const response = await client.responses.create({
    model: 'mira',
    instructions: 'Answer like a pirate.',
    tools: [{ type: 'function', name: 'shell', parameters: { type: 'object' }, strict: false }],
    tool_choice: 'auto',
    parallel_tool_calls: false,
    include: [],
    reasoning: { effort: 'low' },
    store: false,
    input: [
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'You run in a sandbox.' }] },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'List it.' }] },
      { type: 'function_call', call_id: 'a', name: 'shell', arguments: '{}' },
      { type: 'function_call_output', call_id: 'a', output: 'ships.txt' },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello there' }] },
    ],
  })
  expect(response.output_text).toBe('Hello.')
  const [request] = model.chats()
  expect(request?.body.messages?.[0]?.content).toContain('You run in a sandbox.')
  expect(request?.body.messages?.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'user'])
  expect(request?.body.messages?.[3]?.content).toBe('ships.txt')
})

test('a connected model gets the whole request, including tools, with storing turned off', async () => {
  const tools = [{ type: 'function' as const, name: 'weather', parameters: { type: 'object' }, strict: false }]
  const response = await client.responses.create({ model: 'test-model', input: 'Weather?', tools })
  expect(response.id).toBe('resp_theirs')
  const request = model.requests.find(({ path }) => path === '/v1/responses')
  expect(request?.body).toMatchObject({ model: 'test-model', input: 'Weather?', tools, store: false })
})

describe('errors use the protocol’s format', () => {
  const tool = { type: 'function' as const, name: 'x', parameters: {}, strict: false }
  const output = { type: 'function_call_output' as const, call_id: 'a', output: 'x' }
  const picture = { type: 'input_image' as const, image_url: 'http://169.254.169.254/', detail: 'auto' as const }
  test.each<[OpenAI.Responses.ResponseCreateParamsNonStreaming, number, string]>([
    [{ model: 'no-such-model', input: 'Hi' }, 404, 'model_not_found'],
    // In a stored conversation, the assistant can't be required to call a client's tool.
    [{ model: 'mira', input: 'Hi', tools: [tool], tool_choice: 'required', store: true }, 400, 'tools_not_supported'],
    [{ model: 'mira', input: 'Hi', tool_choice: 'required' }, 400, 'invalid_tools'],
    [{ model: 'mira', input: [output] }, 400, 'no_question'],
    [{ model: 'mira', input: [{ role: 'user', content: 'Hi' }, output] }, 400, 'tool_call_missing'],
    [{ model: 'mira', input: '' }, 400, 'validation_failed'],
    [
      {
        model: 'mira',
        input: [
          { type: 'item_reference', id: 'msg_1' },
          { role: 'user', content: 'Hi' },
        ],
      },
      400,
      'item_not_supported',
    ],
    [{ model: 'mira', input: [{ role: 'assistant', content: 'Hi' }] }, 400, 'no_question'],
    [{ model: 'mira', input: 'Hi', previous_response_id: 'resp_nothing' }, 404, 'previous_response_not_found'],
    [{ model: 'test-model', input: 'Hi', previous_response_id: 'resp_x' }, 400, 'previous_response_not_supported'],
    [{ model: 'mira', input: 'Hi', conversation: 'conv_1' }, 400, 'conversation_not_supported'],
    [{ model: 'test-model', input: 'Hi', conversation: { id: 'conv_1' } }, 400, 'conversation_not_supported'],
    [{ model: 'test-model', input: [{ role: 'user', content: [picture] }] }, 400, 'picture_address_not_supported'],
    [{ model: 'mira', input: [{ role: 'user', content: [picture] }] }, 400, 'picture_address_not_supported'],
  ])('%j: %i, %s', async (request, status, code) => {
    await expect(client.responses.create(request)).rejects.toMatchObject({ status, code })
  })

  test('for a model error: a status before the first byte, an event in the stream after it', async () => {
    model.next({ error: { status: 401, message: 'wrong key' } })
    const early = client.responses.create({ model: 'mira', input: 'Hi', stream: true })
    await expect(early).rejects.toMatchObject({ status: 502, code: 'model_key_refused' })
    model.next({ text: ['It ', 'ends '], cutAfter: 1 })
    const failures: unknown[] = []
    for await (const event of await client.responses.create({ model: 'mira', input: 'Tell me', stream: true })) {
      if (event.type === 'response.failed') failures.push(event.response.error)
    }
    expect(failures).toMatchObject([{ code: 'answer_cut_off' }])
  })
})
