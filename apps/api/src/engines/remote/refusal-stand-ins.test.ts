import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Asked, askEngine, enginesOf, lookup } from '../../../test/stand-in-questions.ts'
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
const ask = (asked: Asked, engine = createEngines().chat) => askEngine(engine, asked)
const chatsAsked = () => server.requests.filter(({ path }) => path === '/chat/completions')

/** Refuses as OpenAI and Google do. */
const refusesSchemaWithout =
  (isFit: (schema: Record<string, unknown>) => boolean, say: (name: string, index: number) => string): StandIn =>
  ({ body }, response) => {
    const index = (body.tools ?? []).findIndex(({ function: { parameters } }) => !isFit(parameters as never))
    if (index === -1) return sendText(response, 'It is 391.')
    sendError(response, { status: 400, message: say(body.tools?.[index]?.function.name ?? '', index) })
  }

describe('one tool whose schema a provider refuses', () => {
  const strange: [string, object][] = [
    ['without properties', { type: 'object' }],
    ['without anything', {}],
    ['with null properties', { type: 'object', properties: null, required: null }],
    ['with a choice between objects', { anyOf: [{ type: 'object', properties: { a: { type: 'string' } } }] }],
    ['with an array of anything', { type: 'object', properties: { list: { type: 'array' } } }],
    ['with true as a schema', { type: 'object', properties: { any: true } }],
    ['with a mark of its dialect', { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object' }],
  ]
  const isFit = (schema: Record<string, unknown>): boolean =>
    schema.type === 'object' &&
    typeof schema.properties === 'object' &&
    schema.properties !== null &&
    !['anyOf', 'oneOf', 'allOf', '$schema'].some((keyword) => keyword in schema) &&
    Object.values(schema.properties as Record<string, { type?: string; items?: unknown }>).every(
      (one) => typeof one === 'object' && (one.type !== 'array' || one.items !== undefined),
    )

  test.each(strange)('is described so that it is taken: %s', async (_how, parameters) => {
    server.serve = refusesSchemaWithout(isFit, (name) => `Invalid schema for function '${name}': object schema missing`)
    const { text, error } = await ask({
      tools: [lookup, { ...lookup, name: 'strange_tool', parameters: { ...parameters } }],
    })
    expect({ text, error }).toEqual({ text: 'It is 391.', error: null })
    expect(chatsAsked()).toHaveLength(1)
  })

  test.each([
    ['by its name', (name: string) => `Invalid schema for function '${name}': In context=(), bad pattern`],
    [
      'by its place, as Google does',
      (_name: string, index: number) => `tools[0].function_declarations[${index}].parameters: bad`,
    ],
    [
      'by its place, as Anthropic does',
      (_name: string, index: number) => `tools.${index}.custom.input_schema: JSON schema is invalid`,
    ],
  ])('is left out alone when it is named %s, and not offered to the model again', async (_how, say) => {
    server.serve = refusesSchemaWithout((schema) => !('x-bad' in schema), say)
    const bad = { ...lookup, name: 'bad_tool', parameters: { ...lookup.parameters, 'x-bad': 1 } }
    const engine = createEngines().chat
    for (const requests of [2, 3]) {
      expect((await ask({ tools: [lookup, bad] }, engine)).text).toBe('It is 391.')
      expect(chatsAsked()).toHaveLength(requests)
      expect(
        chatsAsked()
          .at(-1)
          ?.body.tools?.map((tool) => tool.function.name),
      ).toEqual(['lookup'])
    }
  })
})

describe('a model is asked in its way after one refusal:', () => {
  const refuses =
    (isFit: (body: Parameters<StandIn>[0]['body']) => boolean, message: string): StandIn =>
    ({ body, round }, response) => {
      if (!isFit(body)) return sendError(response, { status: 400, message })
      return round === 0 ? sendCall(response) : sendText(response, '391')
    }
  const assistants = (body: { messages?: { role: string }[] }) =>
    body.messages?.filter(({ role }) => role === 'assistant') ?? []
  test.each<[string, StandIn, Asked]>([
    [
      'max_completion_tokens',
      refuses(
        (body) => !('max_tokens' in body),
        "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
      ),
      { parameters: { max_tokens: 100 } },
    ],
    [
      'no temperature',
      refuses((body) => !('temperature' in body), "'temperature' does not support 0.3"),
      { parameters: { temperature: 0.3 } },
    ],
    [
      'no temperature beside top_p',
      refuses(
        (body) => !('temperature' in body && 'top_p' in body),
        '`temperature` and `top_p` cannot both be specified for this model. Please use only one.',
      ),
      { parameters: { temperature: 0.3, top_p: 0.5 } },
    ],
    [
      'no system role, in the words of OpenAI',
      refuses(
        (body) => body.messages?.[0]?.role === 'user',
        "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
      ),
      {},
    ],
    ['no system role', refuses((body) => body.messages?.[0]?.role === 'user', 'System role not supported'), {}],
    [
      'no null as content',
      refuses(
        (body) => assistants(body).every((assistant) => (assistant as { content?: unknown }).content !== null),
        'invalid message content type: <nil>',
      ),
      { tools: [lookup] },
    ],
    [
      'thoughts that got lost',
      refuses(
        (body) => assistants(body).every((assistant) => 'reasoning_content' in assistant),
        'reasoning_content is missing in assistant tool call message',
      ),
      { tools: [lookup] },
    ],
  ])('%s', async (_way, serve, asked) => {
    let calls = 0
    server.serve = (request, response) => {
      // only models that are offered tools call one, once
      const isCalled = assistants(request.body).length > 0
      return serve({ ...request, round: !asked.tools || isCalled ? 1 : calls++ }, response)
    }
    const engine = createEngines().chat
    expect(await ask(asked, engine)).toMatchObject({ text: '391', error: null })
    const before = chatsAsked().length
    await ask({ ...asked, tools: [] }, engine)
    expect(chatsAsked()).toHaveLength(before + 1)
  })
})

describe('a refusal of what a program sent changes nothing for others:', () => {
  const schema = { type: 'object', properties: {} }
  const program = { tools: [], isDemanded: false, maySeveral: true, turns: [] }
  const withFormat = { ...program, format: { type: 'json_schema', json_schema: { name: 'agent', schema } } }
  const withNamed = (name: string) => ({ ...program, tools: [{ ...lookup, name }] })
  const withTools = withNamed('weather')
  test.each([
    ["Invalid schema for response_format 'agent': 'required' lacks a key. Missing 'system_prompt'.", withFormat],
    ["Invalid schema for response_format 'weather': 'required' lacks a key. Missing 'temperature'.", withFormat],
    ['Unrecognized request argument supplied: response_format', withFormat],
    ['Extra inputs are not permitted', withFormat],
    ["Invalid schema for function 'weather': 'required' lacks a key. Missing 'system_prompt'.", withTools],
    ["Invalid schema for function 'weather': 'required' lacks a key. Missing 'temperature'.", withTools],
    ["attempted to call tool 'set_temperature' which was not in request.tools", withNamed('set_temperature')],
    ['Duplicate function declaration found: system_message', withNamed('system_message')],
  ])('%s', async (message, program) => {
    const engine = createEngines().chat
    const parameters = { temperature: 0.3 }
    server.serve = (_, response) => sendError(response, { status: 400, message })
    const { error } = await ask({ parameters, question: { program } }, engine)
    expect(error?.message).toContain(message.replace(/\.$/, ''))
    expect(chatsAsked()).toHaveLength(1)
    server.serve = (_, response) => sendText(response, '391')
    expect((await ask({ parameters }, engine)).text).toBe('391')
    expect(chatsAsked().at(-1)?.body).toMatchObject({
      ...parameters,
      messages: [{ role: 'system' }, { role: 'user' }],
      stream_options: { include_usage: true },
    })
  })
})

test('a refusal within a list is told in its words, as Google sends it', async () => {
  server.serve = (_, response) => sendJson(response, [{ error: { message: 'The region is wrong.' } }], 400)
  expect((await ask({})).error?.message).toContain('The region is wrong.')
})

test.each([
  'parameter.enable_thinking must be set to false for non-streaming calls',
  'This model only supports stream mode, please enable the stream parameter.',
])('a model that answers in a stream alone writes titles and captions, too: %s', async (message) => {
  server.serve = ({ body }, response) =>
    body.stream === true ? sendText(response, 'A kitten') : sendError(response, { status: 400, message })
  const { chat, captioner } = createEngines()
  for (const requests of [2, 3]) {
    expect(await chat.title('What is it?', 'A kitten.', new AbortController().signal)).toBe('A kitten')
    expect(chatsAsked()).toHaveLength(requests)
  }
  const picture = { data: new Uint8Array(1), contentType: 'image/png' }
  const { text } = await captioner.caption(picture, { language: 'en', signal: new AbortController().signal })
  expect(text).toBe('A kitten')
})

describe('a server that takes no more now', () => {
  const quota = 'You exceeded your current quota, please check your plan and billing details.'
  const retryInfo = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '45.8s' }
  test.each<[string, Parameters<typeof sendError>[1], number]>([
    ['its header', { status: 429, headers: { 'retry-after': '90' } }, 90],
    ['its header in milliseconds', { status: 429, headers: { 'retry-after-ms': '90500' } }, 91],
    [
      'details, as Google does',
      { status: 429, body: [{ error: { code: 429, message: quota, details: [retryInfo] } }] },
      46,
    ],
    ['its sentence', { status: 429, message: 'Rate limit reached. Please try again in 1m26.4s. Visit us.' }, 87],
    ['its sentence, in words', { status: 429, message: 'Please retry after 86 seconds.' }, 86],
    ['its sentence, in minutes', { status: 429, message: 'Try again in 2 minutes.' }, 120],
  ])('is left alone for as long as it asks in %s', async (_how, refusal, seconds) => {
    server.serve = (_, response) => sendError(response, refusal)
    expect((await ask({})).error).toMatchObject({ code: 'model_rate_limited', retryAfterSeconds: seconds })
    expect(chatsAsked()).toHaveLength(1)
  })

  test('is left alone as well when it says so within an answer, as OpenRouter does', async () => {
    const error = { code: 429, message: 'Rate limit exceeded. Try again in 90s.' }
    server.serve = (_, response) => sendStream(response, `data: ${JSON.stringify({ error })}\n\n`)
    expect((await ask({})).error).toMatchObject({ code: 'model_rate_limited', retryAfterSeconds: 90 })
    expect(chatsAsked()).toHaveLength(1)
  })

  test.each([
    ['insufficient_quota', quota],
    [undefined, 'Your credit balance is too low to access the API.'],
  ])('because nothing is left to spend is not asked again, and says so (%s)', async (code, message) => {
    server.serve = (_, response) => sendError(response, { status: 429, message, ...(code ? { code } : {}) })
    expect((await ask({})).error).toMatchObject({ code: 'model_error', message: expect.stringContaining(message) })
    expect(chatsAsked()).toHaveLength(1)
  })
})
