import { type Check, capabilities, type EngineChoice } from '@mira/shared'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { silentLog } from '../../test/database-template.ts'
import { type OpenAiServer, startOpenAiServer } from '../../test/openai-server.ts'
import { readConfig } from '../config.ts'
import { type Ai, createAi } from './ai.ts'
import type { LocalAi } from './local/local-ai.ts'

let server: OpenAiServer

beforeAll(async () => {
  server = await startOpenAiServer()
})
afterEach(() => server.reset())
afterAll(() => server.close())

const createTestAi = (environment: Record<string, string>, remote = {}) =>
  createAi({ config: readConfig(environment), log: silentLog, remote })

describe('with no model configured', () => {
  test('the built-in engine chats', () => {
    const ai = createTestAi({})
    expect(ai.chat().name).toBe('built-in')
    expect(ai.checks().chat).toEqual({ state: 'ok', engine: 'built-in', model: 'built-in' })
  })

  test('a model without a server is named in the log', () => {
    const warnings: unknown[] = []
    const log = { warn: (_fields: object, words: string) => warnings.push(words) } as unknown as typeof silentLog
    createAi({ config: readConfig({ CHAT_MODEL: 'llama3.2' }), log })
    createAi({ config: readConfig({}), log })
    expect(warnings).toEqual([expect.stringContaining('CHAT_MODEL is set without OPENAI_BASE_URL')])
  })

  test('every capability is named, and what is off says why', () => {
    const checks = createTestAi({}).checks()
    expect(Object.keys(checks).sort()).toEqual([...capabilities].sort())
    for (const check of Object.values(checks)) {
      if (check.state === 'off') expect(check.reason).toMatch(/\.$/)
    }
  })
})

describe('with a model server configured', () => {
  test('it chats, by its address alone', async () => {
    const ai = createTestAi({ OPENAI_BASE_URL: server.baseUrl })
    expect(ai.chat().name).toBe('remote')
    await expect.poll(() => ai.checks().chat).toMatchObject({ state: 'ok', engine: 'remote', model: 'test-model' })
  })

  test('a key alone means OpenAI', () => {
    const ai = createTestAi({ OPENAI_API_KEY: 'sk-x', CHAT_MODEL: 'gpt' }, { probeTimeoutMs: 1 })
    expect(ai.chat().name).toBe('remote')
    expect(ai.checks().chat.reason).toContain('https://api.openai.com')
  })

  test('nothing else answers in its name when it is down', async () => {
    const closedServer = await startOpenAiServer()
    await closedServer.close()
    const ai = createTestAi({ OPENAI_BASE_URL: closedServer.baseUrl })
    await expect.poll(() => ai.checks().chat.reason).toMatch(/nothing is listening there/)
    expect(ai.checks().chat).toMatchObject({ state: 'error', engine: 'remote' })
    expect(ai.chat().name).toBe('remote')
  })
})

describe('with one server for everything', () => {
  const checkAll = (environment: Record<string, string>) =>
    createTestAi({ OPENAI_BASE_URL: server.baseUrl, ...environment })

  test('each capability has the model that is named for it', async () => {
    const named = { VISION_MODEL: 'eye', EMBEDDING_MODEL: 'near', TRANSCRIPTION_MODEL: 'ear', CHAT_MODEL: 'mouth' }
    const ai = checkAll(named)
    const expected = { chat: 'mouth', vision: 'eye', caption: 'eye', embedding: 'near', transcription: 'ear' }
    for (const [capability, model] of Object.entries(expected)) {
      await expect.poll(() => ai.checks()[capability as 'chat']).toMatchObject({ state: 'ok', engine: 'remote', model })
    }
    const engines = [ai.chat(), ai.vision(), ai.caption(), ai.embedding(), ai.transcription(), ai.imageEmbedding()]
    expect(engines.map((engine) => engine?.model() ?? null)).toEqual(['mouth', 'eye', 'eye', 'near', 'ear', null])
    expect(ai.reasonOff('caption')).toBe(null)
    expect(ai.reasonOff('image_embedding')?.text).toMatch(/Set LOCAL_MODELS=auto/)
  })

  test('they are found by their names', async () => {
    server.models = ['bge-reranker-v2', 'all-minilm:latest', 'gpt-4o-transcribe', 'whisper-large-v3', 'llava', 'other']
    const ai = checkAll({})
    await expect.poll(() => ai.checks().chat.state).toBe('ok')
    const engines = [ai.chat(), ai.vision(), ai.embedding(), ai.transcription()]
    expect(engines.map((engine) => engine?.model())).toEqual([
      'llava',
      'llava',
      'all-minilm:latest',
      'whisper-large-v3',
    ])
  })

  test('what the server has no model for is off, with the variable to set', async () => {
    server.models = ['llama-3']
    const ai = checkAll({})
    await expect.poll(() => ai.checks().chat.state).toBe('ok')
    const address = new URL(server.baseUrl).origin
    expect([ai.embedding(), ai.transcription(), ai.reasonOff('embedding')?.text, ai.checks().transcription]).toEqual([
      null,
      null,
      `The model server at ${address} lists no model that embeds texts. Set EMBEDDING_MODEL to the name of one.`,
      {
        state: 'off',
        reason: `The model server at ${address} lists no model that transcribes speech. Set TRANSCRIPTION_MODEL to the name of one.`,
        told: [
          { code: 'not_listed', params: { address, capability: 'transcription', variable: 'TRANSCRIPTION_MODEL' } },
        ],
      },
    ])
  })

  test('pictures go to a model that is told to see them, and to none when all are told to be blind', async () => {
    const blind = { id: 'llama-3', architecture: { input_modalities: ['text'] } }
    server.models = [blind, { id: 'qwen-vl', architecture: { input_modalities: ['text', 'image'] } }]
    const ai = checkAll({})
    await expect.poll(() => ai.checks().vision).toMatchObject({ state: 'ok', engine: 'remote', model: 'qwen-vl' })
    expect([ai.chat().model(), ai.vision()?.model()]).toEqual(['llama-3', 'qwen-vl'])
    server.models = [blind]
    const otherAi = checkAll({})
    await expect.poll(() => otherAi.checks().chat.state).toBe('ok')
    expect([otherAi.vision(), otherAi.caption()]).toEqual([null, null])
    expect(otherAi.reasonOff('vision')?.text).toMatch(/lists no model that sees pictures. Set VISION_MODEL/)
  })

  test("OpenAI's own has models that need no list", () => {
    const ai = createTestAi({ OPENAI_API_KEY: 'sk-x' }, { probeTimeoutMs: 1 })
    expect([ai.embedding()?.model(), ai.transcription()?.model()]).toEqual(['text-embedding-3-small', 'whisper-1'])
  })

  test('the check of reading pictures comes from who reads them', () => {
    const ocrCheck = () => ({ state: 'ok', engine: 'built-in', model: 'tesseract' }) as const
    const ai = createAi({ config: readConfig({}), log: silentLog, ocrCheck })
    expect([ai.checks().ocr, ai.reasonOff('ocr')]).toEqual([ocrCheck(), null])
  })
})

describe('with models on this machine', () => {
  const here: Check = { state: 'ok', engine: 'local', model: 'small' }
  const coming: Check = { state: 'off', reason: 'It is being downloaded (3 %).' }
  const broken: Check = { state: 'error', engine: 'local', model: 'small', reason: 'It grew.' }

  function createWith(
    check: Check,
    options: { environment?: Record<string, string>; choice?: EngineChoice; chats?: boolean } = {},
  ) {
    const requestedModels: string[] = []
    const engine = { engine: 'local' }
    const chatter = options.chats ? { name: 'local', model: () => 'small' } : null
    const local = {
      ...{ isEnabled: true, check: () => check, want: (capability: string) => requestedModels.push(capability) },
      ...{ captioner: engine, transcriber: engine, embedder: engine, imageEmbedder: engine, chat: () => chatter },
    } as unknown as LocalAi
    const config = readConfig(options.environment ?? {})
    const choiceOf = () => options.choice
    return { ai: createAi({ config, log: silentLog, local, choiceOf }), requestedModels }
  }
  const four = (ai: Ai) => [ai.caption(), ai.transcription(), ai.embedding(), ai.imageEmbedding()]

  test('they do what no server does', () => {
    const { ai, requestedModels } = createWith(here)
    expect(four(ai).map((one) => one?.engine)).toEqual(Array(4).fill('local'))
    expect(ai.checks().embedding).toEqual(here)
    expect(ai.options('embedding').choices).toEqual(['auto', 'remote', 'local', 'off'])
    expect(ai.options('chat').choices).toEqual(['auto', 'remote', 'local', 'off'])
    // none of those that chat was fetched
    expect(ai.checks().chat).toMatchObject({ state: 'ok', engine: 'built-in' })
    expect(requestedModels).toEqual([])
  })

  test('they are asked although they failed before, and fetched only when somebody would use them', () => {
    expect(four(createWith(broken).ai).map((one) => one?.engine)).toEqual(Array(4).fill('local'))
    const { ai, requestedModels } = createWith(coming)
    ai.checks()
    ai.reasonOff('caption')
    expect(requestedModels).toEqual([])
    expect(four(ai)).toEqual([null, null, null, null])
    ai.want('embedding')
    expect(requestedModels).toEqual(['caption', 'transcription', 'embedding', 'image_embedding', 'embedding'])
    expect(ai.reasonOff('caption')?.text).toBe(coming.reason)
  })

  test('a server goes before them where it has a model, even while it is down', async () => {
    server.models = ['llama-3', 'all-minilm']
    const { ai } = createWith(here, { environment: { OPENAI_BASE_URL: server.baseUrl } })
    expect(ai.checks().embedding).toMatchObject({ state: 'error', engine: 'remote' })
    await expect.poll(() => ai.embedding()?.engine).toBe('remote')
    await expect.poll(() => ai.transcription()?.engine).toBe('local')
  })

  test('one that chats answers while the server is down, unless an administrator wants the server alone', async () => {
    const gone = await startOpenAiServer()
    await gone.close()
    const environment = { OPENAI_BASE_URL: gone.baseUrl, CHAT_MODEL: 'far' }
    const automatic = createWith(here, { environment, chats: true }).ai
    await expect.poll(() => automatic.checks().chat).toEqual(here)
    expect([automatic.chat().name, automatic.chat().model()]).toEqual(['local', 'small'])
    const remote = createWith(here, { environment, chats: true, choice: { engine: 'remote', model: null } }).ai
    await expect.poll(() => remote.checks().chat.reason).toMatch(/nothing is listening there/)
    expect([remote.chat().name, remote.checks().chat.state]).toEqual(['remote', 'error'])
  })

  test('a server that chats goes before one that chats here', async () => {
    const { ai } = createWith(here, { environment: { OPENAI_BASE_URL: server.baseUrl }, chats: true })
    await expect.poll(() => ai.checks().chat).toMatchObject({ state: 'ok', engine: 'remote' })
    expect(ai.chat().name).toBe('remote')
  })

  test('an administrator may want them first, or not at all', () => {
    const choose = (engine: EngineChoice['engine'], check = here) =>
      createWith(check, { environment: { OPENAI_BASE_URL: server.baseUrl }, choice: { engine, model: null } })
    expect(choose('local').ai.embedding()?.engine).toBe('local')
    expect(choose('remote').ai.imageEmbedding()).toBe(null)
    for (const engine of ['off', 'remote'] as const) {
      const { ai, requestedModels } = choose(engine, coming)
      expect(ai.imageEmbedding()).toBe(null)
      ai.want('image_embedding')
      expect(requestedModels).toEqual([])
    }
  })
})
