import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { silentLog } from '../../../test/database-template.ts'
import { installTinyModels } from '../../../test/local-model-files.ts'
import { CAPTION } from '../../../test/local-models/captioning.ts'
import { ANSWER, SPEECH } from '../../../test/local-models/speech-and-chat-models.ts'
import { testSandboxing } from '../../../test/test-sandboxing.ts'
import { writeWav } from '../../../test/wav-files.ts'
import type { EngineEvent, Question } from '../chat-engine.ts'
import { catalogue, defaultModel, type LocalCapability } from './catalogue.ts'
import { createLocalAi, type LocalAi, type LocalAiOptions } from './local-ai.ts'
import { createLocalModelFiles } from './local-models.ts'

// Starting a process takes seconds on a busy machine.
vi.setConfig({ testTimeout: 180_000 })

let directory: string
const open: LocalAi[] = []
let chosenModels: Partial<Record<LocalCapability, string>> = {}

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'mira-local-ai-'))
  installTinyModels(directory)
})
afterEach(async () => {
  for (const localAi of open.splice(0)) await localAi.close()
  chosenModels = {}
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

async function start(limits: LocalAiOptions['limits'] = {}, folder = directory): Promise<LocalAi> {
  const hub = { baseUrl: 'http://127.0.0.1:9' }
  const files = await createLocalModelFiles({
    isEnabled: true,
    directory: folder,
    pinsDirectory: join(folder, 'pins'),
    hub,
    log: silentLog,
  })
  const chosenModel = (capability: LocalCapability) => chosenModels[capability] ?? null
  const local = createLocalAi({ sandboxing: testSandboxing, files, chosenModel, limits, log: silentLog })
  open.push(local)
  return local
}

const { signal } = new AbortController()
const cosine = (one: number[] = [], other: number[] = []) =>
  one.reduce((sum, number, index) => sum + number * (other[index] ?? 0), 0)
const plainImage = (background: string) =>
  sharp({ create: { width: 60, height: 40, channels: 3, background } })
    .webp()
    .toBuffer()
/** Ids of the model processes started by this process. */
function modelProcesses(): number[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    try {
      const parent = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[1]
      const isModel = readFileSync(`/proc/${name}/cmdline`, 'utf8').includes('model-process.ts')
      return isModel && Number(parent) === process.pid ? [Number(name)] : []
    } catch {
      // The process has ended meanwhile.
      return []
    }
  })
}
const isLoaded = async (local: LocalAi, id: string) => (await local.list()).find((one) => one.id === id)?.is_loaded

describe('a local model', () => {
  test('embeds any number of texts, with similar meanings close together across languages', async () => {
    const local = await start()
    const texts = ['the cat', 'eine katze', 'a truck', ...Array.from({ length: 20 }, (_, index) => `hello ${index}`)]
    const passages = await local.embedder.embed(texts, 'passage', signal)
    const { vectors } = await local.embedder.embed(['kitten'], 'query', signal)
    expect(passages).toMatchObject({ model: 'Xenova/multilingual-e5-small', dimensions: 16 })
    expect(passages.vectors).toHaveLength(texts.length)
    expect(cosine(vectors[0], passages.vectors[1])).toBeGreaterThan(0.8)
    expect(cosine(vectors[0], passages.vectors[2])).toBeLessThan(0.4)
    expect(await isLoaded(local, 'Xenova/multilingual-e5-small')).toBe(true)
    expect(local.check('embedding')).toEqual({ state: 'ok', engine: 'local', model: 'Xenova/multilingual-e5-small' })
  })

  test.each(['Xenova/bge-reranker-base', 'Xenova/ms-marco-MiniLM-L-6-v2'])(
    'scores how well any number of texts answer a query (%s)',
    async (id) => {
      chosenModels = { rerank: id }
      const { reranker } = await start()
      const texts = ['a truck', 'the invoice', ...Array.from({ length: 20 }, (_, index) => `something ${index}`)]
      const { scores, model } = await reranker.rerank('where is the bill', texts, signal)
      expect([model, scores.length]).toEqual([id, texts.length])
      expect(scores.indexOf(Math.max(...scores))).toBe(1)
      expect(await reranker.rerank('bill', [], signal)).toEqual({ scores: [], model: id })
    },
  )

  test.each(['Xenova/siglip-base-patch16-224', 'Xenova/clip-vit-base-patch32'])(
    'embeds images close to their descriptions (%s)',
    async (id) => {
      chosenModels = { image_embedding: id }
      const { imageEmbedder } = await start()
      const pictures = await imageEmbedder.embedPictures(
        [await plainImage('#ff6600'), await plainImage('#0066ff')],
        signal,
      )
      const texts = await imageEmbedder.embedTexts(['a photo of a sunset'], signal)
      expect([pictures.model, texts.model, pictures.dimensions]).toEqual([id, id, 3])
      expect(cosine(texts.vectors[0], pictures.vectors[0])).toBeGreaterThan(0.95)
      expect(cosine(texts.vectors[0], pictures.vectors[1])).toBeLessThan(0.5)
    },
  )

  test.each(['onnx-community/Florence-2-base-ft', 'Xenova/vit-gpt2-image-captioning'])(
    'describes an image in English, even for a user of another language (%s)',
    async (id) => {
      chosenModels = { caption: id }
      const { captioner } = await start()
      const picture = { data: await plainImage('#ff6600'), contentType: 'image/webp' }
      const result = await captioner.caption(picture, { language: 'de', signal })
      expect(result).toEqual({ text: CAPTION, model: id, language: 'en' })
    },
  )

  test('transcribes speech in windows, detects the language and skips silence', async () => {
    const local = await start()
    const filename = writeWav([
      ...[{ seconds: 20 }, { seconds: 8, isSilent: true }, { seconds: 3 }, { seconds: 32, isSilent: true }],
    ])
    const steps: number[] = []
    const transcript = await local.transcriber.transcribe(filename, {
      durationSeconds: 63,
      signal,
      onProgress: (progress) => steps.push(progress),
    })
    expect(transcript).toMatchObject({ language: 'en', model: 'Xenova/whisper-base' })
    expect(transcript.segments).toHaveLength(2)
    expect(new Set(transcript.segments.map(({ text }) => text))).toEqual(new Set([SPEECH]))
    expect(transcript.segments[0]).toMatchObject({ start: 0, end: 2, confidence: null })
    // The first window ends in the pause.
    expect(transcript.segments[1]?.start).toBeGreaterThan(20)
    expect(transcript.segments[1]?.start).toBeLessThan(28.1)
    expect(steps.at(-1)).toBe(1)
    expect(steps).toEqual(steps.toSorted((one, other) => one - other))
  })
})

describe('a local chat model', () => {
  const ENDLESS = 'HuggingFaceTB/SmolLM2-360M-Instruct'
  const questionOf = (content: string, changes: Partial<Question> = {}): Question => ({
    ...{ instructions: 'Be brief.', turns: [{ role: 'user', content }], language: 'en', timeZone: 'UTC' },
    ...{ assistantName: 'Mira', recall: async () => [], memory: 'unasked', passages: [], tools: [] },
    ...{ toolFor: () => null, callTool: async () => ({ isError: false, text: 'It is 4.' }) },
    ...changes,
  })
  const passage = {
    source: {
      ...{ n: 1, media_id: 'm', media_type: 'document', title: 'harbour.txt', snippet: 'The harbour is blue.' },
      ...{ thumbnail: null, url: '/gallery?item=m' },
    },
    ...{ text: 'The harbour is blue.', certainty: 'found' as const },
  }
  const all = async (answer: AsyncIterable<EngineEvent> = empty()): Promise<EngineEvent[]> => {
    const events: EngineEvent[] = []
    for await (const event of answer) events.push(event)
    return events
  }
  async function* empty(): AsyncGenerator<EngineEvent> {}
  const textOf = (events: EngineEvent[]) => events.map((event) => (event.type === 'text' ? event.text : '')).join('')

  test('answers a long question with citations, and rejects one that exceeds its context', async () => {
    const local = await start()
    const question = questionOf(`Which colour? ${'word '.repeat(200)}`, {
      memory: 'searched',
      passages: [passage as never],
    })
    const events = await all(local.chat()?.answer(question, signal))
    expect(textOf(events)).toBe(ANSWER)
    expect(events.filter(({ type }) => type === 'sources')).toMatchObject([{ sources: [{ title: 'harbour.txt' }] }])
    const end = events.at(-1)
    expect(end).toMatchObject({ type: 'end', model: defaultModel('chat').id, usage: { output_tokens: 7 } })
    expect(end?.type === 'end' && end.usage?.input_tokens).toBeGreaterThan(1_000)
    const tooLong = local.chat()?.answer(questionOf('word '.repeat(2_000)), signal)
    await expect(all(tooLong)).rejects.toMatchObject({ code: 'context_too_long' })
    expect(local.check('chat')).toEqual({ state: 'ok', engine: 'local', model: defaultModel('chat').id })
  })

  test('stops an answer without ending its process, answers one question at a time, and obeys max_tokens', async () => {
    const local = await start()
    expect(local.chatModels().map(({ id }) => id)).toEqual([defaultModel('chat').id, ENDLESS])
    const engine = local.chat(ENDLESS)
    if (engine === null) throw new Error('the model is not installed')
    const stop = new AbortController()
    const events: EngineEvent[] = []
    const [, later] = await Promise.all([
      (async () => {
        for await (const event of engine.answer(questionOf('Sing'), stop.signal)) {
          events.push(event)
          if (events.length === 3) stop.abort()
        }
      })(),
      all(engine.answer(questionOf('Sing', { parameters: { max_tokens: 20 } }), signal)),
    ])
    expect(events.map(({ type }) => type)).toEqual(['text', 'text', 'text'])
    expect(textOf(later)).toMatch(/^la( la| ?la)+$/)
    expect(later.at(-1)).toMatchObject({ type: 'end', usage: { output_tokens: 20 } })
    expect(modelProcesses()).toHaveLength(1)
    expect(await isLoaded(local, ENDLESS)).toBe(true)
  })

  test('leaves a question that certainly asks for a tool to that tool', async () => {
    const local = await start()
    const events = await all(
      local.chat()?.answer(questionOf('What is 2 + 2?', { toolFor: () => 'calculator' }), new AbortController().signal),
    )
    expect(textOf(events)).toBe('It is 4.')
    expect(modelProcesses()).toEqual([])
  })
})

describe('the process of a local model', () => {
  const embed = (local: LocalAi) => local.embedder.embed(['hello'], 'passage', signal)

  test('reports a crash and is restarted', async () => {
    const local = await start()
    const filename = writeWav([{ seconds: 40 }])
    const transcribe = () => local.transcriber.transcribe(filename, { durationSeconds: 40, language: 'en', signal })
    const dying = transcribe().catch((error: unknown) => error)
    await vi.waitFor(async () => expect(await isLoaded(local, 'Xenova/whisper-base')).toBe(true), { timeout: 60_000 })
    for (const pid of modelProcesses()) process.kill(pid, 'SIGKILL')
    expect(await dying).toMatchObject({ code: 'local_model_crashed', isPermanent: false })
    const reason = 'The local model Xenova/whisper-base crashed.'
    expect(local.check('transcription')).toMatchObject({ state: 'error', engine: 'local', reason })
    expect((await transcribe()).segments.length).toBeGreaterThan(0)
    expect(local.check('transcription').state).toBe('ok')
  })

  test('is killed with a clear error when it uses too much memory, while others go on', async () => {
    const [small, other] = [await start({ memoryLimitMb: 90 }), await start()]
    const growing = small.transcriber.transcribe(writeWav([{ seconds: 100 }]), { durationSeconds: 100, signal })
    await expect(growing).rejects.toMatchObject({
      code: 'local_model_memory',
      message: 'The local model Xenova/whisper-base used more than 90 MB of memory and was stopped.',
    })
    expect((await embed(other)).vectors).toHaveLength(1)
  })

  test('is ended when idle, and loads its model again for the next task', async () => {
    const local = await start({ idleMs: 200 })
    await embed(local)
    await vi.waitFor(async () => expect(await isLoaded(local, 'Xenova/multilingual-e5-small')).toBe(false), {
      timeout: 60_000,
    })
    expect((await embed(local)).vectors).toHaveLength(1)
  })

  test('is replaced when another model is chosen; an unknown model means the default', async () => {
    const local = await start()
    await embed(local)
    chosenModels = { embedding: 'Xenova/all-MiniLM-L6-v2' }
    expect((await embed(local)).model).toBe('Xenova/all-MiniLM-L6-v2')
    expect(await isLoaded(local, 'Xenova/multilingual-e5-small')).toBe(false)
    chosenModels = { embedding: 'a model of a server elsewhere' }
    expect(local.check('embedding').model).toBe('Xenova/multilingual-e5-small')
  })

  test('keeps loading when the caller aborts', async () => {
    const local = await start()
    await expect(local.embedder.embed(['hello'], 'query', AbortSignal.timeout(1))).rejects.toThrow(/timeout/)
    await vi.waitFor(async () => expect(await isLoaded(local, 'Xenova/multilingual-e5-small')).toBe(true), {
      timeout: 60_000,
    })
  })

  test('reports that a broken file cannot be loaded, without its path', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mira-local-ai-broken-'))
    installTinyModels(folder, ['Xenova/multilingual-e5-small'])
    const weights = join(folder, 'Xenova/multilingual-e5-small/onnx/model_quantized.onnx')
    writeFileSync(weights, readFileSync(weights).subarray(0, 100))
    const local = await start({}, folder)
    const failure = await embed(local).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'load_failed', message: expect.stringContaining('can’t be loaded') })
    expect(String(failure)).not.toContain(folder)
    rmSync(folder, { recursive: true })
  })

  test('is not started for a model that is not installed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mira-local-ai-none-'))
    const local = await start({}, folder)
    const { id } = defaultModel('caption')
    expect(local.check('caption').reason).toBe(
      `The model ${id} isn’t on this server yet. It’ll be downloaded the first time it’s needed.`,
    )
    expect(await local.list()).toMatchObject(catalogue.map(() => ({ state: 'absent', is_loaded: false })))
    rmSync(folder, { recursive: true })
  })
})
