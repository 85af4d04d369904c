import OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { listen } from '../../../../test/chat-client.ts'
import { type OpenAiServer, startOpenAiServer } from '../../../../test/openai-server.ts'
import { plainPicture } from '../../../../test/pictures.ts'
import { startTestApp, type TestApp } from '../../../../test/test-app.ts'

const INWARD = 'http://169.254.169.254/latest'

let model: OpenAiServer
let server: TestApp
let baseURL: string
let apiKey: string

beforeAll(async () => {
  model = await startOpenAiServer()
  server = await startTestApp({ environment: { OPENAI_BASE_URL: model.baseUrl, CHAT_MODEL: 'test-model' } })
  baseURL = `${await listen(server.app)}/v1`
  apiKey = (await server.createUser()).token
})
beforeEach(() => model.reset())
afterAll(async () => {
  await server.close()
  await model.close()
})

/** POSTs a body to a path of /v1. */
async function post(path: string, body: Record<string, unknown>) {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  return fetch(`${baseURL}${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ model: 'test-model', ...body }),
  })
}

/** Bodies that reached the model server through a path. */
const relayed = (path: string) => model.requests.filter((request) => request.path === `/v1${path}`)

const saying = (part: unknown, rest = {}) => ({ messages: [{ role: 'user', content: [part] }], ...rest })
const input = (item: unknown, rest = {}) => ({ input: [{ role: 'user', content: 'Hi' }, item], ...rest })
const messages = [{ role: 'user', content: 'Hi' }]
const functionTool = { type: 'function', function: { name: 'look', parameters: { type: 'object' } } }

describe('no URL reaches the model server, wherever a program puts it', () => {
  test.each<[string, Record<string, unknown>]>([
    ['/chat/completions', saying({ type: 'image_url', image_url: { url: INWARD } })],
    ['/chat/completions', saying({ type: 'image_url', image_url: INWARD })],
    ['/chat/completions', saying({ type: 'video_url', video_url: { url: INWARD } })],
    ['/chat/completions', saying({ type: 'audio_url', audio_url: { url: INWARD } })],
    ['/chat/completions', saying({ type: 'input_image', image_url: INWARD })],
    ['/chat/completions', saying({ type: 'image_pil', image_pil: INWARD })],
    ['/chat/completions', saying({ type: 'input_audio', input_audio: { data: INWARD, format: 'wav' } })],
    ['/chat/completions', saying({ type: 'file', file: { file_data: INWARD } })],
    ['/chat/completions', saying({ type: '__proto__', image_url: INWARD })],
    [
      '/chat/completions',
      { messages: [{ role: 'tool', content: [{ type: 'video_url', video_url: { url: INWARD } }] }] },
    ],
    ['/chat/completions', { messages, tools: [{ type: 'mcp', server_label: 'x', server_url: INWARD }] }],
    ['/chat/completions', { messages, tools: [{ ...functionTool, server_url: INWARD }] }],
    ['/chat/completions', { messages, extra: { deep: [{ video_url: INWARD }] } }],
    ['/chat/completions', { messages, media: [`  ${INWARD}`] }],
    ['/chat/completions', { messages, media: [`${' '.repeat(300)}${INWARD}`] }],
    ['/chat/completions', { messages, image_url: 'internal/thing.png' }],
    [
      '/chat/completions',
      {
        messages,
        tools: [{ ...functionTool, function: { name: 'look', parameters: { type: 'object', $ref: INWARD } } }],
      },
    ],
    ['/responses', input({ role: 'user', content: [{ type: 'input_image', image_url: INWARD }] })],
    ['/responses', input({ role: 'user', content: [{ type: 'input_file', file_url: INWARD, file_data: INWARD }] })],
    ['/responses', input({ role: 'user', content: [{ type: 'input_video', video_url: INWARD }] })],
    [
      '/responses',
      input({ type: 'function_call_output', call_id: 'a', output: [{ type: 'input_image', image_url: INWARD }] }),
    ],
    [
      '/responses',
      input({ type: 'custom_tool_call_output', call_id: 'a', output: [{ type: 'video_url', video_url: INWARD }] }),
    ],
    ['/responses', input({ type: 'mcp_call', server_url: INWARD })],
    ['/responses', input({ type: 'computer_call_output', output: { type: 'computer_screenshot', image_url: INWARD } })],
    ['/responses', input({ type: 'item_reference', id: 'msg_of_somebody_else' })],
    ['/responses', { input: 'Hi', tools: [{ type: 'mcp', server_label: 'x', server_url: INWARD }] }],
    ['/responses', { input: 'Hi', tools: [{ type: 'image_generation', input_image_mask: { image_url: INWARD } }] }],
    [
      '/responses',
      { input: 'Hi', prompt: { id: 'p', variables: { picture: { type: 'input_image', image_url: INWARD } } } },
    ],
    [
      '/embeddings',
      { input: 'Hi', messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: INWARD } }] }] },
    ],
  ])('%s %j', async (path, body) => {
    const response = await post(path, body)
    expect(await response.json()).toEqual({
      error: {
        message: expect.any(String),
        type: 'invalid_request_error',
        param: expect.any(String),
        code: expect.stringMatching(/_not_supported$|^validation_failed$/),
      },
    })
    expect(response.status).toBe(400)
    expect(relayed(path)).toEqual([])
  })
})

test('what stands beside a known part is not passed on', async () => {
  const content = [{ type: 'text', text: 'Hi', video_url: { url: INWARD } }]
  expect((await post('/chat/completions', { messages: [{ role: 'user', content, audio_url: INWARD }] })).status).toBe(
    200,
  )
  expect(relayed('/chat/completions')[0]?.body.messages).toEqual([
    { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
  ])
  const item = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi', image_url: INWARD }] }
  expect((await post('/responses', input(item))).status).toBe(200)
  expect(JSON.stringify(relayed('/responses')[0]?.body)).not.toContain(INWARD)
})

test('addresses in texts, data URLs, calls, schemas and earlier answers with citations are passed on', async () => {
  const client = new OpenAI({ baseURL, apiKey, maxRetries: 0 })
  const picture = `data:image/png;base64,${(await plainPicture({ width: 8, height: 8 })).toString('base64')}`
  const parameters = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: { url: { type: 'string', description: 'https://example.org or so', $ref: '#/$defs/address' } },
  }
  const citation = {
    type: 'url_citation' as const,
    url: 'https://example.org',
    title: 'x',
    start_index: 0,
    end_index: 1,
  }
  const call = { id: 'a', type: 'function' as const, function: { name: 'open', arguments: `{"url":"${INWARD}"}` } }
  const messages: OpenAI.Chat.ChatCompletionMessageParam[] = [
    { role: 'system', content: 'https://example.org is our site.' },
    {
      role: 'assistant',
      content: 'It is [1].',
      ...{ annotations: [{ type: 'url_citation', url_citation: citation }] },
    },
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'a', content: 'https://example.org/answer' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'https://example.org' },
        { type: 'image_url', image_url: { url: picture, detail: 'low' } },
        { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
      ],
    },
  ]
  await client.chat.completions.create({
    model: 'test-model',
    messages,
    stop: ['https://'],
    tools: [{ type: 'function', function: { name: 'open', parameters } }],
    response_format: { type: 'json_schema', json_schema: { name: 'x', schema: parameters } },
  })
  const [{ annotations: _dropped, ...cited }] = [messages[1] as unknown as Record<string, unknown>]
  expect(relayed('/chat/completions')[0]?.body).toMatchObject({
    messages: [messages[0], cited, ...messages.slice(2)],
    tools: [{ function: { parameters } }],
  })
  const items: OpenAI.Responses.ResponseInputItem[] = [
    { role: 'user', content: [{ type: 'input_image', image_url: picture, detail: 'auto' }] },
    { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'https://example.org' }] },
    { type: 'function_call', call_id: 'a', name: 'open', arguments: `{"url":"${INWARD}"}` },
    { type: 'function_call_output', call_id: 'a', output: 'https://example.org/answer' },
  ]
  await client.responses.create({ model: 'test-model', input: items, instructions: 'https://example.org' })
  expect(relayed('/responses')[0]?.body).toMatchObject({ input: items, instructions: 'https://example.org' })
})
