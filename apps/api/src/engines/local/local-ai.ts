import { type ChatModel, type Check, LOCAL_CONNECTION, type LocalModel } from '@mira/shared'
import type { Log } from '../../log.ts'
import type { Sandboxing } from '../../platform/sandbox/sandboxing.ts'
import { asReason, type Sentence, say } from '../../sentences.ts'
import type { ChatEngine } from '../chat-engine.ts'
import type { Captioner, Embedder, ImageEmbedder, Reranker, Transcriber } from '../engine-types.ts'
import { catalogue, defaultModel, findModel, type LocalCapability, type LocalModelInfo } from './catalogue.ts'
import { CHAT_CONTEXT_TOKENS, createLocalChat } from './local-chat.ts'
import { captionerOn, embedderOn, imageEmbedderOn, rerankerOn, transcriberOn } from './local-engines.ts'
import type { LocalModelFiles } from './local-models.ts'
import { createLocalRunner, type LocalRunner, type RunnerLimits } from './local-runner.ts'

export interface LocalAiOptions {
  sandboxing: Sandboxing
  files: LocalModelFiles
  /** The model that an administrator chose; null for the default. */
  chosenModel(capability: LocalCapability): string | null
  /** Short limits make tests fast. */
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
  /** Chat engine on this model, by default the current one; null when the model isn't installed. */
  chat(id?: string): ChatEngine | null
  /** Installed chat models. */
  chatModels(): Omit<ChatModel, 'is_default'>[]
  /** Embedder for a given model, whatever the current choice; null when it isn't installed. */
  embedderOf(id: string): Embedder | null
  imageEmbedderOf(id: string): ImageEmbedder | null
  /** Last known state: off while the model isn't installed. */
  check(capability: LocalCapability): Check
  /** Downloads the capability's model in the background unless it's installed. */
  requestModel(capability: LocalCapability): void
  /** Ids of the catalogue's models for a capability. */
  models(capability: LocalCapability): string[]
  list(): Promise<LocalModel[]>
  /** Last known state of one model. */
  describe(model: LocalModelInfo): LocalModel
  /** Starts a download. @throws the errors of `LocalModelFiles.download`. */
  download(id: string): LocalModel
  /** Unloads a model and deletes its files. @throws the errors of `LocalModelFiles.remove`. */
  remove(id: string): Promise<void>
  /** Subscribes to changes of a model: installed, failed, removed, download progress, loaded into memory. */
  onChange(listener: (model: LocalModelInfo) => void): void
  close(): Promise<void>
}

const MINUTE = 60_000
/** Time for a cancelled answer to end: it first completes the current token, or the current chunk of the prompt. */
const CANCEL_GRACE_MS = 15_000
const LIMITS: RunnerLimits = { idleMs: 5 * MINUTE, loadTimeoutMs: 3 * MINUTE }

/** Combines the installed models with the processes that run them. */
export function createLocalAi({ sandboxing, files, chosenModel, limits, log }: LocalAiOptions): LocalAi {
  const listeners = new Set<(model: LocalModelInfo) => void>()
  const notifyOfChange = (model: LocalModelInfo) => {
    for (const listener of listeners) listener(model)
  }
  files.onChange(notifyOfChange)

  const isReady = (model: LocalModelInfo) => files.stateOf(model).state === 'ready'
  const modelOf = (capability: LocalCapability): LocalModelInfo => {
    const chosenId = chosenModel(capability)
    const chosen = chosenId === null ? null : findModel(chosenId, capability)
    if (chosen !== null) return chosen
    const initialModel = defaultModel(capability)
    if (capability !== 'chat' || isReady(initialModel)) return initialModel
    // Chat models are only downloaded on request, so an installed one is preferred to the default.
    return catalogue.find((model) => model.capability === 'chat' && isReady(model)) ?? initialModel
  }
  const runnerOf = (capability: LocalCapability, model = () => modelOf(capability)): LocalRunner =>
    createLocalRunner({
      name: capability,
      directory: files.directory,
      sandboxing,
      model,
      ensureVerified: files.ensureVerified,
      onChange: notifyOfChange,
      limits: { ...LIMITS, ...(capability === 'chat' ? { cancelGraceMs: CANCEL_GRACE_MS } : {}), ...limits },
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
  const idOf = (capability: LocalCapability) => () => modelOf(capability).id

  /** Runners by model id, for models that aren't the current ones: they made earlier vectors, or users picked them for chat. */
  const otherRunners = new Map<string, LocalRunner>()
  const runnerForModel = (id: string, capability: LocalCapability): LocalRunner | null => {
    const model = findModel(id, capability)
    if (model === null || !isReady(model)) return null
    if (modelOf(capability).id === id) return runners[capability]
    const runner = otherRunners.get(id) ?? runnerOf(capability, () => model)
    otherRunners.set(id, runner)
    return runner
  }

  const describe = (model: LocalModelInfo): LocalModel => {
    const { state, bytes, totalBytes, error } = files.stateOf(model)
    return {
      id: model.id,
      capability: model.capability,
      state,
      license: model.license,
      error,
      is_loaded: [runners[model.capability], otherRunners.get(model.id)].some((runner) => runner?.isLoaded(model)),
      is_default: modelOf(model.capability).id === model.id,
      size_bytes: totalBytes,
      downloaded_bytes: bytes,
    }
  }

  return {
    isEnabled: files.isEnabled,
    directory: files.directory,
    captioner: captionerOn(runners.caption, idOf('caption')),
    transcriber: transcriberOn(runners.transcription, idOf('transcription')),
    embedder: embedderOn(runners.embedding, idOf('embedding')),
    imageEmbedder: imageEmbedderOn(runners.image_embedding, idOf('image_embedding')),
    reranker: rerankerOn(runners.rerank, idOf('rerank')),
    chat(id = modelOf('chat').id) {
      const runner = runnerForModel(id, 'chat')
      const model = findModel(id, 'chat')
      return runner && model && createLocalChat({ runner, model })
    },
    chatModels: () =>
      catalogue
        .filter((model) => model.capability === 'chat' && isReady(model))
        .map(({ id }) => ({
          id,
          name: id.slice(id.indexOf('/') + 1),
          connection: LOCAL_CONNECTION,
          vision: false,
          tools: false,
          context_tokens: CHAT_CONTEXT_TOKENS,
          price: null,
        })),
    embedderOf(id) {
      const runner = runnerForModel(id, 'embedding')
      return runner && embedderOn(runner, () => id)
    },
    imageEmbedderOf(id) {
      const runner = runnerForModel(id, 'image_embedding')
      return runner && imageEmbedderOn(runner, () => id)
    },
    check(capability) {
      const model = modelOf(capability)
      const { state, bytes, totalBytes, error } = files.stateOf(model)
      if (state === 'ready') {
        const problem = runners[capability].problem()
        const engineInfo = { engine: 'local', model: model.id }
        return problem === null
          ? { state: 'ok', ...engineInfo }
          : { state: 'error', ...engineInfo, ...asReason(problem) }
      }
      return { state: 'off', ...asReason(missingReason(model.id, state, { bytes, totalBytes, error })) }
    },
    requestModel: (capability) => files.requestModel(modelOf(capability)),
    models: (capability) => catalogue.filter((model) => model.capability === capability).map(({ id }) => id),
    async list() {
      await files.refresh()
      return catalogue.map(describe)
    },
    describe,
    download: (id) => describe(files.download(id)),
    async remove(id) {
      const model = findModel(id)
      if (model !== null && runners[model.capability].isLoaded(model)) await runners[model.capability].unload()
      await otherRunners.get(id)?.unload()
      await files.remove(id)
    },
    onChange: (listener) => {
      listeners.add(listener)
    },
    async close() {
      await Promise.all([
        files.close(),
        ...[...Object.values(runners), ...otherRunners.values()].map((localRunner) => localRunner.close()),
      ])
    },
  }
}

function missingReason(
  model: string,
  state: LocalModel['state'],
  { bytes, totalBytes, error }: { bytes: number; totalBytes: number; error: string | null },
): Sentence {
  if (state === 'downloading') {
    const percent = Math.min(99, Math.floor((100 * bytes) / Math.max(1, totalBytes)))
    return say('local_downloading', { model, percent })
  }
  if (state === 'failed') {
    const reason = (error ?? 'it failed').replace(/\.$/, '')
    return say('local_failed', { model, said: reason })
  }
  return say('local_waiting', { model })
}
