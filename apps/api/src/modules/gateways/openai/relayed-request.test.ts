import OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { listen } from '../../../../test/chat-client.ts'
import { type OpenAiServer, startOpenAiServer } from '../../../../test/openai-server.ts'
import { plainImage } from '../../../../test/pictures.ts'
import { startTestApp, type TestApp } from '../../../../test/test-app.ts'

const INTERNAL_URL = 'http://169.254.169.254/latest'

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

/** Requests that reached the model server on a path. */
const relayedTo = (path: string) => model.requests.filter((request) => request.path === `/v1${path}`)

const withPart = (part: unknown, rest = {}) => ({ messages: [{ role: 'user', content: [part] }], ...rest })
const withItem = (item: unknown, rest = {}) => ({ input: [{ role: 'user', content: 'Hi' }, item], ...rest })
const messages = [{ role: 'user', content: 'Hi' }]
const functionTool = { type: 'function', function: { name: 'look', parameters: { type: 'object' } } }

describe('no URL reaches the model server, wherever a program puts it', () => {
  test.each<[string, Record<string, unknown>]>([
    ['/chat/completions', withPart({ type: 'image_url', image_url: { url: INTERNAL_URL } })],
    ['/chat/completions', withPart({ type: 'image_url', image_url: INTERNAL_URL })],
    ['/chat/completions', withPart({ type: 'video_url', video_url: { url: INTERNAL_URL } })],
    ['/chat/completions', withPart({ type: 'audio_url', audio_url: { url: INTERNAL_URL } })],
    ['/chat/completions', withPart({ type: 'input_image', image_url: INTERNAL_URL })],
    ['/chat/completions', withPart({ type: 'image_pil', image_pil: INTERNAL_URL })],
    ['/chat/completions', withPart({ type: 'input_audio', input_audio: { data: INTERNAL_URL, format: 'wav' } })],
    ['/chat/completions', withPart({ type: 'file', file: { file_data: INTERNAL_URL } })],
    ['/chat/completions', withPart({ type: '__proto__', image_url: INTERNAL_URL })],
    [
      '/chat/completions',
      { messages: [{ role: 'tool', content: [{ type: 'video_url', video_url: { url: INTERNAL_URL } }] }] },
    ],
    ['/chat/completions', { messages, tools: [{ type: 'mcp', server_label: 'x', server_url: INTERNAL_URL }] }],
    ['/chat/completions', { messages, tools: [{ ...functionTool, server_url: INTERNAL_URL }] }],
    ['/chat/completions', { messages, extra: { deep: [{ video_url: INTERNAL_URL }] } }],
    ['/chat/completions', { messages, media: [`  ${INTERNAL_URL}`] }],
    ['/chat/completions', { messages, media: [`${' '.repeat(300)}${INTERNAL_URL}`] }],
    ['/chat/completions', { messages, image_url: 'internal/thing.png' }],
    [
      '/chat/completions',
      {
        messages,
        tools: [{ ...functionTool, function: { name: 'look', parameters: { type: 'object', $ref: INTERNAL_URL } } }],
      },
    ],
    ['/responses', withItem({ role: 'user', content: [{ type: 'input_image', image_url: INTERNAL_URL }] })],
    [
      '/responses',
      withItem({ role: 'user', content: [{ type: 'input_file', file_url: INTERNAL_URL, file_data: INTERNAL_URL }] }),
    ],
    ['/responses', withItem({ role: 'user', content: [{ type: 'input_video', video_url: INTERNAL_URL }] })],
    [
      '/responses',
      withItem({
        type: 'function_call_output',
        call_id: 'a',
        output: [{ type: 'input_image', image_url: INTERNAL_URL }],
      }),
    ],
    [
      '/responses',
      withItem({
        type: 'custom_tool_call_output',
        call_id: 'a',
        output: [{ type: 'video_url', video_url: INTERNAL_URL }],
      }),
    ],
    ['/responses', withItem({ type: 'mcp_call', server_url: INTERNAL_URL })],
    [
      '/responses',
      withItem({ type: 'computer_call_output', output: { type: 'computer_screenshot', image_url: INTERNAL_URL } }),
    ],
    ['/responses', withItem({ type: 'item_reference', id: 'msg_of_somebody_else' })],
    ['/responses', { input: 'Hi', tools: [{ type: 'mcp', server_label: 'x', server_url: INTERNAL_URL }] }],
    [
      '/responses',
      { input: 'Hi', tools: [{ type: 'image_generation', input_image_mask: { image_url: INTERNAL_URL } }] },
    ],
    [
      '/responses',
      { input: 'Hi', prompt: { id: 'p', variables: { picture: { type: 'input_image', image_url: INTERNAL_URL } } } },
    ],
    [
      '/embeddings',
      { input: 'Hi', messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: INTERNAL_URL } }] }] },
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
    expect(relayedTo(path)).toEqual([])
  })
})

test('drops unknown fields next to known ones', async () => {
  const content = [{ type: 'text', text: 'Hi', video_url: { url: INTERNAL_URL } }]
  expect(
    (await post('/chat/completions', { messages: [{ role: 'user', content, audio_url: INTERNAL_URL }] })).status,
  ).toBe(200)
  expect(relayedTo('/chat/completions')[0]?.body.messages).toEqual([
    { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
  ])
  const item = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi', image_url: INTERNAL_URL }] }
  expect((await post('/responses', withItem(item))).status).toBe(200)
  expect(JSON.stringify(relayedTo('/responses')[0]?.body)).not.toContain(INTERNAL_URL)
})

test('passes on URLs in text, data URLs, calls, schemas and earlier answers with citations', async () => {
  const client = new OpenAI({ baseURL, apiKey, maxRetries: 0 })
  const picture = `data:image/png;base64,${(await plainImage({ width: 8, height: 8 })).toString('base64')}`
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
  const call = {
    id: 'a',
    type: 'function' as const,
    function: { name: 'open', arguments: `{"url":"${INTERNAL_URL}"}` },
  }
  const thoughts = {
    thinking_blocks: [
      { type: 'thinking', thinking: 'https://example.org first.', signature: 'Eq8=' },
      { type: 'redacted_thinking', data: 'EmwK' },
    ],
  }
  const messages: OpenAI.Chat.ChatCompletionMessageParam[] = [
    { role: 'system', content: 'https://example.org is our site.' },
    {
      role: 'assistant',
      content: 'It is [1].',
      ...{ annotations: [{ type: 'url_citation', url_citation: citation }] },
    },
    { role: 'assistant', content: null, tool_calls: [call], ...thoughts },
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
  const [{ annotations: _annotations, ...withoutAnnotations }] = [messages[1] as unknown as Record<string, unknown>]
  expect(relayedTo('/chat/completions')[0]?.body).toMatchObject({
    messages: [messages[0], withoutAnnotations, ...messages.slice(2)],
    tools: [{ function: { parameters } }],
  })
  const items: OpenAI.Responses.ResponseInputItem[] = [
    { role: 'user', content: [{ type: 'input_image', image_url: picture, detail: 'auto' }] },
    { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'https://example.org' }] },
    { type: 'function_call', call_id: 'a', name: 'open', arguments: `{"url":"${INTERNAL_URL}"}` },
    { type: 'function_call_output', call_id: 'a', output: 'https://example.org/answer' },
  ]
  await client.responses.create({ model: 'test-model', input: items, instructions: 'https://example.org' })
  expect(relayedTo('/responses')[0]?.body).toMatchObject({ input: items, instructions: 'https://example.org' })
})
