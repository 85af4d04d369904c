import type { Check } from '@mira/shared'
import type { EngineError } from '../../errors.ts'
import { say } from '../../sentences.ts'
import type { ChatEngine } from '../chat-engine.ts'
import type { Captioner, Embedder, ImageEditor, Relay, Reranker, Speaker, Transcriber } from '../engine-types.ts'
import { createRemoteCaptioner } from './caption.ts'
import { createRemoteChat } from './chat.ts'
import { type Connection, type ConnectionOptions, createConnection } from './connection.ts'
import { createRemoteEmbedder } from './embedding.ts'
import { createRemoteImageEditor } from './image-edit.ts'
import {
  chooseChatModel,
  chooseEmbeddingModel,
  chooseImageModel,
  chooseRerankModel,
  chooseSpeechModel,
  chooseTranscriptionModel,
  chooseVisionModel,
  modelsFor,
} from './models.ts'
import { createRelay } from './relay.ts'
import { createRemoteReranker } from './rerank.ts'
import { createRole, type ModelRole } from './role.ts'
import { createRemoteSpeaker } from './speech.ts'
import { createRemoteTranscriber } from './transcription.ts'

export interface RemoteOptions extends ConnectionOptions {
  /** Defaults to the first model that can chat. The other models default the same way, judged by name. */
  chatModel?: string | undefined
  /** Defaults to the chat model, since many accept images. */
  visionModel?: string | undefined
  embeddingModel?: string | undefined
  rerankModel?: string | undefined
  /** True for a server that is only for reranking: any of its models may be used. */
  isForReranking?: boolean | undefined
  transcriptionModel?: string | undefined
  speechModel?: string | undefined
  imageModel?: string | undefined
  /** An administrator's choice for a capability, read for each call; null for the models above. */
  chosenModel?: ((capability: RemoteCapability) => string | null) | undefined
}

/** Capability that a server is used for. */
export type RemoteCapability =
  | 'chat'
  | 'vision'
  | 'caption'
  | 'embedding'
  | 'rerank'
  | 'transcription'
  | 'speech'
  | 'image_edit'

/** All engines of a server that speaks the OpenAI protocol. */
export interface RemoteServer {
  chat: ChatEngine
  /** Chat about pictures. */
  vision: ChatEngine
  captioner: Captioner
  embedder: Embedder
  /** Embedder for a given model, whatever the current choice. */
  embedderOf(model: string): Embedder
  reranker: Reranker
  transcriber: Transcriber
  speaker: Speaker
  imageEditor: ImageEditor
  /** For programs that use the OpenAI protocol. */
  relay: Relay
  /** Last known state of a capability; refreshes in the background when stale. */
  check(capability: RemoteCapability): Check
  /** True while another server is preferable. */
  isDown(capability: RemoteCapability): boolean
  /** Chat engine for exactly this model. */
  chatWith(model: string): ChatEngine
  /** True when it's known to have the model. */
  has(model: string): boolean
  connection: Pick<Connection, 'name' | 'models' | 'hasListed' | 'problem' | 'probe' | 'probeUnlessRecent' | 'refresh'>
  /** Listed models that seem to have a capability, judging by names. */
  models(capability: RemoteCapability): string[]
}

/** Model name for a server that has one model and lists none. */
const UNNAMED_MODEL = 'default'

/** Creates a server's connection, and an engine with its own model for each capability. */
export function createRemote(options: RemoteOptions): RemoteServer {
  const {
    chatModel,
    visionModel,
    embeddingModel,
    transcriptionModel,
    speechModel,
    imageModel,
    chosenModel,
    rerankModel,
    isForReranking,
    ...connectionOptions
  } = options
  const connection = createConnection(connectionOptions)
  const { address, isOpenAi } = connection
  const modelOf = (capability: RemoteCapability) => chosenModel?.(capability) ?? undefined
  const notListed = (capability: RemoteCapability, variable: string) =>
    say('not_listed', { address, capability, variable })
  const chatRole = createRole({
    connection,
    modelVariable: 'CHAT_MODEL',
    configuredModel: () => modelOf('chat') ?? chatModel,
    choose: chooseChatModel,
    missing: () => notListed('chat', 'CHAT_MODEL'),
    isOptional: false,
  })
  const createVisionRole = (configuredModel: () => string | undefined) =>
    createRole({
      connection,
      modelVariable: 'VISION_MODEL',
      configuredModel,
      choose: (models) => chooseVisionModel(models, chatRole.model()),
      missing: () => notListed('vision', 'VISION_MODEL'),
      isOptional: true,
    })
  const visionRole = createVisionRole(() => modelOf('vision') ?? visionModel)
  const ownCaptionRole = createVisionRole(() => modelOf('caption'))
  // The result of one call counts for both capabilities while they share a model.
  const captionRole = delegatingRole('VISION_MODEL', () =>
    modelOf('caption') === undefined ? visionRole : ownCaptionRole,
  )
  const embeddingRole = createRole({
    connection,
    modelVariable: 'EMBEDDING_MODEL',
    configuredModel: () => modelOf('embedding') ?? embeddingModel,
    choose: (models) => (isOpenAi ? 'text-embedding-3-small' : chooseEmbeddingModel(models)),
    missing: () => notListed('embedding', 'EMBEDDING_MODEL'),
    isOptional: true,
  })
  const rerankRole = createRole({
    connection,
    modelVariable: 'RERANK_MODEL',
    configuredModel: () => modelOf('rerank') ?? rerankModel,
    choose: (models) => chooseRerankModel(models) ?? (isForReranking ? (models[0]?.id ?? UNNAMED_MODEL) : null),
    missing: () => notListed('rerank', 'RERANK_MODEL'),
    isOptional: true,
  })
  const transcriptionRole = createRole({
    connection,
    modelVariable: 'TRANSCRIPTION_MODEL',
    configuredModel: () => modelOf('transcription') ?? transcriptionModel,
    // Newer models return no timestamps.
    choose: (models) => (isOpenAi ? 'whisper-1' : chooseTranscriptionModel(models)),
    missing: () => notListed('transcription', 'TRANSCRIPTION_MODEL'),
    isOptional: true,
  })
  const speechRole = createRole({
    connection,
    modelVariable: 'SPEECH_MODEL',
    configuredModel: () => modelOf('speech') ?? speechModel,
    choose: (models) => chooseSpeechModel(models) ?? (isOpenAi ? 'gpt-4o-mini-tts' : null),
    missing: () => notListed('speech', 'SPEECH_MODEL'),
    isOptional: true,
  })
  const imageEditRole = createRole({
    connection,
    modelVariable: 'IMAGE_MODEL',
    configuredModel: () => modelOf('image_edit') ?? imageModel,
    choose: (models) => (isOpenAi ? 'gpt-image-1' : chooseImageModel(models)),
    missing: () => notListed('image_edit', 'IMAGE_MODEL'),
    isOptional: true,
  })
  const embedders = new Map<string, Embedder>()
  const embedderOf = (model: string): Embedder => {
    const role = () =>
      createRole({
        connection,
        modelVariable: 'EMBEDDING_MODEL',
        configuredModel: () => model,
        choose: () => model,
        missing: () => say('model_gone', { address, model }),
        isOptional: true,
      })
    const embedder = embedders.get(model) ?? createRemoteEmbedder(connection, role())
    embedders.set(model, embedder)
    return embedder
  }
  const chatEngines = new Map<string, ChatEngine>()
  const chatWith = (model: string): ChatEngine => {
    const role = createRole({
      connection,
      // No variable names this model.
      modelVariable: '',
      configuredModel: () => model,
      choose: () => model,
      missing: () => say('connection_without_model', { name: connection.name, model }),
      isOptional: false,
    })
    const recordFailure = (error: EngineError) => {
      role.recordFailure(error)
      // Refresh the list, so that a missing model can't be picked again.
      if (error.code === 'model_not_found') void connection.probe()
    }
    const engine = chatEngines.get(model) ?? createRemoteChat(connection, { ...role, recordFailure })
    chatEngines.set(model, engine)
    return engine
  }
  const roles = {
    chat: chatRole,
    vision: visionRole,
    caption: captionRole,
    embedding: embeddingRole,
    rerank: rerankRole,
    transcription: transcriptionRole,
    speech: speechRole,
    image_edit: imageEditRole,
  }

  return {
    chat: createRemoteChat(connection, chatRole),
    vision: createRemoteChat(connection, visionRole),
    captioner: createRemoteCaptioner(connection, captionRole),
    embedder: createRemoteEmbedder(connection, embeddingRole),
    embedderOf,
    reranker: createRemoteReranker(connection, rerankRole),
    transcriber: createRemoteTranscriber(connection, transcriptionRole),
    speaker: createRemoteSpeaker(connection, speechRole),
    imageEditor: createRemoteImageEditor(connection, imageEditRole),
    relay: createRelay(connection, chatRole.model),
    check: (capability) => roles[capability].check(),
    isDown: (capability) => roles[capability].isDown(),
    chatWith,
    has: (model) => chatRole.model() === model || connection.models().some(({ id }) => id === model),
    connection,
    models: (capability) => modelsFor(capability, connection.models()),
  }
}

/** Delegates each call to the current role. */
function delegatingRole(modelVariable: string, current: () => ModelRole): ModelRole {
  return {
    modelVariable,
    model: () => current().model(),
    requireModel: () => current().requireModel(),
    check: () => current().check(),
    isDown: () => current().isDown(),
    recordSuccess: () => current().recordSuccess(),
    recordFailure: (error) => current().recordFailure(error),
  }
}
