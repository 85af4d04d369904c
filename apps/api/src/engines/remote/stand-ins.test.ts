import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { askEngine, enginesOf, lookup, type QuestionOptions } from '../../../test/stand-in-questions.ts'
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
import { listModels } from './models.ts'

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

const textEvents = (...texts: string[]) => texts.map((text) => deltaEvent({ content: text })).join('')
const error = { message: 'The GPU is gone.', type: 'server_error', code: 500 }

test('keeps the query of the base URL behind each path', async () => {
  server.serve = ({ path, query }, response) =>
    path === '/chat/completions' && query === 'api-version=preview'
      ? sendText(response, '391')
      : sendJson(response, { error: { message: 'Resource not found' } }, 404)
  expect(await ask({}, enginesOf(server, { baseUrl: `${server.baseUrl}?api-version=preview` }).chat)).toMatchObject({
    text: '391',
    error: null,
  })
})

describe('an answer', () => {
  test.each<[string, StandIn, { text: string; reasoning?: string }]>([
    ['[DONE] without a finish reason', (_, response) => sendStream(response, textEvents('391'), DONE), { text: '391' }],
    [
      'empty and broken events in between',
      (_, response) =>
        sendStream(
          response,
          'data:\n\n',
          textEvents('39'),
          'data: \n\ndata: {"brok\n\n: ping\n\n',
          textEvents('1'),
          DONE,
        ),
      { text: '391' },
    ],
    [
      'a connection that stays open after the end',
      (_, response) => {
        openStream(response)
        response.write(`${textEvents('391')}${deltaEvent({}, 'stop')}`)
      },
      { text: '391' },
    ],
    [
      'a connection that stays open after [DONE]',
      (_, response) => {
        openStream(response)
        response.write(`${textEvents('391')}${DONE}`)
      },
      { text: '391' },
    ],
    [
      'an empty finish reason in every chunk',
      (_, response) => sendStream(response, deltaEvent({ content: '39' }, ''), deltaEvent({ content: '1' }, ''), DONE),
      { text: '391' },
    ],
    [
      'events with the content type of JSON',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end(`${textEvents('39', '1')}${DONE}`)
      },
      { text: '391' },
    ],
    [
      'content as a list of reasoning and text',
      (_, response) =>
        sendStream(
          response,
          deltaEvent({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] }] }),
          deltaEvent({ content: [{ type: 'text', text: '39', thinking: '' }] }),
          deltaEvent({ content: [{ type: 'text', text: '1', thinking: null }] }, 'stop'),
          DONE,
        ),
      { text: '391', reasoning: 'Hm.' },
    ],
    [
      'one complete message instead of a stream',
      (_, response) => sendJson(response, { choices: [{ message: { content: '391' }, finish_reason: 'stop' }] }),
      { text: '391' },
    ],
    [
      'lines that end with CR LF',
      (_, response) => sendStream(response, `${textEvents('391')}${DONE}`.replaceAll('\n', '\r\n')),
      { text: '391' },
    ],
  ])('is read: %s', async (_format, serve, { text, reasoning = '' }) => {
    server.serve = serve
    const result = await ask({})
    expect(result).toMatchObject({ text, reasoning, error: null, end: { type: 'end' } })
  })

  test.each<[string, string]>([
    ['an object', `data: ${JSON.stringify({ error })}\n\n`],
    ['a string', `data: ${JSON.stringify({ error: error.message })}\n\n`],
    ['a top-level object', `data: ${JSON.stringify({ object: 'error', ...error })}\n\n`],
    ['a named event', `event: error\ndata: ${JSON.stringify(error)}\n\n`],
    ['a bare line', `${JSON.stringify({ error: error.message })}\n`],
    ['part of a choice', `data: ${JSON.stringify({ choices: [{ delta: {}, error, finish_reason: 'error' }] })}\n\n`],
    ['a list', `data: ${JSON.stringify([{ error }])}\n\n`],
  ])('fails with the message of an error in the stream: %s', async (_format, event) => {
    server.serve = (_, response) => sendStream(response, textEvents('The '), event)
    const { text, error: failure } = await ask({})
    expect(text).toBe('The ')
    expect(failure?.message).toContain('The GPU is gone.')
  })

  test('has its usage under the names of either protocol', async () => {
    const usage = { input_tokens: 12, output_tokens: 3, total_tokens: 15 }
    const report = `data: ${JSON.stringify({ choices: [], usage })}\n\n`
    server.serve = (_, response) => sendStream(response, textEvents('391'), deltaEvent({}, 'stop'), report, DONE)
    expect((await ask({})).end).toMatchObject({ usage: { input_tokens: 12, output_tokens: 3 } })
  })

  test.each([
    ['Google', 'The input token count (12000) exceeds the maximum number of tokens allowed (9000).', 9000],
    ['xAI', "This model's maximum prompt length is 9000 but the request contains 12000 tokens.", 9000],
    ['Moonshot', 'Invalid request: Your request exceeded model token limit: 9000', 9000],
    ['TGI', '`inputs` tokens + `max_new_tokens` must be <= 9000. Given: 12000 `inputs` tokens and 20', 9000],
    ['DashScope', 'Range of input length should be [1, 9000]', 9000],
    [
      'LM Studio',
      'Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.',
      4096,
    ],
  ])(
    'fails as too long with the message of %s, from which the context size is read',
    async (_provider, message, tokens) => {
      server.serve = (_, response) => sendJson(response, { error: { message } }, 400)
      const { chat } = createEngines()
      expect((await ask({}, chat)).error?.code).toBe('context_too_long')
      expect(await chat.contextTokens()).toBe(tokens)
    },
  )

  test('fails as too long also when the error is in the stream', async () => {
    const message = "This model's maximum context length is 2048 tokens, but you asked for 3000."
    server.serve = (_, response) => sendStream(response, `data: ${JSON.stringify({ error: { message } })}\n\n`)
    const { chat } = createEngines()
    expect((await ask({}, chat)).error?.code).toBe('context_too_long')
    expect(await chat.contextTokens()).toBe(2048)
  })

  test.each([
    ['', []],
    ['null', []],
    ['error', [DONE]],
    ['insufficient_system_resource', [DONE]],
    ['network_error', [DONE]],
  ])('is cut off when its last finish reason is %j', async (finishReason, ending) => {
    server.serve = (_, response) => sendStream(response, deltaEvent({ content: '39' }, finishReason), ...ending)
    expect(await ask({})).toMatchObject({ text: '39', error: { code: 'answer_cut_off' } })
  })

  test('is asked for once more after a malformed call, and then counts as empty, not as declined', async () => {
    const malformed = deltaEvent({}, 'function_call_filter: MALFORMED_FUNCTION_CALL')
    server.serve = ({ round }, response) =>
      round === 0 ? sendStream(response, malformed, DONE) : sendText(response, '391')
    expect(await ask({ tools: [lookup] })).toMatchObject({ text: '391', error: null })
    server.serve = (_, response) => sendStream(response, malformed, DONE)
    expect((await ask({ tools: [lookup] })).error?.message).toContain('empty answer')
  })

  describe('is asked for once more, with its tools, when the server reports a badly written call', () => {
    const groq = { message: 'Tool choice is required, but model did not call a tool', code: 'tool_use_failed' }
    const thought = deltaEvent({ reasoning: 'Let me look that up.' })
    const within = (failure: object) => (response: ServerResponse) =>
      sendStream(response, thought, `event: error\ndata: ${JSON.stringify({ error: failure })}\n\n`)
    test.each<[string, (response: ServerResponse) => void]>([
      ['by Groq, after its thoughts', within({ ...groq, status_code: 400 })],
      ['by Ollama, after its thoughts', within({ message: 'error parsing tool call: raw=\'{"a"\', err=EOF' })],
      ['by llama.cpp, after its thoughts', within({ code: 500, message: 'Failed to parse input at pos 12: {' })],
      [
        'by Groq, which names a tool',
        (response) =>
          sendError(response, {
            status: 400,
            message: `tool call validation failed: parameters for tool ${lookup.name} did not match schema`,
          }),
      ],
      [
        'by Ollama, quoting words about the request',
        (response) =>
          sendError(response, {
            status: 500,
            message: "error parsing tool call: raw='the tool requires a system prompt and a temperature', err=EOF",
          }),
      ],
    ])('%s', async (_case, fail) => {
      server.requests.length = 0
      server.serve = ({ round }, response) => (round === 0 ? fail(response) : sendText(response, '391'))
      const engine = enginesOf(server).chat
      const parameters = { temperature: 0.3 }
      expect(await ask({ parameters, tools: [lookup] }, engine)).toMatchObject({ text: '391', error: null })
      // nothing was learnt from the failure
      server.serve = (_, response) => sendText(response, '391')
      await ask({ parameters, tools: [lookup] }, engine)
      expect(server.requests.at(-1)?.body).toMatchObject({
        ...parameters,
        messages: [{ role: 'system' }, { role: 'user' }],
        tools: [{ function: { name: lookup.name } }],
      })
      server.serve = (_, response) => fail(response)
      const { error } = await ask({ parameters, tools: [lookup] }, engine)
      expect(error?.code).toBe('model_error')
      expect(server.requests.at(-1)?.body.tools).toBeUndefined()
    })
  })

  test('keeps digits that arrive as numbers, as Cloudflare sends them', async () => {
    const pieces = ['It costs $', 0, '.', '00', 5, ' since ', 2024, '.']
    server.serve = (_, response) => sendStream(response, ...pieces.map((content) => deltaEvent({ content })), DONE)
    expect(await ask({})).toMatchObject({ text: 'It costs $0.005 since 2024.' })
  })

  test('is asked for again after an error before the first word, even after a chunk with an empty list of calls', async () => {
    const empty = deltaEvent({ role: 'assistant', content: '', tool_calls: [] })
    server.serve = ({ round }, response) =>
      round === 0
        ? sendStream(response, empty, `event: error\ndata: ${JSON.stringify({ type: 'error', error })}\n\n`)
        : sendText(response, '391')
    expect(await ask({})).toMatchObject({ text: '391', error: null })
  })

  test('does not time out while comments arrive during prompt processing', async () => {
    server.serve = async (_, response) => {
      openStream(response)
      for (let index = 0; index < 10; index++) {
        response.write(': PROCESSING\n\n')
        await new Promise((resolve) => setTimeout(resolve, 200))
      }
      response.end(`${textEvents('391')}${DONE}`)
    }
    const engine = enginesOf(server, { firstTokenTimeoutMs: 1500 }).chat
    expect(await ask({}, engine)).toMatchObject({ text: '391', error: null })
  })
})

describe('reasoning and calls in the text of a model', () => {
  test('reasoning without an opening tag is recognised at its end, and from the first word the next time', async () => {
    server.serve = (_, response) => sendStream(response, textEvents('17 times ', '23.\n</thi', 'nk>\n\n39', '1'), DONE)
    const engine = createEngines().chat
    const first = await ask({}, engine)
    expect(first.events).toContainEqual({ type: 'rethink' })
    expect(await ask({}, engine)).toMatchObject({ text: '391', reasoning: '17 times 23.\n', error: null })
    // Until an answer has no reasoning.
    server.serve = (_, response) => sendStream(response, textEvents('391'), DONE)
    expect(await ask({}, engine)).toMatchObject({ text: '391', error: null })
    expect(await ask({}, engine)).toMatchObject({ text: '391', reasoning: '', error: null })
  })

  test.each([
    ['<tool_call>', '<tool_call>{"name": "lookup", "arguments": {"q": "17*23"}}</tool_call>'],
    ['[TOOL_CALLS]', '[TOOL_CALLS][{"name": "lookup", "arguments": {"q": "17*23"}}]'],
    ['<function=…>', '<function=lookup>{"q": "17*23"}</function>'],
  ])('a written call calls the offered tool: %s', async (_format, callText) => {
    server.serve = ({ round }, response) =>
      round === 0
        ? sendStream(response, textEvents(...callText), deltaEvent({}, 'stop'), DONE)
        : sendText(response, 'It is 391.')
    expect(await ask({ tools: [lookup] })).toMatchObject({ text: 'It is 391.', calledTools: ['lookup'], error: null })
  })
})

test.each([
  ['length', 'length'],
  ['max_tokens', 'length'],
  ['content_filter', 'content_filter'],
  ['RECITATION', 'content_filter'],
  ['stop', undefined],
])('maps the finish reason %s', async (finishReason, stopReason) => {
  server.serve = (_, response) => sendStream(response, textEvents('39'), deltaEvent({}, finishReason), DONE)
  expect((await ask({})).end).toMatchObject({ type: 'end', stopReason })
})

describe('a provider gets back what it sent with a call:', () => {
  const signature = { google: { thought_signature: 'abc' } }
  test.each<[string, { message?: object; call?: object }, object]>([
    ['reasoning', { message: { reasoning_content: 'Hm.' } }, { reasoning_content: 'Hm.' }],
    ['the signature of a call', { call: { extra_content: signature } }, { tool_calls: [{ extra_content: signature }] }],
    [
      'signed blocks of reasoning',
      { message: { thinking_blocks: [{ type: 'thinking', thinking: 'Hm.', signature: 's' }] } },
      { thinking_blocks: [{ type: 'thinking', thinking: 'Hm.', signature: 's' }] },
    ],
    [
      'reasoning details',
      { message: { reasoning_details: [{ type: 'reasoning.encrypted', data: 'x', index: 0 }] } },
      { reasoning_details: [{ type: 'reasoning.encrypted', data: 'x', index: 0 }] },
    ],
  ])('%s', async (_case, extras, expected) => {
    server.serve = ({ round }, response) => (round === 0 ? sendCall(response, extras) : sendText(response, '391'))
    expect(await ask({ tools: [lookup] })).toMatchObject({ text: '391', calledTools: ['lookup'], error: null })
    expect(chatRequests()[1]?.body.messages?.find(({ role }) => role === 'assistant')).toMatchObject(expected)
  })
})

test.each<[string, unknown]>([
  ['a bare list', [{ id: 'stand-in' }, { id: 'other' }]],
  ['models by name', { models: [{ name: 'stand-in' }, { name: 'other' }] }],
])('lists models from %s', async (_format, body) => {
  server.serve = (_, response) => sendJson(response, body)
  const { default: OpenAI } = await import('openai')
  const models = await listModels(new OpenAI({ baseURL: server.baseUrl, apiKey: 'none' }), 20_000)
  expect(models?.map(({ id }) => id)).toEqual(['stand-in', 'other'])
})

test('fits prompts into the context that Ollama states for a loaded model, and into its default otherwise', async () => {
  const { default: OpenAI } = await import('openai')
  const client = new OpenAI({ baseURL: server.baseUrl, apiKey: 'none' })
  const entries = ['loaded', 'other'].map((id) => ({ id, object: 'model', owned_by: 'library' }))
  let loaded: object[] = [{ name: 'loaded', context_length: 32_768 }]
  server.serve = ({ path }, response) =>
    path === '/models' ? sendJson(response, { data: entries }) : sendJson(response, { models: loaded })
  const contextsOf = (models: { contextTokens: number | null }[] | null) => models?.map((one) => one.contextTokens)
  const known = await listModels(client, 20_000)
  expect(contextsOf(known)).toEqual([32_768, 4096])
  loaded = []
  expect(contextsOf(await listModels(client, 20_000, known ?? []))).toEqual([32_768, 4096])
  expect(server.requests.map(({ path }) => path)).toContain('/api/ps')
})

test('numbers of pages that Perplexity searched are links to them, whatever passages of the memory were sent along', async () => {
  const citations = ['https://example.org/population', 'https://example.org/wiki/San_Francisco_(city)']
  const event = (content: string) =>
    `data: ${JSON.stringify({ model: 'sonar', citations, choices: [{ index: 0, delta: { content } }] })}\n\n`
  server.serve = (_, response) =>
    sendStream(response, event('San Francisco has 830,000 inhabitants[1]'), event('[2'), event(']. And [7].'), DONE)
  const source = {
    n: 1,
    media_id: null,
    media_type: 'document',
    title: 'Diary',
    snippet: '',
    thumbnail: null,
    url: '/x',
  }
  const passages = [{ source, text: 'San Francisco, many inhabitants.' }] as never
  const { text, events } = await ask({ question: { passages } })
  expect(text).toMatch(
    /^San Francisco has 830,000 inhabitants\[\\\[1\\\]\]\(https:\/\/example\.org\/population\)\[\\\[2\\\]\]\(\S+San_Francisco_%28city%29\)\./,
  )
  expect(events.filter(({ type }) => type === 'sources')).toEqual([])
})
