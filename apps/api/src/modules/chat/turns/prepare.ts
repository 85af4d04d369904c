import type { ChatRequest, Mention } from '@mira/shared'
import type { Caller } from '../../../caller.ts'
import type { ChatMessage, ProgramTools } from '../../../engines/chat-engine.ts'
import { ForbiddenError, missingScopeError, UnavailableError, ValidationError } from '../../../errors.ts'
import { newId } from '../../../platform/database/new-id.ts'
import type { PreferencesService } from '../../identity/index.ts'
import type { AttachmentsService } from '../attachments/attachments.service.ts'
import type { Attachment } from '../attachments/attachments.store.ts'
import type { FoundMessage } from '../conversations/branches.store.ts'
import { noItem } from '../conversations/present.ts'
import type { SessionsStore, StoredConversationState } from '../conversations/sessions.store.ts'
import type { MentionsService } from '../mentions/mentions.service.ts'
import type { PersonasService } from '../personas/personas.service.ts'
import type { PicturesService } from '../pictures/pictures.service.ts'
import type { ProjectsService } from '../projects/projects.service.ts'
import { type AnswerContext, EMPTY_CONTEXT } from '../projects-and-personas.ts'
import { type ChooseEngine, type ChosenEngine, firstModelRequest } from './choose-engine.ts'
import type { HistoryRow } from './recall.store.ts'
import type { PreparedTurn } from './turn.ts'

/** Project and persona of a conversation; null for none. */
interface ContextIds {
  projectId: string | null
  personaId: string | null
}

/** A program's question with its earlier messages, none of which are stored. */
export interface ProgramQuestion {
  /** The caller's additions to the system prompt; empty for none. */
  instructions: string
  /** Oldest first, without the question. */
  history: ChatMessage[]
  content: string
  /** Base64, with or without the prefix of a data URL. */
  images: string[]
  /** Tools that the program runs itself. */
  program?: ProgramTools | undefined
}

/** A new message with everything that it refers to. */
interface PreparedMessage {
  turn: PreparedTurn
  engineChoice: ChosenEngine
  /** The continued conversation; null when the message starts a new one. */
  stored: StoredConversationState | null
  mediaIds: string[]
  mentions: Mention[]
  contextIds: ContextIds
}

/** The conversation that a new message continues. */
interface ContinuedConversation {
  /** Null when the message starts a new one, or when it isn't the user's. */
  stored: StoredConversationState | null
  branchAttachments: Attachment[]
  /** True when the message edits one that was imported, so that its words count as not the user's. */
  isForeign: boolean
}

interface PrepareDeps {
  sessions: SessionsStore
  attachments: AttachmentsService
  chooseEngine: ChooseEngine
  mentions: MentionsService
  personas: PersonasService
  pictures: PicturesService
  preferences: PreferencesService
  projects: ProjectsService
}

export type Prepare = ReturnType<typeof createPrepare>

/** Reads what a question refers to and chooses its engine; stores nothing yet. */
export function createPrepare(deps: PrepareDeps) {
  const { sessions, attachments, chooseEngine, mentions, personas, pictures, preferences, projects } = deps

  /** @throws NotFoundError when the project isn't the user's, ForbiddenError when a mentioned agent may not be used. */
  const readContext = async (
    caller: Caller,
    { projectId, personaId }: ContextIds,
    mentioned: Mention[],
  ): Promise<AnswerContext> => {
    const [persona, project] = await Promise.all([
      personaId === null ? EMPTY_CONTEXT : personas.answerContextOf(caller.userId, personaId),
      projectId === null ? EMPTY_CONTEXT : projects.answerContextOf(caller, projectId),
    ])
    // Other users' conversations keep a persona that is no longer shared, but it has no effect.
    const joined = joinContexts(persona ?? EMPTY_CONTEXT, project)
    return mentioned.length === 0 ? joined : mentions.apply(caller, mentioned, joined)
  }

  /** The continued conversation, with the items attached in its branch for users who may use the library. */
  const readConversation = async (
    { userId, canSearchMemory }: Caller,
    { session_id: sessionId, parent_id: parentId }: ChatRequest,
  ): Promise<ContinuedConversation> => {
    const hasAttachments = canSearchMemory && parentId !== null
    const state = sessionId ? await sessions.readStateForMessage({ userId, sessionId, parentId, hasAttachments }) : null
    if (state === null) return { stored: null, branchAttachments: [], isForeign: false }
    const { attached, isBesideForeign, ...stored } = state
    return { stored, branchAttachments: attached, isForeign: isBesideForeign }
  }

  return {
    /**
     * Prepares the answer to a user's message; in a temporary conversation, the request contains the history and the pictures.
     * @throws NotFoundError, ForbiddenError, ValidationError, UnavailableError
     */
    async message(caller: Caller, request: ChatRequest, startedAt: number): Promise<PreparedMessage> {
      const { userId } = caller
      if (!caller.canReadStored && referencesStored(request)) throw missingScopeError('read')
      const content = questionText(request)
      const hasPictures = request.images.length > 0
      const mediaIds = [...new Set(request.media_ids)]
      if (mediaIds.length > 0 && !caller.canSearchMemory) {
        throw new ForbiddenError('Your account does not have permission to do this.')
      }
      const { stored, branchAttachments, isForeign } = await readConversation(caller, request)
      if (stored && !isOpenTo(caller, stored)) throw missingScopeError('read')
      const attached = caller.canSearchMemory
        ? await attachments.findForNewQuestion(userId, mediaIds, branchAttachments)
        : []
      // For a stored message, the statement that stores it checks this.
      if (request.temporary && attached.length < mediaIds.length) throw noItem()
      if (request.persona_id) await personas.find(userId, request.persona_id)
      const previousIds = contextIdsOf(stored)
      const contextIds = {
        projectId: request.project_id === undefined ? previousIds.projectId : request.project_id,
        personaId: request.persona_id === undefined ? previousIds.personaId : request.persona_id,
      }
      const mentioned = await mentions.resolve(caller, request.mentions)
      const context = await readContext(caller, contextIds, mentioned)
      const modelRequest = request.session_id
        ? request
        : await firstModelRequest(request, context, { userId, chooseEngine, preferences })
      const engineChoice = await chooseEngine.choose(modelRequest, stored, { hasPictures, attached })
      const turn: PreparedTurn = {
        ...caller,
        kind: request.temporary ? 'temporary' : 'conversation',
        startedAt,
        content,
        isForeign,
        hasPictures,
        attached,
        ...answerSettings(engineChoice, context),
        unstored: request.temporary
          ? {
              // The client doesn't say what its answers are based on, so they count as containing text by others.
              history: rowsOf(request.history ?? [], ({ role }) => role === 'assistant'),
              pictures: await pictures.dataUrlsOf(request.images),
            }
          : undefined,
      }
      return { turn, engineChoice, stored, mediaIds, mentions: mentioned, contextIds }
    },

    /**
     * Prepares another answer to a stored question, or the rest of an answer.
     * @throws NotFoundError, ForbiddenError, ValidationError, UnavailableError
     */
    async storedQuestion(
      caller: Caller,
      sessionId: string,
      { id, content, mentions: mentioned, isForeign }: NonNullable<FoundMessage['question']>,
      options: Pick<PreparedTurn, 'kind' | 'startedAt' | 'attached'> & { model?: string | null | undefined },
    ): Promise<PreparedTurn> {
      const { userId } = caller
      const { model, ...traits } = options
      const hasPictures = (await pictures.present(userId, [id])).size > 0
      const stored = await sessions.readState(userId, sessionId)
      if (stored && !isOpenTo(caller, stored)) throw missingScopeError('read')
      // This answer may quote stored data, so the token without `read` can't continue the conversation from now on.
      if (stored?.chatTokenId && caller.canReadStored)
        await sessions.updateSession(userId, sessionId, { chatTokenId: null })
      const context = await readContext(caller, contextIdsOf(stored), mentioned)
      const engineChoice = await chooseEngine.choose({ model }, stored, { hasPictures, attached: traits.attached })
      return { ...caller, ...traits, content, isForeign, hasPictures, ...answerSettings(engineChoice, context) }
    },

    /**
     * Prepares the answer to a program's question, by the default chat engine.
     * @throws UnavailableError when it needs a model that sees pictures or calls tools and none is connected, and the
     *   errors of `PicturesService.dataUrlsOf`
     */
    async programQuestion(
      caller: Caller,
      { instructions, history, content, images, program }: ProgramQuestion,
      startedAt: number,
    ): Promise<PreparedTurn> {
      const hasPictures = images.length > 0
      const engineChoice = await chooseEngine.choose({}, null, { hasPictures, attached: [] })
      const callsTools = program !== undefined && (program.isRequired || program.turns.length > 0)
      if (callsTools && engineChoice.engine.name !== 'remote') {
        throw new UnavailableError('No connected language model can call tools.', {
          code: 'tools_unavailable',
        })
      }
      if (program?.format !== undefined && engineChoice.engine.name !== 'remote') {
        throw new UnavailableError('No connected language model can answer in this format.', {
          code: 'tools_unavailable',
        })
      }
      return {
        ...caller,
        kind: 'program',
        startedAt,
        content,
        hasPictures,
        attached: [],
        ...answerSettings(engineChoice, { ...EMPTY_CONTEXT, instructions }),
        unstored: {
          // The program doesn't say what its answers are based on, so they count as containing text by others.
          history: rowsOf(history, ({ role, calls }) => role === 'assistant' || calls !== undefined),
          pictures: await pictures.dataUrlsOf(images),
        },
        program,
      }
    },
  }
}

/** True for a message that refers to stored data outside its conversation. */
function referencesStored({ project_id, persona_id, mentions, media_ids }: ChatRequest): boolean {
  const isMentioned = mentions.some(({ kind }) => kind === 'project' || kind === 'tag')
  return Boolean(project_id ?? persona_id) || isMentioned || media_ids.length > 0
}

/** True when the caller may read a conversation and the data that its answers use. */
function isOpenTo({ canReadStored, chatTokenId }: Caller, stored: StoredConversationState): boolean {
  if (canReadStored) return true
  return stored.chatTokenId === chatTokenId && stored.projectId === null && stored.personaId === null
}

/** Unstored messages, as rows of a history. */
function rowsOf(messages: ChatMessage[], hasOutsideText: (message: ChatMessage) => boolean): HistoryRow[] {
  return messages.map((message) => ({ id: newId(), ...message, hasOutsideText: hasOutsideText(message) }))
}

/** Default question for pictures without a text. */
const DESCRIBE_PICTURES = 'Please describe these images.'
/** Default question for items of the library without a text. */
const DESCRIBE_ITEMS = 'Please describe what is attached.'

/**
 * The message's text, or a default question for attachments without one.
 * @throws ValidationError for a blank message without attachments
 */
function questionText({ content, images, media_ids }: ChatRequest): string {
  if (content.trim() !== '') return content
  if (images.length > 0) return DESCRIBE_PICTURES
  if (media_ids.length > 0) return DESCRIBE_ITEMS
  const message = 'Write a message.'
  throw new ValidationError(message, { errors: [{ path: 'content', message }] })
}

/** Combines the contexts of a persona and a project: the persona's model takes precedence, the knowledge is merged. */
function joinContexts(persona: AnswerContext, project: AnswerContext): AnswerContext {
  const itemLists = [persona.knowledge, project.knowledge].filter((ids) => ids !== undefined)
  return {
    instructions: [persona.instructions, project.instructions].filter(Boolean).join('\n\n'),
    model: persona.model ?? project.model,
    knowledge: itemLists.length === 0 ? undefined : [...new Set(itemLists.flat())],
    allowedTools: persona.allowedTools,
  }
}

/** Project and persona of a conversation; none for a new one. */
function contextIdsOf(stored: ContextIds | null): ContextIds {
  return { projectId: stored?.projectId ?? null, personaId: stored?.personaId ?? null }
}

/** Parts of an engine choice and of the context that an answer uses. */
function answerSettings(
  { engine, seesPictures, isPicked, choice: { parameters } }: ChosenEngine,
  { instructions, knowledge, allowedTools, requestedTools }: AnswerContext,
) {
  return { engine, seesPictures, isPicked, parameters, instructions, knowledge, allowedTools, requestedTools }
}
