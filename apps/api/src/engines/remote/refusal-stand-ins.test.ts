import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { askEngine, enginesOf, lookup, type QuestionOptions } from '../../../test/stand-in-questions.ts'
import {
  type StandIn,
  type StandInServer,
  sendCall,
  sendError,
  sendJson,
  sendStream,
  sendText,
  startStandIn,
} from '../../../test/stand-in-server.ts'

let server: StandInServer

beforeAll(async () => {
  server = await startStandIn()
})
beforeEach(() => {
  server.requests.length = 0
})
afterAll(() => server.close())

const createEngines = () => enginesOf(server)
const ask = (options: QuestionOptions, engine = createEngines().chat) => askEngine(engine, options)
const chatRequests = () => server.requests.filter(({ path }) => path === '/chat/completions')

/** Rejects unacceptable tool schemas, as OpenAI and Google do. */
const rejectSchemasUnless =
  (
    isAccepted: (schema: Record<string, unknown>) => boolean,
    messageOf: (name: string, index: number) => string,
  ): StandIn =>
  ({ body }, response) => {
    const index = (body.tools ?? []).findIndex(({ function: { parameters } }) => !isAccepted(parameters as never))
    if (index === -1) return sendText(response, 'It is 391.')
    sendError(response, { status: 400, message: messageOf(body.tools?.[index]?.function.name ?? '', index) })
  }

describe('a tool whose schema a provider rejects', () => {
  const unusualSchemas: [string, object][] = [
    ['without properties', { type: 'object' }],
    ['empty', {}],
    ['with null properties', { type: 'object', properties: null, required: null }],
    ['with anyOf at its root', { anyOf: [{ type: 'object', properties: { a: { type: 'string' } } }] }],
    ['with an array without items', { type: 'object', properties: { list: { type: 'array' } } }],
    ['with true as a schema', { type: 'object', properties: { any: true } }],
    ['with $schema', { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object' }],
  ]
  const isAccepted = (schema: Record<string, unknown>): boolean =>
    schema.type === 'object' &&
    typeof schema.properties === 'object' &&
    schema.properties !== null &&
    !['anyOf', 'oneOf', 'allOf', '$schema'].some((keyword) => keyword in schema) &&
    Object.values(schema.properties as Record<string, { type?: string; items?: unknown }>).every(
      (one) => typeof one === 'object' && (one.type !== 'array' || one.items !== undefined),
    )

  test.each(unusualSchemas)('is rewritten so that it is accepted: %s', async (_case, parameters) => {
    server.serve = rejectSchemasUnless(
      isAccepted,
      (name) => `Invalid schema for function '${name}': object schema missing`,
    )
    const { text, error } = await ask({
      tools: [lookup, { ...lookup, name: 'strange_tool', parameters: { ...parameters } }],
    })
    expect({ text, error }).toEqual({ text: 'It is 391.', error: null })
    expect(chatRequests()).toHaveLength(1)
  })

  test.each([
    ['by name', (name: string) => `Invalid schema for function '${name}': In context=(), bad pattern`],
    [
      'by index, as with Google',
      (_name: string, index: number) => `tools[0].function_declarations[${index}].parameters: bad`,
    ],
    [
      'by index, as with Anthropic',
      (_name: string, index: number) => `tools.${index}.custom.input_schema: JSON schema is invalid`,
    ],
  ])('is the only one omitted when the error identifies it %s, and stays omitted', async (_case, messageOf) => {
    server.serve = rejectSchemasUnless((schema) => !('x-bad' in schema), messageOf)
    const bad = { ...lookup, name: 'bad_tool', parameters: { ...lookup.parameters, 'x-bad': 1 } }
    const engine = createEngines().chat
    for (const requests of [2, 3]) {
      expect((await ask({ tools: [lookup, bad] }, engine)).text).toBe('It is 391.')
      expect(chatRequests()).toHaveLength(requests)
      expect(
        chatRequests()
          .at(-1)
          ?.body.tools?.map((tool) => tool.function.name),
      ).toEqual(['lookup'])
    }
  })
})

describe('after one rejection, requests are adapted to the model:', () => {
  const rejectUnless =
    (isAccepted: (body: Parameters<StandIn>[0]['body']) => boolean, message: string): StandIn =>
    ({ body, round }, response) => {
      if (!isAccepted(body)) return sendError(response, { status: 400, message })
      return round === 0 ? sendCall(response) : sendText(response, '391')
    }
  const assistantMessages = (body: { messages?: { role: string }[] }) =>
    body.messages?.filter(({ role }) => role === 'assistant') ?? []
  test.each<[string, StandIn, QuestionOptions]>([
    [
      'max_completion_tokens',
      rejectUnless(
        (body) => !('max_tokens' in body),
        "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
      ),
      { parameters: { max_tokens: 100 } },
    ],
    [
      'no temperature',
      rejectUnless((body) => !('temperature' in body), "'temperature' does not support 0.3"),
      { parameters: { temperature: 0.3 } },
    ],
    [
      'no temperature together with top_p',
      rejectUnless(
        (body) => !('temperature' in body && 'top_p' in body),
        '`temperature` and `top_p` cannot both be specified for this model. Please use only one.',
      ),
      { parameters: { temperature: 0.3, top_p: 0.5 } },
    ],
    [
      'no system role, as worded by OpenAI',
      rejectUnless(
        (body) => body.messages?.[0]?.role === 'user',
        "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
      ),
      {},
    ],
    ['no system role', rejectUnless((body) => body.messages?.[0]?.role === 'user', 'System role not supported'), {}],
    [
      'no null content',
      rejectUnless(
        (body) => assistantMessages(body).every((assistant) => (assistant as { content?: unknown }).content !== null),
        'invalid message content type: <nil>',
      ),
      { tools: [lookup] },
    ],
    [
      'reasoning_content in every assistant message',
      rejectUnless(
        (body) => assistantMessages(body).every((assistant) => 'reasoning_content' in assistant),
        'reasoning_content is missing in assistant tool call message',
      ),
      { tools: [lookup] },
    ],
  ])('%s', async (_case, serve, options) => {
    let calls = 0
    server.serve = (request, response) => {
      // A model calls a tool only when tools are offered, and only once.
      const hasCalled = assistantMessages(request.body).length > 0
      return serve({ ...request, round: !options.tools || hasCalled ? 1 : calls++ }, response)
    }
    const engine = createEngines().chat
    expect(await ask(options, engine)).toMatchObject({ text: '391', error: null })
    const before = chatRequests().length
    await ask({ ...options, tools: [] }, engine)
    expect(chatRequests()).toHaveLength(before + 1)
  })
})

describe('a rejection caused by a client program changes nothing for other requests:', () => {
  const schema = { type: 'object', properties: {} }
  const program = { tools: [], isRequired: false, allowsParallelCalls: true, turns: [] }
  const withFormat = { ...program, format: { type: 'json_schema', json_schema: { name: 'agent', schema } } }
  const withToolNamed = (name: string) => ({ ...program, tools: [{ ...lookup, name }] })
  const withTools = withToolNamed('weather')
  test.each([
    ["Invalid schema for response_format 'agent': 'required' lacks a key. Missing 'system_prompt'.", withFormat],
    ["Invalid schema for response_format 'weather': 'required' lacks a key. Missing 'temperature'.", withFormat],
    ['Unrecognized request argument supplied: response_format', withFormat],
    ['Extra inputs are not permitted', withFormat],
    ["Invalid schema for function 'weather': 'required' lacks a key. Missing 'system_prompt'.", withTools],
    ["Invalid schema for function 'weather': 'required' lacks a key. Missing 'temperature'.", withTools],
    ["attempted to call tool 'set_temperature' which was not in request.tools", withToolNamed('set_temperature')],
    ['Duplicate function declaration found: system_message', withToolNamed('system_message')],
  ])('%s', async (message, program) => {
    const engine = createEngines().chat
    const parameters = { temperature: 0.3 }
    server.serve = (_, response) => sendError(response, { status: 400, message })
    const { error } = await ask({ parameters, question: { program } }, engine)
    expect(error?.message).toContain(message.replace(/\.$/, ''))
    expect(chatRequests()).toHaveLength(1)
    server.serve = (_, response) => sendText(response, '391')
    expect((await ask({ parameters }, engine)).text).toBe('391')
    expect(chatRequests().at(-1)?.body).toMatchObject({
      ...parameters,
      messages: [{ role: 'system' }, { role: 'user' }],
      stream_options: { include_usage: true },
    })
  })
})

test('keeps the message of an error inside a list, as sent by Google', async () => {
  server.serve = (_, response) => sendJson(response, [{ error: { message: 'The region is wrong.' } }], 400)
  expect((await ask({})).error?.message).toContain('The region is wrong.')
})

test.each([
  'parameter.enable_thinking must be set to false for non-streaming calls',
  'This model only supports stream mode, please enable the stream parameter.',
])('writes titles and captions with a model that only streams: %s', async (message) => {
  server.serve = ({ body }, response) =>
    body.stream === true ? sendText(response, 'A kitten') : sendError(response, { status: 400, message })
  const { chat, captioner } = createEngines()
  for (const requests of [2, 3]) {
    expect(await chat.title('What is it?', 'A kitten.', new AbortController().signal)).toBe('A kitten')
    expect(chatRequests()).toHaveLength(requests)
  }
  const picture = { data: new Uint8Array(1), contentType: 'image/png' }
  const { text } = await captioner.caption(picture, { language: 'en', signal: new AbortController().signal })
  expect(text).toBe('A kitten')
})

describe('a server that accepts no more requests', () => {
  const quota = 'You exceeded your current quota, please check your plan and billing details.'
  const retryInfo = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '45.8s' }
  test.each<[string, Parameters<typeof sendError>[1], number]>([
    ['a header', { status: 429, headers: { 'retry-after': '90' } }, 90],
    ['a header in milliseconds', { status: 429, headers: { 'retry-after-ms': '90500' } }, 91],
    [
      'the error details, as with Google',
      { status: 429, body: [{ error: { code: 429, message: quota, details: [retryInfo] } }] },
      46,
    ],
    ['the message', { status: 429, message: 'Rate limit reached. Please try again in 1m26.4s. Visit us.' }, 87],
    ['the message, in words', { status: 429, message: 'Please retry after 86 seconds.' }, 86],
    ['the message, in minutes', { status: 429, message: 'Try again in 2 minutes.' }, 120],
  ])('is not retried, and the error has the waiting time from %s', async (_source, refusal, seconds) => {
    server.serve = (_, response) => sendError(response, refusal)
    expect((await ask({})).error).toMatchObject({ code: 'model_rate_limited', retryAfterSeconds: seconds })
    expect(chatRequests()).toHaveLength(1)
  })

  test('is not retried when the limit is reported inside the stream, as with OpenRouter', async () => {
    const error = { code: 429, message: 'Rate limit exceeded. Try again in 90s.' }
    server.serve = (_, response) => sendStream(response, `data: ${JSON.stringify({ error })}\n\n`)
    expect((await ask({})).error).toMatchObject({ code: 'model_rate_limited', retryAfterSeconds: 90 })
    expect(chatRequests()).toHaveLength(1)
  })

  test.each([
    ['insufficient_quota', quota],
    [undefined, 'Your credit balance is too low to access the API.'],
  ])('is not retried when the quota is used up, and the error says so (%s)', async (code, message) => {
    server.serve = (_, response) => sendError(response, { status: 429, message, ...(code ? { code } : {}) })
    expect((await ask({})).error).toMatchObject({ code: 'model_error', message: expect.stringContaining(message) })
    expect(chatRequests()).toHaveLength(1)
  })
})
