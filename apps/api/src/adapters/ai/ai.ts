import { type Capability, type Check, capabilities } from '@mira/shared'
import type { Config } from '../../config.ts'
import type { Log } from '../../log.ts'
import { BUILTIN, createBuiltin } from './builtin.ts'
import type { ChatEngine } from './engine.ts'
import { createRemote, type RemoteOptions } from './remote.ts'

/** The engines behind every capability of this server. */
export interface Ai {
  /** The engine that chats now. */
  chat(): ChatEngine
  /** The engine for messages with pictures; null when there is none. */
  vision(): ChatEngine | null
  /** What works, by capability, as far as is known at this moment: it never waits and may be asked often. */
  checks(): Record<Capability, Check>
}

export interface AiOptions {
  config: Pick<Config, 'remoteAi'>
  log: Log
  /** Time limits of remote calls, for tests. */
  remote?: Partial<RemoteOptions> | undefined
}

/** What a person with access to the server can do about a capability that has no engine. */
const offReasons: Record<Exclude<Capability, 'chat'>, string> = {
  vision: 'No model that sees pictures is connected. Set OPENAI_BASE_URL or OPENAI_API_KEY, and VISION_MODEL.',
  caption: 'Describing pictures is not part of this version yet.',
  embedding: 'Searching by meaning is not part of this version yet.',
  image_embedding: 'Searching pictures by how they look is not part of this version yet.',
  ocr: 'Reading text in pictures is not part of this version yet.',
  transcription: 'Transcribing speech is not part of this version yet.',
  speech: 'Speaking is not part of this version yet.',
  image_edit: 'Editing pictures with a model is not part of this version yet.',
}

/**
 * Resolves each capability to the first engine that the configuration allows: remote, then built-in, else off with a
 * reason. A configured server that is down stays the engine, and its check says so: nothing else answers in its name.
 */
export function createAi({ config, log, remote: limits }: AiOptions): Ai {
  const { baseUrl, apiKey, chatModel, visionModel } = config.remoteAi
  const isRemote = baseUrl !== undefined || apiKey !== undefined
  if (!isRemote && chatModel !== undefined) {
    log.warn({}, 'CHAT_MODEL is set without OPENAI_BASE_URL or OPENAI_API_KEY: the built-in engine answers')
  }
  const remote = isRemote ? createRemote({ baseUrl, apiKey, chatModel, log, ...limits }) : null
  // without a model of its own for pictures, the one that chats is asked: many see
  const remoteVision =
    isRemote && visionModel !== undefined
      ? createRemote({ baseUrl, apiKey, chatModel: visionModel, log, ...limits })
      : remote
  const builtin = createBuiltin()
  // Begins to find out in the background, so that the first message does not have to.
  remote?.checkChat()
  if (remoteVision !== remote) remoteVision?.checkChat()

  const checkChat = (): Check => remote?.checkChat() ?? { state: 'ok', engine: BUILTIN, model: BUILTIN }

  const check = (capability: Capability): Check => {
    if (capability === 'chat') return checkChat()
    if (capability === 'vision' && remoteVision !== null) return remoteVision.checkChat()
    return { state: 'off', reason: offReasons[capability] }
  }

  return {
    chat: () => remote?.chat ?? builtin,
    vision: () => remoteVision?.chat ?? null,
    checks: () =>
      Object.fromEntries(capabilities.map((capability) => [capability, check(capability)])) as Record<
        Capability,
        Check
      >,
  }
}
