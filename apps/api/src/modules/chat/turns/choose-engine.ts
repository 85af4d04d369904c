import type { ChatParameters } from '@mira/shared'
import { cutText } from '@mira/shared/constants/cut-text'
import type { Ai } from '../../../engines/ai.ts'
import type { ChatEngine } from '../../../engines/chat-engine.ts'
import type { PickedEngine } from '../../../engines/servers.ts'
import { UnavailableError, ValidationError } from '../../../errors.ts'
import { say } from '../../../sentences.ts'
import type { PreferencesService } from '../../identity/index.ts'
import { isVisual } from '../attachments/attachments.service.ts'
import type { Attachment } from '../attachments/attachments.store.ts'

/** The user's model and parameters for a conversation; null leaves them to the administrators. */
export interface ModelChoice {
  model: string | null
  parameters: ChatParameters | null
}

/** Requested change of the model and parameters; undefined leaves them unchanged. */
interface ModelChange {
  model?: string | null | undefined
  parameters?: ChatParameters | null | undefined
}

export interface ChosenEngine {
  engine: ChatEngine
  seesPictures: boolean
  /** True when the user picked the engine; no other one may then read the conversation. */
  isPicked: boolean
  choice: ModelChoice
  /** True when the request sets a model or parameters. */
  isNew: boolean
}

export type ChooseEngine = ReturnType<typeof createChooseEngine>

/** Chooses the answering engine: the one that the user picked, or else the default one for chat or, with pictures, for vision. */
export function createChooseEngine(ai: Ai) {
  /** @throws ValidationError */
  const requireModel = async (model: string, isNew: boolean): Promise<PickedEngine> => {
    const pick = await (isNew ? ai.servers.pick(model) : ai.servers.pickAgain(model))
    if (pick !== null) return pick
    const name = cutText(model, 100)
    throw new ValidationError(
      isNew
        ? `No connected server has the model "${name}".`
        : `The model "${name}" of this conversation is no longer connected. Pick another one.`,
      { code: 'model_not_found', errors: [{ path: 'model', message: 'is not connected' }] },
    )
  }

  /** @throws UnavailableError when the question has pictures and no model sees them */
  const defaultEngine = (hasPictures: boolean, attached: Attachment[]) => {
    const vision = hasPictures || attached.some(isVisual) ? ai.vision() : null
    if (vision !== null) return { engine: vision, seesPictures: true }
    // Attached items are also described in words, so any engine will do.
    if (!hasPictures) return { engine: ai.chat(), seesPictures: false }
    throw new UnavailableError(say('vision_not_connected', {}), { code: 'vision_unavailable' })
  }

  return {
    /** True when a connected server has the model. */
    isKnown: async (model: string): Promise<boolean> => (await ai.servers.pick(model)) !== null,

    /** @throws ValidationError when no connected server has the model. */
    requireKnown: async (model: string): Promise<void> => void (await requireModel(model, true)),

    /**
     * @param stored the conversation's current choice; null for a new conversation
     * @throws ValidationError for a model that isn't connected, UnavailableError when no model sees the pictures
     */
    async choose(
      request: ModelChange,
      stored: ModelChoice | null,
      { hasPictures, attached }: { hasPictures: boolean; attached: Attachment[] },
    ): Promise<ChosenEngine> {
      const previous = stored ?? { model: null, parameters: null }
      const choice: ModelChoice = {
        model: request.model === undefined ? previous.model : request.model,
        parameters: request.parameters === undefined ? previous.parameters : request.parameters,
      }
      const isNew = request.model !== undefined || request.parameters !== undefined
      const pick = choice.model === null ? null : await requireModel(choice.model, choice.model !== previous.model)
      if (pick === null || (hasPictures && pick.seesPictures === false)) {
        return { ...defaultEngine(hasPictures, attached), isPicked: false, choice, isNew }
      }
      const seesPictures = hasPictures || pick.seesPictures === true
      return { engine: pick.engine, seesPictures, isPicked: true, choice, isNew }
    },
  }
}

/**
 * Model of a new conversation: the requested one, or else that of its project or persona, or else the user's default. Models
 * that weren't requested only count while a server has them, since the user may be unable to change them.
 */
export async function firstModelRequest(
  request: ModelChange,
  context: { model: string | null },
  {
    userId,
    chooseEngine,
    preferences,
  }: { userId: string; chooseEngine: ChooseEngine; preferences: PreferencesService },
): Promise<ModelChange> {
  if (request.model !== undefined) return request
  const { parameters } = request
  const isConnected = async (model: string | null): Promise<boolean> =>
    model !== null && (await chooseEngine.isKnown(model))
  if (await isConnected(context.model)) return { model: context.model, parameters }
  const preferred = (await preferences.read(userId)).model
  return (await isConnected(preferred)) ? { model: preferred, parameters } : request
}
