import { type ChatModel, type Check, LOCAL_CONNECTION, type LocalModel } from '@mira/shared'
import type { Log } from '../../log.ts'
import type { Caging } from '../../platform/sandbox/caging.ts'
import { asReason, type Sentence, say } from '../../sentences.ts'
import type { ChatEngine } from '../chat-engine.ts'
import type { Captioner, Embedder, ImageEmbedder, Reranker, Transcriber } from '../other-engines.ts'
import { catalogue, defaultModel, findModel, type LocalCapability, type LocalModelInfo } from './catalogue.ts'
import { CHAT_CONTEXT_TOKENS, createLocalChat } from './local-chat.ts'
import { captionerOn, embedderOn, imageEmbedderOn, rerankerOn, transcriberOn } from './local-engines.ts'
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
  /** Installed chat models. */
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
  /** Subscribes to changes of a model: installed, failed, removed, download progress, loaded into memory. */
  onChange(listener: (model: LocalModelInfo) => void): void
  close(): Promise<void>
}

const MINUTE = 60_000
/** A stopped model checks for the signal after every token, and after every stretch of the prompt. */
const STOPPED_WITHIN_MS = 15_000
const LIMITS: RunnerLimits = { idleMs: 5 * MINUTE, loadTimeoutMs: 3 * MINUTE }
/** Joins the models on this machine with the processes that run them. */
export function createLocalAi({ caging, files, chosenModel, limits, log }: LocalAiOptions): LocalAi {
  const listeners = new Set<(model: LocalModelInfo) => void>()
  const changed = (model: LocalModelInfo) => {
    for (const listener of listeners) listener(model)
  }
  files.onChange(changed)

  const isReady = (model: LocalModelInfo) => files.stateOf(model).state === 'ready'
  const modelOf = (capability: LocalCapability): LocalModelInfo => {
    const chosenId = chosenModel(capability)
    const named = chosenId === null ? null : findModel(chosenId, capability)
    // nothing fetches a model that chats but who asks for it: the one that is there is meant
    const isMeant = capability === 'chat' && named === null
    const readyModels = isMeant
      ? catalogue.filter((localModelInfo) => localModelInfo.capability === 'chat' && isReady(localModelInfo))
      : []
    const initialModel = defaultModel(capability)
    return (
      named ??
      (readyModels.length === 0 || readyModels.includes(initialModel) ? initialModel : (readyModels[0] ?? initialModel))
    )
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
  const idOf = (capability: LocalCapability) => () => modelOf(capability).id

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
    captioner: captionerOn(runners.caption, idOf('caption')),
    transcriber: transcriberOn(runners.transcription, idOf('transcription')),
    embedder: embedderOn(runners.embedding, idOf('embedding')),
    imageEmbedder: imageEmbedderOn(runners.image_embedding, idOf('image_embedding')),
    reranker: rerankerOn(runners.rerank, idOf('rerank')),
    chat(id = modelOf('chat').id) {
      const runner = formerRunner(id, 'chat')
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
        const problem = runners[capability].problem()
        const engineInfo = { engine: 'local', model: model.id }
        return problem === null
          ? { state: 'ok', ...engineInfo }
          : { state: 'error', ...engineInfo, ...asReason(problem) }
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
        ...[...Object.values(runners), ...formerRunners.values()].map((localRunner) => localRunner.close()),
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
    return say('local_downloading', { model, percent })
  }
  if (state === 'failed') {
    const reason = (error ?? 'it failed').replace(/\.$/, '')
    return say('local_failed', { model, said: reason })
  }
  return say('local_waiting', { model })
}
