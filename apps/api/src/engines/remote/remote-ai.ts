import type { Check } from '@mira/shared'
import type { EngineError } from '../../errors.ts'
import { say } from '../../sentences.ts'
import type { ChatEngine } from '../chat-engine.ts'
import type { Captioner, Embedder, ImageEditor, Relay, Reranker, Speaker, Transcriber } from '../other-engines.ts'
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
  /** Without it the first model that can chat is taken; so for the others, by the names of the models. */
  chatModel?: string | undefined
  /** Without it the model that chats is asked: many see. */
  visionModel?: string | undefined
  embeddingModel?: string | undefined
  rerankModel?: string | undefined
  /** True when the server is only for reranking: then any of its models may be used. */
  isForReranking?: boolean | undefined
  transcriptionModel?: string | undefined
  speechModel?: string | undefined
  imageModel?: string | undefined
  /** Chosen model of a capability, read for each call; null for the ones above. */
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

/** A server that speaks the OpenAI protocol, for all that it can do. */
export interface RemoteServer {
  chat: ChatEngine
  /** Chats about pictures. */
  vision: ChatEngine
  captioner: Captioner
  embedder: Embedder
  /** One with a model that is named, whatever is chosen by now. */
  embedderOf(model: string): Embedder
  reranker: Reranker
  transcriber: Transcriber
  speaker: Speaker
  imageEditor: ImageEditor
  /** For programs that speak its protocol themselves. */
  relay: Relay
  /** Check of a capability from what is known; refreshes old knowledge in the background. */
  check(capability: RemoteCapability): Check
  /** True while another server is preferable. */
  isDown(capability: RemoteCapability): boolean
  /** Chats with a model that a person picked, and with no other. */
  chatWith(model: string): ChatEngine
  /** True when it has the model, as far as known. */
  has(model: string): boolean
  connection: Pick<Connection, 'name' | 'models' | 'hasListed' | 'problem' | 'probe' | 'probeUnlessAsked' | 'refresh'>
  /** Models that it lists and that seem able to, by their names. */
  models(capability: RemoteCapability): string[]
}

/** Model name for a server that has one model and lists none. */
const UNNAMED = 'default'

/** Joins what one server does: a connection, and for each capability a model of its own. */
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
    ...place
  } = options
  const connection = createConnection(place)
  const { address, isOpenAi } = connection
  const modelOf = (capability: RemoteCapability) => chosenModel?.(capability) ?? undefined
  const notListed = (capability: RemoteCapability, variable: string) =>
    say('not_listed', { address, capability, variable })
  const chatRole = createRole({
    connection,
    modelVariable: 'CHAT_MODEL',
    named: () => modelOf('chat') ?? chatModel,
    choose: chooseChatModel,
    missing: () => notListed('chat', 'CHAT_MODEL'),
    isOptional: false,
  })
  const seeingRole = (named: () => string | undefined) =>
    createRole({
      connection,
      modelVariable: 'VISION_MODEL',
      named,
      choose: (models) => chooseVisionModel(models, chatRole.model()),
      missing: () => notListed('vision', 'VISION_MODEL'),
      isOptional: true,
    })
  const visionRole = seeingRole(() => modelOf('vision') ?? visionModel)
  const ownCaptionRole = seeingRole(() => modelOf('caption'))
  // the result of one call counts for both capabilities while they share a model
  const captionRole = eitherRole('VISION_MODEL', () => (modelOf('caption') === undefined ? visionRole : ownCaptionRole))
  const embeddingRole = createRole({
    connection,
    modelVariable: 'EMBEDDING_MODEL',
    named: () => modelOf('embedding') ?? embeddingModel,
    choose: (models) => (isOpenAi ? 'text-embedding-3-small' : chooseEmbeddingModel(models)),
    missing: () => notListed('embedding', 'EMBEDDING_MODEL'),
    isOptional: true,
  })
  const rerankRole = createRole({
    connection,
    modelVariable: 'RERANK_MODEL',
    named: () => modelOf('rerank') ?? rerankModel,
    choose: (models) => chooseRerankModel(models) ?? (isForReranking ? (models[0]?.id ?? UNNAMED) : null),
    missing: () => notListed('rerank', 'RERANK_MODEL'),
    isOptional: true,
  })
  const transcriptionRole = createRole({
    connection,
    modelVariable: 'TRANSCRIPTION_MODEL',
    named: () => modelOf('transcription') ?? transcriptionModel,
    // the newer ones do not tell when something was said
    choose: (models) => (isOpenAi ? 'whisper-1' : chooseTranscriptionModel(models)),
    missing: () => notListed('transcription', 'TRANSCRIPTION_MODEL'),
    isOptional: true,
  })
  const speechRole = createRole({
    connection,
    modelVariable: 'SPEECH_MODEL',
    named: () => modelOf('speech') ?? speechModel,
    choose: (models) => chooseSpeechModel(models) ?? (isOpenAi ? 'gpt-4o-mini-tts' : null),
    missing: () => notListed('speech', 'SPEECH_MODEL'),
    isOptional: true,
  })
  const imageEditRole = createRole({
    connection,
    modelVariable: 'IMAGE_MODEL',
    named: () => modelOf('image_edit') ?? imageModel,
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
        named: () => model,
        choose: () => model,
        missing: () => say('model_gone', { address, model }),
        isOptional: true,
      })
    const embedder = embedders.get(model) ?? createRemoteEmbedder(connection, role())
    embedders.set(model, embedder)
    return embedder
  }
  const picked = new Map<string, ChatEngine>()
  const chatWith = (model: string): ChatEngine => {
    const role = createRole({
      connection,
      // no variable names it
      modelVariable: '',
      named: () => model,
      choose: () => model,
      missing: () => say('connection_without_model', { name: connection.name, model }),
      isOptional: false,
    })
    const failed = (error: EngineError) => {
      role.failed(error)
      // it is picked no more once it is not listed
      if (error.code === 'model_not_found') void connection.probe()
    }
    const engine = picked.get(model) ?? createRemoteChat(connection, { ...role, failed })
    picked.set(model, engine)
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

/** The role that is in use at the moment when it is asked. */
function eitherRole(modelVariable: string, current: () => ModelRole): ModelRole {
  return {
    modelVariable,
    model: () => current().model(),
    requireModel: () => current().requireModel(),
    check: () => current().check(),
    isDown: () => current().isDown(),
    succeeded: () => current().succeeded(),
    failed: (error) => current().failed(error),
  }
}
