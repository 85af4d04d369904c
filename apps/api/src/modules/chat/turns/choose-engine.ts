import type { ChatParameters } from '@mira/shared'
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
interface ModelWish {
  model?: string | null | undefined
  parameters?: ChatParameters | null | undefined
}

export interface ChosenEngine {
  engine: ChatEngine
  seesPictures: boolean
  /** True when the user picked it: no other engine may read the conversation. */
  isPicked: boolean
  choice: ModelChoice
  /** True when the request sets a model or parameters. */
  isNew: boolean
}

export type ChooseEngine = ReturnType<typeof createChooseEngine>

/** Chooses the engine that answers: the one that the user picked, else the default chat engine. */
export function createChooseEngine(ai: Ai) {
  /** @throws ValidationError */
  const requireModel = async (model: string, isNew: boolean): Promise<PickedEngine> => {
    const pick = await (isNew ? ai.servers.pick(model) : ai.servers.pickAgain(model))
    if (pick !== null) return pick
    const name = model.slice(0, 100)
    throw new ValidationError(
      isNew
        ? `No connected server has the model "${name}".`
        : `The model "${name}" of this conversation is not connected any more. Pick another one.`,
      { code: 'model_not_found', errors: [{ path: 'model', message: 'is not connected' }] },
    )
  }

  /** @throws UnavailableError when the question has pictures and nothing sees them. */
  const withoutPick = (hasPictures: boolean, attached: Attachment[]) => {
    const seeing = hasPictures || attached.some(isVisual) ? ai.vision() : null
    if (seeing !== null) return { engine: seeing, seesPictures: true }
    // attached items are described in words as well, so that any engine will do
    if (!hasPictures) return { engine: ai.chat(), seesPictures: false }
    throw new UnavailableError(say('vision_not_connected', {}), { code: 'vision_unavailable' })
  }

  return {
    /** True when a connected server has the model. */
    isKnown: async (model: string): Promise<boolean> => (await ai.servers.pick(model)) !== null,

    /** @throws ValidationError when no connected server has the model. */
    requireKnown: async (model: string): Promise<void> => void (await requireModel(model, true)),

    /**
     * @param stored what the conversation has been answered with; null for a new one.
     * @throws ValidationError for a model that is not connected, UnavailableError when nothing sees the pictures.
     */
    async choose(
      request: ModelWish,
      stored: ModelChoice | null,
      { hasPictures, attached }: { hasPictures: boolean; attached: Attachment[] },
    ): Promise<ChosenEngine> {
      const before = stored ?? { model: null, parameters: null }
      const choice: ModelChoice = {
        model: request.model === undefined ? before.model : request.model,
        parameters: request.parameters === undefined ? before.parameters : request.parameters,
      }
      const isNew = request.model !== undefined || request.parameters !== undefined
      const pick = choice.model === null ? null : await requireModel(choice.model, choice.model !== before.model)
      if (pick === null || (hasPictures && pick.seesPictures === false)) {
        return { ...withoutPick(hasPictures, attached), isPicked: false, choice, isNew }
      }
      const seesPictures = hasPictures || pick.seesPictures === true
      return { engine: pick.engine, seesPictures, isPicked: true, choice, isNew }
    },
  }
}

/**
 * Model of a new conversation: the requested one, else that of its project or persona, else the user's default. The
 * latter two only count while a server has them, since the user may be unable to change either.
 */
export async function firstModelRequest(
  request: ModelWish,
  surroundings: { model: string | null },
  {
    userId,
    chooseEngine,
    preferences,
  }: { userId: string; chooseEngine: ChooseEngine; preferences: PreferencesService },
): Promise<ModelWish> {
  if (request.model !== undefined) return request
  const { parameters } = request
  const isThere = async (model: string | null): Promise<boolean> =>
    model !== null && (await chooseEngine.isKnown(model))
  if (await isThere(surroundings.model)) return { model: surroundings.model, parameters }
  const usual = (await preferences.read(userId)).model
  return (await isThere(usual)) ? { model: usual, parameters } : request
}
