import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { silentLog } from '../../../test/database-template.ts'
import {
  DONE,
  deltaEvent,
  openStream,
  type StandIn,
  type StandInServer,
  sendCall,
  sendError,
  sendJson,
  sendStream,
  sendText,
  startStandIn,
} from '../../../test/stand-in-server.ts'
import type { EngineError } from '../../errors.ts'
import type { EngineEvent, Question, Tool } from '../chat-engine.ts'
import { listModels } from './models.ts'
import { createRemote } from './remote-ai.ts'

let server: StandInServer

beforeAll(async () => {
  server = await startStandIn()
})
beforeEach(() => {
  server.requests.length = 0
})
afterAll(() => server.close())

const lookup: Tool = { name: 'lookup', description: 'Looks it up.', parameters: { type: 'object', properties: {} } }

interface Asked {
  tools?: Tool[]
  parameters?: Question['parameters']
  question?: Partial<Question>
}

const createEngines = () =>
  createRemote({
    baseUrl: server.baseUrl,
    apiKey: undefined,
    chatModel: 'stand-in',
    embeddingModel: 'stand-in-embedding',
    log: silentLog,
    firstTokenTimeoutMs: 20_000,
    idleTimeoutMs: 20_000,
    retryDelayMs: 1,
  })

async function ask({ tools = [], parameters, question = {} }: Asked, engine = createEngines().chat) {
  const events: EngineEvent[] = []
  const called: string[] = []
  let error: EngineError | null = null
  const asked: Question = {
    instructions: 'You are Mira.',
    turns: [{ role: 'user', content: 'What is 17*23?' }],
    language: 'en',
    timeZone: 'UTC',
    assistantName: 'Mira',
    memory: 'closed',
    passages: [],
    parameters,
    recall: async () => [],
    tools,
    toolFor: () => null,
    async callTool(name) {
      called.push(name)
      return { isError: false, text: '391' }
    },
    ...question,
  }
  try {
    for await (const event of engine.answer(asked, new AbortController().signal)) events.push(event)
  } catch (thrown) {
    error = thrown as EngineError
  }
  const textOf = (type: string) =>
    events.flatMap((event) => ('text' in event && event.type === type ? [event.text] : [])).join('')
  return { text: textOf('text'), reasoning: textOf('reasoning'), end: events.at(-1), events, called, error }
}

const chatsAsked = () => server.requests.filter(({ path }) => path === '/chat/completions')

/** Refuses as OpenAI and Google do. */
const refusesSchemaWithout =
  (isFit: (schema: Record<string, unknown>) => boolean, say: (name: string, at: number) => string): StandIn =>
  ({ body }, response) => {
    const at = (body.tools ?? []).findIndex(({ function: { parameters } }) => !isFit(parameters as never))
    if (at === -1) return sendText(response, 'It is 391.')
    sendError(response, { status: 400, message: say(body.tools?.[at]?.function.name ?? '', at) })
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
      (_name: string, at: number) => `tools[0].function_declarations[${at}].parameters: bad`,
    ],
    [
      'by its place, as Anthropic does',
      (_name: string, at: number) => `tools.${at}.custom.input_schema: JSON schema is invalid`,
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

const said = (...texts: string[]) => texts.map((text) => deltaEvent({ content: text })).join('')
const error = { message: 'The GPU is gone.', type: 'server_error', code: 500 }

describe('an answer is read as its server sends it:', () => {
  test.each<[string, StandIn, { text: string; reasoning?: string }]>([
    ['[DONE] without a finish reason', (_, response) => sendStream(response, said('391'), DONE), { text: '391' }],
    [
      'empty and broken events between',
      (_, response) =>
        sendStream(response, 'data:\n\n', said('39'), 'data: \n\ndata: {"brok\n\n: ping\n\n', said('1'), DONE),
      { text: '391' },
    ],
    [
      'a connection that stays open after the end',
      (_, response) => {
        openStream(response)
        response.write(`${said('391')}${deltaEvent({}, 'stop')}`)
      },
      { text: '391' },
    ],
    [
      'content as a list of thoughts and text',
      (_, response) =>
        sendStream(
          response,
          deltaEvent({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] }] }),
          deltaEvent({ content: [{ type: 'text', text: '391' }] }, 'stop'),
          DONE,
        ),
      { text: '391', reasoning: 'Hm.' },
    ],
    [
      'one whole message instead of a stream',
      (_, response) => sendJson(response, { choices: [{ message: { content: '391' }, finish_reason: 'stop' }] }),
      { text: '391' },
    ],
    [
      'lines that end with CR LF',
      (_, response) => sendStream(response, `${said('391')}${DONE}`.replaceAll('\n', '\r\n')),
      { text: '391' },
    ],
  ])('%s', async (_how, serve, { text, reasoning = '' }) => {
    server.serve = serve
    const given = await ask({})
    expect(given).toMatchObject({ text, reasoning, error: null, end: { type: 'end' } })
  })

  test.each<[string, string]>([
    ['an object', `data: ${JSON.stringify({ error })}\n\n`],
    ['a text', `data: ${JSON.stringify({ error: error.message })}\n\n`],
    ['an object of its own', `data: ${JSON.stringify({ object: 'error', ...error })}\n\n`],
    ['a named event', `event: error\ndata: ${JSON.stringify(error)}\n\n`],
    ['a bare line', `${JSON.stringify({ error: error.message })}\n`],
    ['part of a choice', `data: ${JSON.stringify({ choices: [{ delta: {}, error, finish_reason: 'error' }] })}\n\n`],
    ['a list', `data: ${JSON.stringify([{ error }])}\n\n`],
  ])('an error within it is told in its words: %s', async (_how, event) => {
    server.serve = (_, response) => sendStream(response, said('The '), event)
    const { text, error: told } = await ask({})
    expect(text).toBe('The ')
    expect(told?.message).toContain('The GPU is gone.')
  })

  test('comments keep an answer alive whose prompt is being read', async () => {
    server.serve = async (_, response) => {
      openStream(response)
      for (let at = 0; at < 10; at++) {
        response.write(': PROCESSING\n\n')
        await new Promise((resolve) => setTimeout(resolve, 200))
      }
      response.end(`${said('391')}${DONE}`)
    }
    const engine = createRemote({
      baseUrl: server.baseUrl,
      apiKey: undefined,
      chatModel: 'stand-in',
      log: silentLog,
      firstTokenTimeoutMs: 1500,
      retryDelayMs: 1,
    }).chat
    expect(await ask({}, engine)).toMatchObject({ text: '391', error: null })
  })
})

describe('thoughts and calls that a model writes into its text', () => {
  test('are told from the answer when the mark that opens them is missing, and from the first word the next time', async () => {
    server.serve = (_, response) => sendStream(response, said('17 times ', '23.\n</thi', 'nk>\n\n39', '1'), DONE)
    const engine = createEngines().chat
    const first = await ask({}, engine)
    expect(first.events).toContainEqual({ type: 'rethink' })
    expect(await ask({}, engine)).toMatchObject({ text: '391', reasoning: '17 times 23.\n', error: null })
  })

  test.each([
    ['<tool_call>', '<tool_call>{"name": "lookup", "arguments": {"q": "17*23"}}</tool_call>'],
    ['[TOOL_CALLS]', '[TOOL_CALLS][{"name": "lookup", "arguments": {"q": "17*23"}}]'],
    ['<function=…>', '<function=lookup>{"q": "17*23"}</function>'],
  ])('call the tool that is offered: %s', async (_form, written) => {
    server.serve = ({ round }, response) =>
      round === 0
        ? sendStream(response, said(...written), deltaEvent({}, 'stop'), DONE)
        : sendText(response, 'It is 391.')
    expect(await ask({ tools: [lookup] })).toMatchObject({ text: 'It is 391.', called: ['lookup'], error: null })
  })
})

test.each([
  ['length', 'length'],
  ['max_tokens', 'length'],
  ['content_filter', 'content_filter'],
  ['RECITATION', 'content_filter'],
  ['stop', undefined],
])('an answer that ends with %s tells it', async (finishReason, stopReason) => {
  server.serve = (_, response) => sendStream(response, said('39'), deltaEvent({}, finishReason), DONE)
  expect((await ask({})).end).toMatchObject({ type: 'end', stopReason })
})

describe('a provider gets back what it sent with a call:', () => {
  const signature = { google: { thought_signature: 'abc' } }
  test.each<[string, { message?: object; call?: object }, object]>([
    ['thoughts', { message: { reasoning_content: 'Hm.' } }, { reasoning_content: 'Hm.' }],
    ['the signature of a call', { call: { extra_content: signature } }, { tool_calls: [{ extra_content: signature }] }],
    [
      'signed blocks',
      { message: { thinking_blocks: [{ type: 'thinking', thinking: 'Hm.', signature: 's' }] } },
      { thinking_blocks: [{ type: 'thinking', thinking: 'Hm.', signature: 's' }] },
    ],
    [
      'details of thoughts',
      { message: { reasoning_details: [{ type: 'reasoning.encrypted', data: 'x', index: 0 }] } },
      { reasoning_details: [{ type: 'reasoning.encrypted', data: 'x', index: 0 }] },
    ],
  ])('%s', async (_what, extras, expected) => {
    server.serve = ({ round }, response) => (round === 0 ? sendCall(response, extras) : sendText(response, '391'))
    expect(await ask({ tools: [lookup] })).toMatchObject({ text: '391', called: ['lookup'], error: null })
    expect(chatsAsked()[1]?.body.messages?.find(({ role }) => role === 'assistant')).toMatchObject(expected)
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
    ['no system role', refuses((body) => body.messages?.[0]?.role === 'user', 'System role not supported'), {}],
    [
      'no null as content',
      refuses(
        (body) => assistants(body).every((one) => (one as { content?: unknown }).content !== null),
        'invalid message content type: <nil>',
      ),
      { tools: [lookup] },
    ],
    [
      'thoughts that got lost',
      refuses(
        (body) => assistants(body).every((one) => 'reasoning_content' in one),
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

test.each<[string, unknown]>([
  ['a bare list', [{ id: 'stand-in' }, { id: 'other' }]],
  ['models by name', { models: [{ name: 'stand-in' }, { name: 'other' }] }],
])('models are listed from %s', async (_how, body) => {
  server.serve = (_, response) => sendJson(response, body)
  const { default: OpenAI } = await import('openai')
  const listed = await listModels(new OpenAI({ baseURL: server.baseUrl, apiKey: 'none' }), 20_000)
  expect(listed.map(({ id }) => id)).toEqual(['stand-in', 'other'])
})

test('a refusal within a list is told in its words, as Google sends it', async () => {
  server.serve = (_, response) => sendJson(response, [{ error: { message: 'The region is wrong.' } }], 400)
  expect((await ask({})).error?.message).toContain('The region is wrong.')
})
