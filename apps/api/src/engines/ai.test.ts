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
  test('chats with the built-in engine', () => {
    const ai = createTestAi({})
    expect(ai.chat().name).toBe('built-in')
    expect(ai.checks().chat).toEqual({ state: 'ok', engine: 'built-in', model: 'built-in' })
  })

  test('logs a warning when a model is set without a server', () => {
    const warnings: unknown[] = []
    const log = { warn: (_fields: object, message: string) => warnings.push(message) } as unknown as typeof silentLog
    createAi({ config: readConfig({ CHAT_MODEL: 'llama3.2' }), log })
    createAi({ config: readConfig({}), log })
    expect(warnings).toEqual([expect.stringContaining('CHAT_MODEL is set without OPENAI_BASE_URL')])
  })

  test('lists every capability, with a reason when it is off', () => {
    const checks = createTestAi({}).checks()
    expect(Object.keys(checks).sort()).toEqual([...capabilities].sort())
    for (const check of Object.values(checks)) {
      if (check.state === 'off') expect(check.reason).toMatch(/\.$/)
    }
  })
})

describe('with a model server configured', () => {
  test('chats with the server when only its address is set', async () => {
    const ai = createTestAi({ OPENAI_BASE_URL: server.baseUrl })
    expect(ai.chat().name).toBe('remote')
    await expect.poll(() => ai.checks().chat).toMatchObject({ state: 'ok', engine: 'remote', model: 'test-model' })
  })

  test('connects to OpenAI when a key is set without an address', () => {
    const ai = createTestAi({ OPENAI_API_KEY: 'sk-x', CHAT_MODEL: 'gpt' }, { probeTimeoutMs: 1 })
    expect(ai.chat().name).toBe('remote')
    expect(ai.checks().chat.reason).toContain('https://api.openai.com')
  })

  test('does not fall back to another engine when the server is down', async () => {
    const closedServer = await startOpenAiServer()
    await closedServer.close()
    const ai = createTestAi({ OPENAI_BASE_URL: closedServer.baseUrl })
    await expect.poll(() => ai.checks().chat.reason).toMatch(/nothing is listening there/)
    expect(ai.checks().chat).toMatchObject({ state: 'error', engine: 'remote' })
    expect(ai.chat().name).toBe('remote')
  })
})

describe('with one server for everything', () => {
  const createWithServer = (environment: Record<string, string>) =>
    createTestAi({ OPENAI_BASE_URL: server.baseUrl, ...environment })

  test('uses the model configured for each capability', async () => {
    const models = { VISION_MODEL: 'eye', EMBEDDING_MODEL: 'near', TRANSCRIPTION_MODEL: 'ear', CHAT_MODEL: 'mouth' }
    const ai = createWithServer(models)
    const expected = { chat: 'mouth', vision: 'eye', caption: 'eye', embedding: 'near', transcription: 'ear' }
    for (const [capability, model] of Object.entries(expected)) {
      await expect.poll(() => ai.checks()[capability as 'chat']).toMatchObject({ state: 'ok', engine: 'remote', model })
    }
    const engines = [ai.chat(), ai.vision(), ai.caption(), ai.embedding(), ai.transcription(), ai.imageEmbedding()]
    expect(engines.map((engine) => engine?.model() ?? null)).toEqual(['mouth', 'eye', 'eye', 'near', 'ear', null])
    expect(ai.reasonOff('caption')).toBe(null)
    expect(ai.reasonOff('image_embedding')?.text).toMatch(/Set LOCAL_MODELS=auto/)
  })

  test('recognises the models for each capability by name', async () => {
    server.models = ['bge-reranker-v2', 'all-minilm:latest', 'gpt-4o-transcribe', 'whisper-large-v3', 'llava', 'other']
    const ai = createWithServer({})
    await expect.poll(() => ai.checks().chat.state).toBe('ok')
    const engines = [ai.chat(), ai.vision(), ai.embedding(), ai.transcription()]
    expect(engines.map((engine) => engine?.model())).toEqual([
      'llava',
      'llava',
      'all-minilm:latest',
      'whisper-large-v3',
    ])
  })

  test('turns off capabilities without a model, and names the variable to set', async () => {
    server.models = ['llama-3']
    const ai = createWithServer({})
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

  test('sends images to a model that declares image input, and to none when no model does', async () => {
    const textOnly = { id: 'llama-3', architecture: { input_modalities: ['text'] } }
    server.models = [textOnly, { id: 'qwen-vl', architecture: { input_modalities: ['text', 'image'] } }]
    const ai = createWithServer({})
    await expect.poll(() => ai.checks().vision).toMatchObject({ state: 'ok', engine: 'remote', model: 'qwen-vl' })
    expect([ai.chat().model(), ai.vision()?.model()]).toEqual(['llama-3', 'qwen-vl'])
    server.models = [textOnly]
    const otherAi = createWithServer({})
    await expect.poll(() => otherAi.checks().chat.state).toBe('ok')
    expect([otherAi.vision(), otherAi.caption()]).toEqual([null, null])
    expect(otherAi.reasonOff('vision')?.text).toMatch(/lists no model that sees pictures. Set VISION_MODEL/)
  })

  test('has default models for OpenAI without listing its models', () => {
    const ai = createTestAi({ OPENAI_API_KEY: 'sk-x' }, { probeTimeoutMs: 1 })
    expect([ai.embedding()?.model(), ai.transcription()?.model()]).toEqual(['text-embedding-3-small', 'whisper-1'])
  })

  test('takes the OCR check from the OCR reader', () => {
    const ocrCheck = () => ({ state: 'ok', engine: 'built-in', model: 'tesseract' }) as const
    const ai = createAi({ config: readConfig({}), log: silentLog, ocrCheck })
    expect([ai.checks().ocr, ai.reasonOff('ocr')]).toEqual([ocrCheck(), null])
  })
})

describe('with local models', () => {
  const ready: Check = { state: 'ok', engine: 'local', model: 'small' }
  const downloading: Check = { state: 'off', reason: 'It is being downloaded (3 %).' }
  const failed: Check = { state: 'error', engine: 'local', model: 'small', reason: 'It grew.' }

  function createWith(
    check: Check,
    options: { environment?: Record<string, string>; choice?: EngineChoice; chats?: boolean } = {},
  ) {
    const requestedModels: string[] = []
    const engine = { engine: 'local' }
    const chatEngine = options.chats ? { name: 'local', model: () => 'small' } : null
    const local = {
      ...{
        isEnabled: true,
        check: () => check,
        requestModel: (capability: string) => requestedModels.push(capability),
      },
      ...{ captioner: engine, transcriber: engine, embedder: engine, imageEmbedder: engine, chat: () => chatEngine },
    } as unknown as LocalAi
    const config = readConfig(options.environment ?? {})
    const choiceOf = () => options.choice
    return { ai: createAi({ config, log: silentLog, local, choiceOf }), requestedModels }
  }
  const localEngines = (ai: Ai) => [ai.caption(), ai.transcription(), ai.embedding(), ai.imageEmbedding()]

  test('uses local models for what no server does', () => {
    const { ai, requestedModels } = createWith(ready)
    expect(localEngines(ai).map((one) => one?.engine)).toEqual(Array(4).fill('local'))
    expect(ai.checks().embedding).toEqual(ready)
    expect(ai.options('embedding').choices).toEqual(['auto', 'remote', 'local', 'off'])
    expect(ai.options('chat').choices).toEqual(['auto', 'remote', 'local', 'off'])
    // No local chat model was downloaded.
    expect(ai.checks().chat).toMatchObject({ state: 'ok', engine: 'built-in' })
    expect(requestedModels).toEqual([])
  })

  test('uses local models although they failed before, and downloads them only when needed', () => {
    expect(localEngines(createWith(failed).ai).map((one) => one?.engine)).toEqual(Array(4).fill('local'))
    const { ai, requestedModels } = createWith(downloading)
    ai.checks()
    ai.reasonOff('caption')
    expect(requestedModels).toEqual([])
    expect(localEngines(ai)).toEqual([null, null, null, null])
    ai.requestModel('embedding')
    expect(requestedModels).toEqual(['caption', 'transcription', 'embedding', 'image_embedding', 'embedding'])
    expect(ai.reasonOff('caption')?.text).toBe(downloading.reason)
  })

  test('prefers a server that has a model, even before it has responded', async () => {
    server.models = ['llama-3', 'all-minilm']
    const { ai } = createWith(ready, { environment: { OPENAI_BASE_URL: server.baseUrl } })
    expect(ai.checks().embedding).toMatchObject({ state: 'error', engine: 'remote' })
    await expect.poll(() => ai.embedding()?.engine).toBe('remote')
    await expect.poll(() => ai.transcription()?.engine).toBe('local')
  })

  test('chats with a local model while the server is down, unless an administrator chose the server only', async () => {
    const closedServer = await startOpenAiServer()
    await closedServer.close()
    const environment = { OPENAI_BASE_URL: closedServer.baseUrl, CHAT_MODEL: 'far' }
    const automatic = createWith(ready, { environment, chats: true }).ai
    await expect.poll(() => automatic.checks().chat).toEqual(ready)
    expect([automatic.chat().name, automatic.chat().model()]).toEqual(['local', 'small'])
    const remote = createWith(ready, { environment, chats: true, choice: { engine: 'remote', model: null } }).ai
    await expect.poll(() => remote.checks().chat.reason).toMatch(/nothing is listening there/)
    expect([remote.chat().name, remote.checks().chat.state]).toEqual(['remote', 'error'])
  })

  test('prefers a server for chat while it is up', async () => {
    const { ai } = createWith(ready, { environment: { OPENAI_BASE_URL: server.baseUrl }, chats: true })
    await expect.poll(() => ai.checks().chat).toMatchObject({ state: 'ok', engine: 'remote' })
    expect(ai.chat().name).toBe('remote')
  })

  test('lets an administrator prefer local models or exclude them', () => {
    const choose = (engine: EngineChoice['engine'], check = ready) =>
      createWith(check, { environment: { OPENAI_BASE_URL: server.baseUrl }, choice: { engine, model: null } })
    expect(choose('local').ai.embedding()?.engine).toBe('local')
    expect(choose('remote').ai.imageEmbedding()).toBe(null)
    for (const engine of ['off', 'remote'] as const) {
      const { ai, requestedModels } = choose(engine, downloading)
      expect(ai.imageEmbedding()).toBe(null)
      ai.requestModel('image_embedding')
      expect(requestedModels).toEqual([])
    }
  })
})
