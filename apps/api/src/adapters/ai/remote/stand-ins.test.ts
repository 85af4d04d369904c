import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { silentLog } from '../../../../test/database-template.ts'
import {
  type StandIn,
  type StandInServer,
  sendError,
  sendJson,
  sendText,
  startStandIn,
} from '../../../../test/stand-in-server.ts'
import type { EngineError } from '../../../errors.ts'
import type { EngineEvent, Question, Tool } from '../chat-engine.ts'
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
  return { text: textOf('text'), reasoning: textOf('reasoning'), end: events.at(-1), called, error }
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

describe('embedding', () => {
  const signal = new AbortController().signal
  const embedder = () => createEngines().embedder
  const isBad = (text: string) => text.includes('bad')
  const inputsOf = (body: { input?: unknown }) => [body.input ?? []].flat().map(String)
  const vectorsOf = (texts: string[], of: (text: string) => unknown = () => [3, 4]) => ({
    data: texts.map((text, index) => ({ index, embedding: of(text) })),
  })
  const texts = Array.from({ length: 40 }, (_, at) => (at === 17 ? 'bad' : `text ${at}`))

  test.each<[string, StandIn]>([
    [
      'an error 500, as Ollama does',
      ({ body }, response) =>
        inputsOf(body).some(isBad)
          ? sendError(response, { status: 500, message: 'failed to encode response: json: unsupported value: NaN' })
          : sendJson(response, vectorsOf(inputsOf(body))),
    ],
    [
      'null for its numbers',
      ({ body }, response) =>
        sendJson(
          response,
          vectorsOf(inputsOf(body), (text) => (isBad(text) ? [null, null] : [3, 4])),
        ),
    ],
    [
      'a refusal',
      ({ body }, response) =>
        inputsOf(body).some(isBad)
          ? sendError(response, { status: 400, message: 'invalid input' })
          : sendJson(response, vectorsOf(inputsOf(body))),
    ],
  ])('passes over the one text that gives %s', async (_how, serve) => {
    server.serve = serve
    const { vectors } = await embedder().embed(texts, 'passage', signal, { skipsRefused: true })
    expect(vectors.map(({ length }) => length)).toEqual(texts.map((text) => (isBad(text) ? 0 : 2)))
    expect(server.requests.length).toBeLessThan(25)
  })

  test('fails when the server fails on every text', async () => {
    server.serve = ({ path, body }, response) =>
      path === '/embeddings'
        ? sendJson(
            response,
            vectorsOf(inputsOf(body), () => [0, 0]),
          )
        : sendError(response, { status: 404 })
    await expect(embedder().embed(texts, 'passage', signal, { skipsRefused: true })).rejects.toMatchObject({
      code: 'useless_vectors',
    })
  })

  test.each([
    ['DashScope', 'batch size is invalid, it should not be larger than 10.'],
    ['Google', 'at most 10 requests can be in one batch'],
    ['a gateway', 'The number of documents exceeds the limit of 10'],
    ['another', 'Too many inputs: maximum 10'],
  ])('sends as many texts at once as %s takes', async (_who, message) => {
    server.serve = ({ body }, response) =>
      inputsOf(body).length > 10
        ? sendError(response, { status: 400, message })
        : sendJson(response, vectorsOf(inputsOf(body)))
    expect((await embedder().embed(texts, 'passage', signal)).vectors).toHaveLength(40)
    const sizes = server.requests.map(({ body }) => inputsOf(body).length)
    expect(sizes).toEqual([40, 10, 10, 10, 10])
  })
})
