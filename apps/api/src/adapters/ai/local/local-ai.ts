import {
  asReason,
  type ChatModel,
  type Check,
  LOCAL_CONNECTION,
  type LocalModel,
  type Sentence,
  say,
} from '@mira/shared'
import { EngineError } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import { openWav } from '../../media/sound/wav.ts'
import type { Caging } from '../../process/caging.ts'
import { prefixed } from '../embedding/embedding-prefixes.ts'
import type { ChatEngine } from '../engine.ts'
import { readCaption } from '../remote/caption.ts'
import { isSilent, nextPiece } from '../speech/sound-pieces.ts'
import { mainLanguage, type PieceTranscript, placeSegments } from '../speech/transcript.ts'
import type { Captioner, Embedder, ImageEmbedder, Reranker, Segment, Transcriber } from '../understanding.ts'
import { catalogue, defaultModel, findModel, type LocalCapability, type LocalModelInfo } from './catalogue.ts'
import { CHAT_CONTEXT_TOKENS, createLocalChat } from './local-chat.ts'
import type { LocalModelFiles } from './local-models.ts'
import { createLocalRunner, type LocalRunner, type RunnerLimits } from './local-runner.ts'

export interface LocalAiOptions {
  caging: Caging
  files: LocalModelFiles
  /** The model that an administrator wants; null for the one to begin with. */
  chosenModel(capability: LocalCapability): string | null
  /** Short ones make tests fast. */
  limits?: Partial<RunnerLimits> | undefined
  log: Log
}

/** Engines whose models run on this machine. */
export interface LocalAi {
  isEnabled: boolean
  /** MODELS_DIR. */
  directory: string
  captioner: Captioner
  transcriber: Transcriber
  embedder: Embedder
  imageEmbedder: ImageEmbedder
  reranker: Reranker
  /** Chats with this model, or with the one in use; null when it is not on this machine. */
  chat(id?: string): ChatEngine | null
  /** Those that are on this machine. */
  chatModels(): Omit<ChatModel, 'is_default'>[]
  /** With a model that is named, whatever is chosen by now; null when it is not on this machine. */
  embedderOf(id: string): Embedder | null
  imageEmbedderOf(id: string): ImageEmbedder | null
  /** As far as is known at this moment: off while the model is not there. */
  check(capability: LocalCapability): Check
  /** Somebody would use it now: its model is fetched in the background where it is not there. */
  want(capability: LocalCapability): void
  /** The models that there are for it. */
  models(capability: LocalCapability): string[]
  list(): Promise<LocalModel[]>
  /** One of those, as known at this moment. */
  describe(model: LocalModelInfo): LocalModel
  /** Begins to fetch one. @throws as LocalModelFiles does. */
  download(id: string): LocalModel
  /** Takes a model out of memory and off the disk. @throws as LocalModelFiles does. */
  remove(id: string): Promise<void>
  /** Which model arrived, failed, went, is further than before, or is in memory now. */
  onChange(listener: (model: LocalModelInfo) => void): void
  close(): Promise<void>
}

const MINUTE = 60_000
/** A model that is told to stop looks up after every word, and after every stretch of a question that it reads. */
const STOPPED_WITHIN_MS = 15_000
const LIMITS: RunnerLimits = { idleMs: 5 * MINUTE, loadTimeoutMs: 3 * MINUTE }
/** Small batches, so that a person's question waits for one of them only. */
const BATCH_TEXTS = 8
const BATCH_PICTURES = 4
/** About what the models that put texts into order read of each. */
const RERANKED_CHARACTERS = 2_000
const WINDOW_SECONDS = 30
/** A shorter rest is left out: no word fits into it. */
const SHORTEST_REST_SECONDS = 0.1
const SAMPLE_SCALE = 32_768

const made = (vectors: Float32Array[], model: string) => ({
  vectors: vectors.map((vector) => Array.from(vector)),
  model,
  dimensions: vectors[0]?.length ?? 0,
})

/** Joins the models on this machine with the processes that run them. */
export function createLocalAi({ caging, files, chosenModel, limits, log }: LocalAiOptions): LocalAi {
  const listeners = new Set<(model: LocalModelInfo) => void>()
  const changed = (model: LocalModelInfo) => {
    for (const listener of listeners) listener(model)
  }
  files.onChange(changed)

  const isReady = (model: LocalModelInfo) => files.stateOf(model).state === 'ready'
  const modelOf = (capability: LocalCapability): LocalModelInfo => {
    const chosen = chosenModel(capability)
    const named = chosen === null ? null : findModel(chosen, capability)
    // nothing fetches a model that chats but who asks for it: the one that is there is meant
    const isMeant = capability === 'chat' && named === null
    const there = isMeant ? catalogue.filter((one) => one.capability === 'chat' && isReady(one)) : []
    const begun = defaultModel(capability)
    return named ?? (there.length === 0 || there.includes(begun) ? begun : (there[0] ?? begun))
  }
  const runnerOf = (capability: LocalCapability, model = () => modelOf(capability)): LocalRunner =>
    createLocalRunner({
      name: capability,
      directory: files.directory,
      caging,
      model,
      verified: files.verified,
      onChange: changed,
      limits: { ...LIMITS, ...(capability === 'chat' ? { cancelGraceMs: STOPPED_WITHIN_MS } : {}), ...limits },
      log,
    })
  const runners: Record<LocalCapability, LocalRunner> = {
    embedding: runnerOf('embedding'),
    image_embedding: runnerOf('image_embedding'),
    rerank: runnerOf('rerank'),
    transcription: runnerOf('transcription'),
    caption: runnerOf('caption'),
    chat: runnerOf('chat'),
  }
  const named = (capability: LocalCapability) => ({ engine: 'local' as const, model: () => modelOf(capability).id })

  /** Batches of one model: vectors of two do not go together. */
  const inBatches = async <One>(
    all: One[],
    size: number,
    run: (batch: One[]) => Promise<{ result: Float32Array[]; model: string }>,
  ) => {
    const vectors: Float32Array[] = []
    let model: string | undefined
    for (let start = 0; start < all.length; start += size) {
      const batch = await run(all.slice(start, start + size))
      if (model !== undefined && batch.model !== model) return inBatches(all, size, run)
      model = batch.model
      vectors.push(...batch.result)
    }
    return made(vectors, model ?? '')
  }

  const embedderOn = (runner: LocalRunner, model: () => string): Embedder => ({
    engine: 'local',
    model,
    embed: (texts, purpose, signal) =>
      inBatches(texts, BATCH_TEXTS, (batch) =>
        runner.run(
          'embedTexts',
          (model) => ({ model, texts: batch.map((text) => prefixed(text, purpose, model.id).toWellFormed()) }),
          { signal, timeoutMs: MINUTE, isUrgent: purpose === 'query', isShort: true },
        ),
      ),
  })

  const imageEmbedderOn = (runner: LocalRunner, model: () => string): ImageEmbedder => ({
    engine: 'local',
    model,
    embedPictures: (pictures, signal) =>
      inBatches(pictures, BATCH_PICTURES, (batch) =>
        runner.run('comparePictures', (model) => ({ model, pictures: batch }), {
          signal,
          timeoutMs: 2 * MINUTE,
          isShort: true,
        }),
      ),
    embedTexts: (texts, signal) =>
      inBatches(texts, BATCH_TEXTS, (batch) =>
        runner.run('comparePictureTexts', (model) => ({ model, texts: batch.map((text) => text.toWellFormed()) }), {
          signal,
          timeoutMs: MINUTE,
          isUrgent: true,
          isShort: true,
        }),
      ),
  })

  const reranker: Reranker = {
    ...named('rerank'),
    async rerank(query, documents, signal) {
      const texts = documents.map((text) => text.slice(0, RERANKED_CHARACTERS).toWellFormed())
      const scores: number[] = []
      let usedModel = modelOf('rerank').id
      for (let start = 0; start < texts.length; start += BATCH_TEXTS) {
        const batch = texts.slice(start, start + BATCH_TEXTS)
        const { result, model } = await runners.rerank.run(
          'scoreTexts',
          (toRun) => ({ model: toRun, query: query.slice(0, RERANKED_CHARACTERS).toWellFormed(), texts: batch }),
          { signal, timeoutMs: MINUTE, isUrgent: true, isShort: true },
        )
        if (!result.every(Number.isFinite) || (start > 0 && model !== usedModel)) {
          throw new EngineError(`The local model ${model} gave no usable order.`, { code: 'useless_order' })
        }
        usedModel = model
        scores.push(...result)
      }
      return { scores, model: usedModel }
    },
  }

  /** Processes of models that made vectors before others were chosen, or that people picked to chat with, by the model. */
  const formerRunners = new Map<string, LocalRunner>()
  const formerRunner = (id: string, capability: LocalCapability): LocalRunner | null => {
    const model = findModel(id, capability)
    if (model === null || !isReady(model)) return null
    if (modelOf(capability).id === id) return runners[capability]
    const runner = formerRunners.get(id) ?? runnerOf(capability, () => model)
    formerRunners.set(id, runner)
    return runner
  }

  const captioner: Captioner = {
    ...named('caption'),
    async caption({ data }, { signal }) {
      const { result, model } = await runners.caption.run(
        'describePicture',
        (toRun) => ({ model: toRun, picture: data }),
        {
          signal,
          timeoutMs: 5 * MINUTE,
        },
      )
      // these models have learned English only
      return { text: readCaption(result), model, language: 'en' }
    },
  }

  const transcriber: Transcriber = {
    ...named('transcription'),
    async transcribe(filename, { language, signal, onProgress }) {
      await using wav = await openWav(filename)
      const segments: Segment[] = []
      const pieces: PieceTranscript[] = []
      let usedModel = modelOf('transcription').id
      for (let start = 0; start < wav.durationSeconds - SHORTEST_REST_SECONDS; ) {
        signal.throwIfAborted()
        const { samples, seconds } = await nextPiece(wav, start, WINDOW_SECONDS)
        if (!isSilent(samples)) {
          const sound = Float32Array.from(samples, (sample) => sample / SAMPLE_SCALE)
          const { result, model } = await runners.transcription.run(
            'transcribeWindow',
            (toRun) => ({ model: toRun, samples: sound, language: language ?? agreedLanguage(pieces) }),
            { signal, timeoutMs: 5 * MINUTE },
          )
          usedModel = model
          const piece = pieceOf(result)
          pieces.push(piece)
          const isSilentFrom = (from: number, to: number) =>
            isSilent(samples.subarray(Math.max(0, Math.floor(from * wav.sampleRate)), Math.ceil(to * wav.sampleRate)))
          segments.push(...placeSegments(piece, { start, seconds }, isSilentFrom))
        }
        start += seconds
        onProgress?.(Math.min(start / wav.durationSeconds, 1))
      }
      return { segments, language: mainLanguage(pieces), model: usedModel }
    },
  }

  const describe = (model: LocalModelInfo): LocalModel => {
    const { state, bytes, totalBytes, error } = files.stateOf(model)
    return {
      id: model.id,
      capability: model.capability,
      state,
      license: model.license,
      error,
      is_loaded: runners[model.capability].isLoaded(model),
      is_default: modelOf(model.capability).id === model.id,
      size_bytes: totalBytes,
      downloaded_bytes: bytes,
    }
  }

  return {
    isEnabled: files.isEnabled,
    directory: files.directory,
    captioner,
    transcriber,
    embedder: embedderOn(runners.embedding, () => modelOf('embedding').id),
    reranker,
    chat(id = modelOf('chat').id) {
      const runner = formerRunner(id, 'chat')
      const model = findModel(id, 'chat')
      return runner && model && createLocalChat({ runner, model })
    },
    chatModels: () =>
      catalogue
        .filter((model) => model.capability === 'chat' && isReady(model))
        .map(({ id }) => ({
          ...{ id, name: id.slice(id.indexOf('/') + 1), connection: LOCAL_CONNECTION },
          ...{ vision: false, tools: false, context_tokens: CHAT_CONTEXT_TOKENS },
        })),
    imageEmbedder: imageEmbedderOn(runners.image_embedding, () => modelOf('image_embedding').id),
    embedderOf(id) {
      const runner = formerRunner(id, 'embedding')
      return runner && embedderOn(runner, () => id)
    },
    imageEmbedderOf(id) {
      const runner = formerRunner(id, 'image_embedding')
      return runner && imageEmbedderOn(runner, () => id)
    },
    check(capability) {
      const model = modelOf(capability)
      const { state, bytes, totalBytes, error } = files.stateOf(model)
      if (state === 'ready') {
        const trouble = runners[capability].trouble()
        const known = { engine: 'local', model: model.id }
        return trouble === null ? { state: 'ok', ...known } : { state: 'error', ...known, ...asReason(trouble) }
      }
      return { state: 'off', ...asReason(whyNot(model.id, state, { bytes, totalBytes, error })) }
    },
    want: (capability) => files.want(modelOf(capability)),
    models: (capability) => catalogue.filter((model) => model.capability === capability).map(({ id }) => id),
    async list() {
      await files.look()
      return catalogue.map(describe)
    },
    describe,
    download: (id) => describe(files.download(id)),
    async remove(id) {
      const model = findModel(id)
      if (model !== null && runners[model.capability].isLoaded(model)) await runners[model.capability].unload()
      await formerRunners.get(id)?.unload()
      await files.remove(id)
    },
    onChange: (listener) => {
      listeners.add(listener)
    },
    async close() {
      await Promise.all([
        files.close(),
        ...[...Object.values(runners), ...formerRunners.values()].map((one) => one.close()),
      ])
    },
  }
}

function whyNot(
  model: string,
  state: LocalModel['state'],
  { bytes, totalBytes, error }: { bytes: number; totalBytes: number; error: string | null },
): Sentence {
  if (state === 'downloading') {
    const percent = Math.min(99, Math.floor((100 * bytes) / Math.max(1, totalBytes)))
    return say('local_downloading', { model, percent }, `The model ${model} is being downloaded (${percent} %).`)
  }
  if (state === 'failed') {
    const said = (error ?? 'it failed').replace(/\.$/, '')
    const text = `The model ${model} could not be downloaded: ${said}. Put its files into MODELS_DIR/${model}, or connect a model server.`
    return say('local_failed', { model, said }, text)
  }
  return say(
    'local_waiting',
    { model },
    `The model ${model} is not on this server yet. It is downloaded when it is needed first.`,
  )
}

/** The language of a recording once two windows have agreed on it: to find it out takes as long as half of the rest. */
function agreedLanguage(pieces: PieceTranscript[]): string | undefined {
  const [last, before] = [pieces.at(-1)?.language, pieces.at(-2)?.language]
  return last != null && last === before ? last : undefined
}

/** What the model wrote, as others write it: it tells of no word how sure it is. */
function pieceOf({
  text,
  language,
  segments,
}: {
  text: string
  language: string | null
  segments: { start: number; end: number; text: string }[]
}): PieceTranscript {
  return {
    text,
    language,
    segments:
      segments.length === 0
        ? null
        : segments.map((segment) => ({ ...segment, averageLogProbability: null, noSpeechProbability: null })),
  }
}
