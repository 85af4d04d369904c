import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { silentLog } from '../../../test/database-template.ts'
import { fastestMs } from '../../../test/fastest.ts'
import type { Answer } from '../../../test/openai-answers.ts'
import { type OpenAiServer, startOpenAiServer } from '../../../test/openai-server.ts'
import { EngineError } from '../../errors.ts'
import type { EngineEvent, Question } from '../chat-engine.ts'
import { createRemote, type RemoteOptions } from './remote-ai.ts'

let server: OpenAiServer

beforeAll(async () => {
  server = await startOpenAiServer()
})
afterEach(() => server.reset())
afterAll(() => server.close())

const question = (content = 'Hello'): Question => ({
  instructions: 'You are Mira.',
  turns: [{ role: 'user', content }],
  language: 'en',
  timeZone: 'UTC',
  assistantName: 'Mira',
  memory: 'closed',
  passages: [],
  recall: async () => [],
  tools: [],
  toolFor: () => null,
  callTool: async () => ({ isError: true, text: '' }),
})

const createTestRemote = (options: Partial<RemoteOptions> = {}) =>
  createRemote({
    baseUrl: server.baseUrl,
    apiKey: 'sk-test',
    chatModel: 'test-model',
    log: silentLog,
    retryDelayMs: 10,
    ...options,
  })

async function collect(stream: AsyncIterable<EngineEvent>): Promise<{ events: EngineEvent[]; error: unknown }> {
  const events: EngineEvent[] = []
  try {
    for await (const event of stream) events.push(event)
    return { events, error: null }
  } catch (error) {
    return { events, error }
  }
}

async function ask(answers: Answer[], options?: Partial<RemoteOptions>) {
  server.next(...answers)
  const { events, error } = await collect(
    createTestRemote(options).chat.answer(question(), new AbortController().signal),
  )
  const texts = events.flatMap((event) => (event.type === 'text' ? [event.text] : []))
  return { text: texts.join(''), end: events.find(({ type }) => type === 'end'), error: error as EngineError | null }
}

describe('a model server', () => {
  test('streams its text, then its model and usage', async () => {
    server.next({
      text: 'Hello there, friend',
      model: 'test-model-2026',
      usage: { prompt_tokens: 12, completion_tokens: 3 },
    })
    const { events } = await collect(createTestRemote().chat.answer(question(), new AbortController().signal))
    expect(events).toEqual([
      { type: 'text', text: 'Hello ' },
      { type: 'text', text: 'there, ' },
      { type: 'text', text: 'friend' },
      { type: 'end', model: 'test-model-2026', usage: { input_tokens: 12, output_tokens: 3 } },
    ])
  })

  test('is sent the instructions, the conversation and the key', async () => {
    await ask([{ text: 'ok' }])
    expect(server.chats()[0]).toMatchObject({
      authorization: 'Bearer sk-test',
      body: {
        model: 'test-model',
        stream: true,
        stream_options: { include_usage: true },
        messages: [
          { role: 'system', content: 'You are Mira.' },
          { role: 'user', content: 'Hello' },
        ],
      },
    })
  })

  test('leaves the usage null when it reports none', async () => {
    const { text, end, error } = await ask([{ text: 'Hi', usage: 'none' }])
    expect({ text, end, error }).toEqual({
      text: 'Hi',
      end: { type: 'end', model: 'test-model', usage: null },
      error: null,
    })
  })

  test('may omit the first delta without content', async () => {
    expect((await ask([{ text: 'Hi', withoutNullDelta: true }])).text).toBe('Hi')
  })

  test('may send reasoning, which is kept out of the text', async () => {
    expect((await ask([{ reasoning: ['Let me ', 'think'], text: 'Four' }])).text).toBe('Four')
  })

  test('is asked without stream_options once it has rejected them', async () => {
    const remote = createTestRemote()
    server.next(
      { error: { status: 400, message: 'Unrecognized request argument: stream_options' } },
      { text: 'Hi' },
      { text: 'Ho' },
    )
    for (const expected of ['Hi', 'Ho']) {
      const { events } = await collect(remote.chat.answer(question(), new AbortController().signal))
      expect(events[0]).toEqual({ type: 'text', text: expected })
    }
    expect(server.chats().map(({ body }) => 'stream_options' in body)).toEqual([true, false, false])
  })

  test.each([
    ['breaks off', { error: { status: 503, message: 'Loading model' } }],
    ['is busy for a moment', { error: { status: 429, headers: { 'retry-after': '0' } } }],
  ] as [string, Answer][])('is asked again when it %s before the first token', async (_case, failure) => {
    const { text, error } = await ask([failure, failure, { text: 'At last' }])
    expect({ text, error, requests: server.chats().length }).toEqual({ text: 'At last', error: null, requests: 3 })
  })

  test('is asked at most three times', async () => {
    const failure: Answer = { error: { status: 500, message: 'Out of memory' } }
    const { error } = await ask([failure, failure, failure])
    expect(error?.code).toBe('model_error')
    expect(server.chats()).toHaveLength(3)
  })

  test('is not asked again before the time that it names', async () => {
    const startedAt = performance.now()
    await ask([{ error: { status: 429, headers: { 'retry-after': '1' } } }, { text: 'Now' }])
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(990)
  })
})

describe('errors have a clear code and message:', () => {
  test.each<[string, Answer, string, RegExp]>([
    [
      'a wrong key',
      { error: { status: 401, message: 'Incorrect API key: sk-secret' } },
      'model_key_refused',
      /refuses the key.*OPENAI_API_KEY/,
    ],
    ['a forbidden model', { error: { status: 403 } }, 'model_key_refused', /refuses the key/],
    [
      'no such model',
      { error: { status: 404, message: 'model "test-model" not found' } },
      'model_not_found',
      /has no model “test-model”.*CHAT_MODEL/,
    ],
    ['a wrong address', { error: { status: 404, body: '404 page not found' } }, 'model_unreachable', /ends with \/v1/],
    [
      'a rate limit',
      { error: { status: 429, headers: { 'retry-after': '90' } } },
      'model_rate_limited',
      /Try again in 90 seconds/,
    ],
    [
      'a text that is too long (OpenAI)',
      {
        error: {
          status: 400,
          message: "This model's maximum context length is 4096 tokens.",
          code: 'context_length_exceeded',
        },
      },
      'context_too_long',
      /more text than the model/,
    ],
    [
      'a text that is too long (llama.cpp)',
      {
        error: {
          status: 400,
          message: 'the request exceeds the available context size',
          type: 'exceed_context_size_error',
        },
      },
      'context_too_long',
      /more text/,
    ],
    [
      'an older error format',
      { error: { status: 400, body: { object: 'error', message: 'Bad temperature', code: 400 } } },
      'model_error',
      /\(400\): Bad temperature/,
    ],
    [
      'a validation error of FastAPI',
      { error: { status: 422, body: { detail: [{ msg: 'Field required' }] } } },
      'model_error',
      /Field required/,
    ],
    [
      'a server that repeats the key',
      { error: { status: 400, message: 'the header was Bearer sk-test' } },
      'model_error',
      /the header was Bearer \[hidden\]$/,
    ],
    ['an HTML page of a proxy', { error: { status: 400, body: '<html>no</html>' } }, 'model_error', /\(400\)/],
    ['silence before the headers', { hang: 'headers' }, 'model_timeout', /didn’t start answering within \d+ seconds/],
    ['silence before the first token', { hang: 'first' }, 'model_timeout', /didn’t start answering/],
    ['silence in the middle', { text: 'one two three', hang: 2 }, 'model_timeout', /stopped responding in the middle/],
    [
      'a connection broken in the middle',
      { text: 'one two three', cutAfter: 2 },
      'answer_cut_off',
      /broke off in the middle/,
    ],
    ['a stream that ends without a finish reason', { text: 'one two', endEarly: true }, 'answer_cut_off', /broke off/],
    [
      'an error in the middle',
      { text: 'one two', errorInStream: { message: 'CUDA out of memory' } },
      'answer_cut_off',
      /CUDA out of memory/,
    ],
    [
      'a key that is revoked in the middle',
      { text: 'one two', errorInStream: { message: 'Key revoked', code: '401' } },
      'model_key_refused',
      /refuses the key/,
    ],
    ['an empty answer', { text: '' }, 'empty_answer', /empty answer/],
    ['a refusal', { text: '', finishReason: 'content_filter' }, 'empty_answer', /declined/],
  ])('%s', async (_case, answer, code, sentence) => {
    // Short timeouts only where the server is silent, so that nothing else is mistaken for silence.
    const { error } = await ask([answer], 'hang' in answer ? { firstTokenTimeoutMs: 400, idleTimeoutMs: 400 } : {})
    expect(error).toBeInstanceOf(EngineError)
    expect(error?.code).toBe(code)
    expect(error?.message).toMatch(sentence)
    expect(error?.message).not.toContain('sk-secret')
  })

  test('nothing listening at the address', async () => {
    const closedServer = await startOpenAiServer()
    await closedServer.close()
    const { error } = await ask([], { baseUrl: closedServer.baseUrl })
    expect(error?.code).toBe('model_unreachable')
    expect(error?.message).toMatch(/127\.0\.0\.1:\d+: nothing is listening there/)
  })

  test('an unknown host', async () => {
    const { error } = await ask([], { baseUrl: 'http://user:secret@no-such-host.invalid/v1' })
    expect(error?.code).toBe('model_unreachable')
    expect(error?.message).toMatch(/http:\/\/no-such-host\.invalid/)
    expect(error?.message).not.toContain('secret')
  })

  test('the text before the error is kept', async () => {
    expect((await ask([{ text: 'one two three', cutAfter: 2 }])).text).toBe('one two ')
  })

  test('nothing is retried after the first token', async () => {
    await ask([{ text: 'one two three', cutAfter: 2 }])
    expect(server.chats()).toHaveLength(1)
  })
})

describe('stopping', () => {
  test('ends the call at the model server within a second, without an error', async () => {
    server.next({ text: 'one two three four', delayMs: 50, hang: 3 })
    const stop = new AbortController()
    const stream = createTestRemote().chat.answer(question(), stop.signal)
    setTimeout(() => stop.abort(), 200)
    const { events, error } = await collect(stream)
    expect(error).toBe(null)
    expect(events.length).toBeGreaterThan(0)
    expect(events.some(({ type }) => type === 'end')).toBe(false)
    await expect.poll(() => server.chats()[0]?.abandonedAt, { timeout: 1000 }).toBeTypeOf('number')
  })

  test('works while waiting for the first token', async () => {
    const fastest = await fastestMs(async () => {
      server.next({ hang: 'headers' })
      const stop = new AbortController()
      setTimeout(() => stop.abort(), 100)
      const remote = createTestRemote()
      expect((await collect(remote.chat.answer(question(), stop.signal))).error).toBe(null)
    })
    expect(fastest).toBeLessThan(1000)
  })

  test('works while waiting for a retry', async () => {
    const fastest = await fastestMs(async () => {
      server.reset()
      server.next({ error: { status: 429, headers: { 'retry-after': '15' } } })
      const stop = new AbortController()
      setTimeout(() => stop.abort(), 200)
      await collect(createTestRemote().chat.answer(question(), stop.signal))
      expect(server.chats()).toHaveLength(1)
    })
    expect(fastest).toBeLessThan(1000)
  })
})

describe('the model', () => {
  test('is the first that can chat when none is configured', async () => {
    server.models = ['text-embedding-3-small', 'whisper-1', 'llama-3', 'other']
    await ask([{ text: 'Hi' }], { chatModel: undefined })
    expect(server.chats()[0]?.body.model).toBe('llama-3')
  })

  test('is missing with a clear error when the server lists none that can chat', async () => {
    server.models = ['nomic-embed-text']
    const { error } = await ask([], { chatModel: undefined })
    expect(error?.code).toBe('model_not_found')
    expect(error?.message).toMatch(/lists no model that can chat. Set CHAT_MODEL/)
  })

  test.each([
    ['none is reported', ['m'], 8192],
    ['llama.cpp reports it', [{ id: 'm', meta: { n_ctx_train: 4096 } }], 4096],
    ['vLLM reports it', [{ id: 'm', max_model_len: 16_384 }], 16_384],
    ['Mistral reports it', [{ id: 'm', max_context_length: 32_768 }], 32_768],
    ['it exceeds the maximum', [{ id: 'm', context_length: 1_000_000 }], 65_536],
  ])('has the right context size when %s', async (_case, models, tokens) => {
    server.models = models
    const remote = createTestRemote({ chatModel: 'm' })
    remote.check('chat')
    await expect.poll(() => remote.check('chat').state).toBe('ok')
    expect(await remote.chat.contextTokens()).toBe(tokens)
  })

  test('has the context size that an error reports', async () => {
    const remote = createTestRemote()
    server.next({
      error: { status: 400, body: { error: { message: 'too long', type: 'exceed_context_size_error', n_ctx: 2048 } } },
    })
    await collect(remote.chat.answer(question(), new AbortController().signal))
    expect(await remote.chat.contextTokens()).toBe(2048)
  })

  test('writes a title in a separate call', async () => {
    server.completionText = 'Dentist in May'
    const title = await createTestRemote().chat.title('When?', 'In May.', new AbortController().signal)
    expect(title).toBe('Dentist in May')
  })
})

describe('the check', () => {
  test('is ok when the server lists its models', async () => {
    const remote = createTestRemote()
    expect(remote.check('chat')).toMatchObject({
      state: 'error',
      reason: expect.stringContaining('hasn’t answered yet'),
    })
    await expect
      .poll(() => remote.check('chat'))
      .toEqual({
        ...{ state: 'ok', engine: 'remote', model: 'test-model' },
        checked_at: expect.stringMatching(/^\d{4}-.*Z$/),
      })
  })

  test('asks the server at most once per interval', async () => {
    const remote = createTestRemote()
    for (let times = 0; times < 50; times++) remote.check('chat')
    await expect.poll(() => remote.check('chat').state).toBe('ok')
    for (let times = 0; times < 50; times++) remote.check('chat')
    expect(server.requests).toHaveLength(1)
  })

  test('has the reason while the server is down, and recovers when it is back', async () => {
    const remote = createTestRemote({ probeIntervalMs: 20 })
    await server.stop()
    try {
      remote.check('chat')
      await expect
        .poll(() => remote.check('chat').reason)
        .toMatch(/No model server can be reached.*nothing is listening there/)
    } finally {
      await server.listen()
    }
    await expect.poll(() => remote.check('chat').state).toBe('ok')
  })

  test('reports a rejected key', async () => {
    server.modelsError = { status: 401 }
    const remote = createTestRemote()
    remote.check('chat')
    await expect.poll(() => remote.check('chat').reason).toMatch(/refuses the key/)
  })

  test('is ok when the server cannot list models', async () => {
    server.modelsError = { status: 404 }
    const remote = createTestRemote()
    remote.check('chat')
    await expect.poll(() => remote.check('chat').state).toBe('ok')
  })
})
