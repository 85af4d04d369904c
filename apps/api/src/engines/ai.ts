import { type Capability, type Check, capabilities, ENVIRONMENT_CONNECTION, type EngineChoice } from '@mira/shared'
import type { Config } from '../config.ts'
import type { Log } from '../log.ts'
import { BUILTIN, createBuiltin } from '../offline/builtin/builtin.ts'
import { createGuardedFetch, type Resolve } from '../platform/net/guarded-fetch.ts'
import { asReason, type Sentence, say, sayAll } from '../sentences.ts'
import type { ChatEngine } from './chat-engine.ts'
import type {
  Captioner,
  Embedder,
  ImageEditor,
  ImageEmbedder,
  Relay,
  Reranker,
  Speaker,
  Transcriber,
} from './engine-types.ts'
import { type LocalCapability, localCapabilities } from './local/catalogue.ts'
import type { LocalAi } from './local/local-ai.ts'
import { MAX_CALL_MS } from './remote/connection.ts'
import { createRemote, type RemoteCapability, type RemoteOptions } from './remote/remote-ai.ts'
import { createServers, type PickedEngine, type Servers } from './servers.ts'

/** The engines behind every capability of this server. */
export interface Ai {
  /** The current chat engine. */
  chat(): ChatEngine
  /** The engine for messages with pictures; null when there is none. */
  vision(): ChatEngine | null
  /** The engine that describes pictures; null when there is none, for the reason in `reasonOff`. Likewise for the engines below. */
  caption(): Captioner | null
  transcription(): Transcriber | null
  speech(): Speaker | null
  embedding(): Embedder | null
  imageEmbedding(): ImageEmbedder | null
  reranking(): Reranker | null
  /** The engine that made earlier vectors, even if another one is chosen now; null when it's no longer available. */
  formerEmbedder(maker: { engine: string; model: string }): Embedder | null
  formerImageEmbedder(maker: { engine: string; model: string }): ImageEmbedder | null
  imageEditing(): ImageEditor | null
  /** Relays to the connected model servers, for programs that use the OpenAI protocol. The first server with the model is used. */
  relays(): Relay[]
  /** Model servers that administrators connected, and users' choices among their models. */
  servers: Pick<Servers, 'connect' | 'chatModels' | 'pick' | 'pickAgain' | 'stateOf' | 'tryPlace' | 'tryEnvironment'>
  /** Starts downloading a local model for a capability without an engine. */
  requestModel(capability: Capability): void
  /**
   * Reason why a capability has no engine, worded for someone who can change that; null when it has an engine. The reason
   * is stored with failed work, so it must stay true when a download progresses, ends or fails.
   */
  reasonOff(capability: Capability): Sentence | null
  /** Like `reasonOff`, but for this moment: it may say that a download is under way. */
  currentReasonOff(capability: Capability): Sentence | null
  /** Last known state of every capability; never waits, so it's cheap to call often. */
  checks(): Record<Capability, Check>
  /** Engines selectable for a capability, and the connected servers' models for it. */
  options(capability: Capability): { choices: EngineChoice['engine'][]; remoteModels: string[] }
}

interface AiOptions {
  config: Pick<Config, 'remoteAi'>
  log: Log
  /** Time limits of remote calls, for tests. */
  remote?: Partial<RemoteOptions> | undefined
  /** Models on this machine. */
  local?: LocalAi | undefined
  /** State of OCR, which doesn't use a model. */
  ocrCheck?: (() => Check) | undefined
  /** Name resolver for connected servers, for tests. */
  resolve?: Resolve | undefined
  /** The administrator's choice, read on every call; overrides the configuration. */
  choiceOf?: ((capability: Capability) => EngineChoice | undefined) | undefined
}

const TURNED_OFF = say('turned_off', {})
const LOCAL_OFF = say('none_may_run_here', {})
const NO_SERVER = say('server_wanted', {})

const notConnected = (capability: Capability, variable: string) => say('not_connected', { capability, variable })

/** Instructions for someone with access to the server when a capability has no engine. */
const offReasons: Record<Exclude<Capability, 'chat'>, Sentence> = {
  vision: notConnected('vision', 'VISION_MODEL'),
  caption: notConnected('caption', 'VISION_MODEL'),
  embedding: notConnected('embedding', 'EMBEDDING_MODEL'),
  image_embedding: say('nothing_compares_pictures', {}),
  rerank: say('nothing_reranks', {}),
  ocr: say('no_ocr', {}),
  transcription: notConnected('transcription', 'TRANSCRIPTION_MODEL'),
  speech: notConnected('speech', 'SPEECH_MODEL'),
  image_edit: notConnected('image_edit', 'IMAGE_MODEL'),
}

/** Capabilities that a remote server may have. */
const remoteCapabilities = new Set<Capability>([
  'chat',
  'vision',
  'caption',
  'embedding',
  'rerank',
  'transcription',
  'speech',
  'image_edit',
])

/**
 * Capabilities whose local models only run if an administrator chose them: they add about a second to every search,
 * which also works without them.
 */
const optInCapabilities: ReadonlySet<Capability> = new Set(['rerank'])

/**
 * Resolves each capability to the first engine that the configuration allows: remote, then local, then built-in. Otherwise
 * the capability is off, with a reason. A configured server that is down remains the engine, and its check says so; only for
 * chat does a local model stand in. A missing local model is downloaded when its capability is first requested.
 */
export function createAi({ config, log, remote, local, ocrCheck, choiceOf, resolve }: AiOptions): Ai {
  const { baseUrl, apiKey, rerankBaseUrl, rerankApiKey, firstTokenTimeoutMs, ...models } = config.remoteAi
  const limits = { firstTokenTimeoutMs, ...remote }
  // Node's own fetch would give up before this timeout.
  const fetchOption =
    firstTokenTimeoutMs > MAX_CALL_MS ? { fetch: createGuardedFetch({ isForbidden: () => false }) } : {}
  const isRemote = baseUrl !== undefined || apiKey !== undefined
  if (!isRemote && models.chatModel !== undefined) {
    log.warn({}, 'CHAT_MODEL is set without OPENAI_BASE_URL or OPENAI_API_KEY: the built-in engine answers')
  }
  const engineFor = (capability: Capability) => choiceOf?.(capability)?.engine ?? 'auto'
  const allows = (capability: Capability, engine: 'remote' | 'local') =>
    engineFor(capability) === engine ||
    (engineFor(capability) === 'auto' && (engine === 'remote' || !optInCapabilities.has(capability)))
  const chosenModel = (capability: Capability) => {
    const choice = choiceOf?.(capability)
    const isForEnvironment = choice?.connection === undefined || choice.connection === ENVIRONMENT_CONNECTION
    return allows(capability, 'remote') && isForEnvironment ? (choice?.model ?? null) : null
  }
  const environment = isRemote
    ? createRemote({ baseUrl, apiKey, ...models, chosenModel, log, ...fetchOption, ...limits })
    : null
  const rerankServer =
    rerankBaseUrl === undefined
      ? null
      : createRemote({
          baseUrl: rerankBaseUrl,
          apiKey: rerankApiKey,
          rerankModel: models.rerankModel,
          isForReranking: true,
          chosenModel,
          log,
          ...limits,
        })
  const servers = createServers({
    environment,
    choiceOf: (capability) => (allows(capability, 'remote') ? choiceOf?.(capability) : undefined),
    log,
    limits,
    resolve,
  })
  const remoteFor = (capability: RemoteCapability) =>
    capability === 'rerank' && rerankServer !== null ? rerankServer : servers.serverFor(capability)
  const builtin = createBuiltin()
  // Probe in the background, so that the first message doesn't have to wait for it.
  environment?.check('chat')

  const localFor = (capability: Capability): { ai: LocalAi; capability: LocalCapability } | null =>
    local?.isEnabled && isLocalCapability(capability) && allows(capability, 'local') ? { ai: local, capability } : null

  const off = (sentence: Sentence): Check => ({ state: 'off', ...asReason(sentence) })
  const check = (capability: Capability): Check => {
    if (engineFor(capability) === 'off' && capability !== 'chat') return off(TURNED_OFF)
    if (capability === 'ocr' && ocrCheck !== undefined) return ocrCheck()
    const fromRemote =
      isRemoteCapability(capability) && allows(capability, 'remote')
        ? capability === 'chat'
          ? servers.checkOfChat()
          : (remoteFor(capability)?.check(capability) ?? null)
        : null
    const localTarget = localFor(capability)
    const fallback = capability === 'chat' && localTarget?.ai.chat() ? localTarget.ai.check('chat') : null
    if (fromRemote?.state === 'error' && fallback?.state === 'ok') return fallback
    if (fromRemote !== null && fromRemote.state !== 'off') return fromRemote
    if (localTarget !== null && (capability !== 'chat' || localTarget.ai.chat() !== null)) {
      const fromLocal = localTarget.ai.check(localTarget.capability)
      if (fromLocal.state !== 'off') return fromLocal
      return { ...fromLocal, ...asReason(sayAll(...[fromLocal, fromRemote].flatMap(reasonsOf))) }
    }
    if (fromRemote !== null) return fromRemote
    if (capability !== 'chat' && engineFor(capability) === 'remote') return off(NO_SERVER)
    if (capability !== 'chat' && engineFor(capability) === 'local') return off(LOCAL_OFF)
    return capability === 'chat' ? { state: 'ok', engine: BUILTIN, model: BUILTIN } : off(offReasons[capability])
  }
  const currentReasonOff = (capability: Capability): Sentence | null => {
    const current = check(capability)
    return current.state === 'off' ? (reasonsOf(current)[0] ?? null) : null
  }
  const isOff = (capability: Capability) => check(capability).state === 'off'

  /** The current engine; when there is none, starts downloading a local model. */
  const engineOf = <Engine>(
    capability: LocalCapability,
    fromRemote: Engine | undefined,
    fromLocal: Engine | undefined,
  ) => {
    const { state, engine } = check(capability)
    if (state !== 'off') return (engine === 'local' ? fromLocal : fromRemote) ?? null
    localFor(capability)?.ai.requestModel(capability)
    return null
  }

  const pickLocal = (model: string): PickedEngine | null => {
    const engine = localFor('chat')?.ai.chat(model) ?? null
    return engine && { engine, seesPictures: false }
  }

  return {
    chat() {
      const localChat = localFor('chat')?.ai.chat() ?? null
      return (allows('chat', 'remote') ? servers.chat(localChat) : null) ?? localChat ?? builtin
    },
    vision() {
      const remote = allows('vision', 'remote') ? servers.serverFor('vision') : null
      if (remote === null) return null
      // Used even if it failed before, because a user asked for it: the error tells them why.
      return remote.vision.model() === null && isOff('vision') ? null : remote.vision
    },
    caption: () => engineOf('caption', remoteFor('caption')?.captioner, local?.captioner),
    transcription: () => engineOf('transcription', remoteFor('transcription')?.transcriber, local?.transcriber),
    speech: () => (isOff('speech') ? null : (remoteFor('speech')?.speaker ?? null)),
    embedding: () => engineOf('embedding', remoteFor('embedding')?.embedder, local?.embedder),
    imageEmbedding: () => engineOf('image_embedding', undefined, local?.imageEmbedder),
    reranking: () => engineOf('rerank', remoteFor('rerank')?.reranker, local?.reranker),
    formerEmbedder: ({ engine, model }) =>
      (engine === 'remote'
        ? (servers.withModel(model) ?? environment)?.embedderOf(model)
        : local?.isEnabled
          ? local.embedderOf(model)
          : null) ?? null,
    formerImageEmbedder: ({ engine, model }) =>
      engine === 'local' && local?.isEnabled ? local.imageEmbedderOf(model) : null,
    imageEditing: () => (isOff('image_edit') ? null : (remoteFor('image_edit')?.imageEditor ?? null)),
    relays: servers.relays,
    servers: {
      ...servers,
      chatModels: async () => [...(await servers.chatModels()), ...(localFor('chat')?.ai.chatModels() ?? [])],
      pick: async (model) => (await servers.pick(model)) ?? pickLocal(model),
      pickAgain: async (model) => pickLocal(model) ?? servers.pickAgain(model),
    },
    requestModel(capability) {
      const localTarget = check(capability).state === 'off' ? localFor(capability) : null
      localTarget?.ai.requestModel(localTarget.capability)
    },
    reasonOff(capability) {
      const sentence = currentReasonOff(capability)
      return sentence === null ? null : permanentReason(sentence)
    },
    currentReasonOff,
    checks: () =>
      Object.fromEntries(capabilities.map((capability) => [capability, check(capability)])) as Record<
        Capability,
        Check
      >,
    options: (capability) => ({
      choices: choicesOf(capability, local?.isEnabled ?? false),
      remoteModels: !isRemoteCapability(capability)
        ? []
        : capability === 'rerank' && rerankServer !== null
          ? rerankServer.models(capability)
          : servers.modelsOf(capability),
    }),
  }
}

/** Replaces the reason “being downloaded” with one that remains true after the download has ended. */
function permanentReason(sentence: Sentence): Sentence {
  const first = sentence.sentences[0]
  if (first?.code !== 'local_downloading') return sentence
  const model = String(first.params.model)
  return say('local_later', { model })
}

/** The reason of a check, as a list with at most one sentence. */
function reasonsOf(check: Check | null): Sentence[] {
  return check?.reason === undefined ? [] : [{ text: check.reason, sentences: check.told ?? [] }]
}

/** Engines selectable for a capability. Any can be off: chat then uses the built-in engine, which needs no model. */
function choicesOf(capability: Capability, hasLocal: boolean): EngineChoice['engine'][] {
  const remote = isRemoteCapability(capability) ? (['remote'] as const) : []
  const local = hasLocal && isLocalCapability(capability) ? (['local'] as const) : []
  return ['auto', ...remote, ...local, 'off']
}

function isRemoteCapability(capability: Capability): capability is RemoteCapability {
  return remoteCapabilities.has(capability)
}

function isLocalCapability(capability: Capability): capability is LocalCapability {
  return (localCapabilities as readonly Capability[]).includes(capability)
}
