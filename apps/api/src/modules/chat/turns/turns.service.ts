import { setImmediate as nextTick } from 'node:timers/promises'
import type { ChatEvent, ChatRequest, Regenerate } from '@mira/shared'
import type { Caller } from '../../../caller.ts'
import { ConflictError, ValidationError } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import { searchConfigurationOf } from '../../../offline/language/language.ts'
import { newId } from '../../../platform/database/new-id.ts'
import type { AttachmentsService } from '../attachments/attachments.service.ts'
import type { BranchesStore } from '../conversations/branches.store.ts'
import type { Links } from '../conversations/links.ts'
import { noAnswer, noItem, noMessage, noSession, storedEventsOf } from '../conversations/present.ts'
import type { SessionsStore } from '../conversations/sessions.store.ts'
import { type BackgroundWriting, titleOf } from '../conversations/writers.ts'
import type { PicturesService } from '../pictures/pictures.service.ts'
import { askEarly, createMessageTurns, type MakeAnswer, predictAnswer } from './answer.ts'
import type { Answers } from './answers.service.ts'
import { maxHistoryCharacters } from './gather.ts'
import type { Prepare, ProgramQuestion } from './prepare.ts'
import type { BeginOutcome, BegunAnswer, QuestionsStore } from './questions.store.ts'
import { type AnswerRecordLimits, type AnswerTraits, createAnswerRecord, type MadeEvents } from './record.ts'
import type { StoredAnswersStore } from './stored-answers.store.ts'
import { type AnswerStream, encodeEvent, withDone } from './stream.ts'
import type { Continued } from './tool-calls.service.ts'
import type { AnswerEvent, PreparedTurn, Turn } from './turn.ts'

export interface TurnsDeps {
  prepare: Prepare
  makeAnswer: MakeAnswer
  answers: Answers
  store: SessionsStore
  branches: BranchesStore
  questions: QuestionsStore
  stored: StoredAnswersStore
  pictures: PicturesService
  attachments: AttachmentsService
  writing: BackgroundWriting
  links: Links
  limits: AnswerRecordLimits
  log: Log
}

const refusals = {
  busy: () =>
    new ConflictError('An answer is already in progress in this conversation. Wait for it to finish, or stop it.', {
      code: 'answer_running',
    }),
  'no-session': noSession,
  'no-parent': noMessage,
  'no-media': noItem,
}

export type TurnsService = ReturnType<typeof createTurnsService>

/**
 * Turns of conversations: each is prepared, stored where its conversation is, and run. The answer's events go to its
 * record, which outlives the request; to a stream alone for a temporary conversation; or to the caller for a program.
 */
export function createTurnsService(deps: TurnsDeps) {
  const { prepare, makeAnswer, answers, store, branches, questions, stored, pictures, attachments, links, log } = deps
  const { cancelWriting, writeAfter } = deps.writing
  const takeTurn = createMessageTurns()

  const follow = async (
    userId: string,
    sessionId: string,
    { messageId: chosenId, afterSeq = 0 }: { messageId?: string | undefined; afterSeq?: number | undefined } = {},
  ): Promise<AnswerStream> => {
    const head = await stored.findHead(userId, sessionId, chosenId ?? null)
    if (head === null) throw chosenId === undefined ? noSession() : noMessage()
    const { messageId } = head
    if (head.hasEvents) return (signal) => withDone(answers.read(userId, messageId, afterSeq, signal))
    const events = storedEventsOf(head).map((event, index) =>
      encodeEvent({ seq: index + 1, event: links.presentEvent(userId, event) }),
    )
    return () => withDone(events)
  }

  /** Generates the answer in the background, recorded to its end. */
  const run = (
    turn: Turn,
    before?: AnswerTraits['before'],
    events: MadeEvents = (signal) => makeAnswer(turn, signal),
  ): void => {
    const traits = { ...traitsOf(turn), before }
    void answers.run(turn.startedAnswer, traits, events).then((recorded) => writeAfter(turn, recorded))
  }

  /** Runs a turn whose question was stored; the stream of its answer, or of the existing one to the same message. */
  const runStored = async (
    turn: PreparedTurn,
    outcome: BeginOutcome,
    eventsOf?: (startedAnswer: BegunAnswer) => MadeEvents | undefined,
  ): Promise<AnswerStream> => {
    const { userId } = turn
    if (outcome.kind === 'repeated') return follow(userId, outcome.sessionId, { messageId: outcome.messageId })
    if (outcome.kind !== 'begun') throw refusals[outcome.kind]()
    const { answer: startedAnswer } = outcome
    run({ ...turn, startedAnswer }, undefined, eventsOf?.(startedAnswer))
    return (signal) => withDone(answers.read(userId, startedAnswer.messageId, 0, signal))
  }

  /** Answers a message of a temporary conversation as long as somebody reads the stream. */
  const sendTemporary = async (caller: Caller, request: ChatRequest, startedAt: number): Promise<AnswerStream> => {
    requireTemporary(request)
    const { userId } = caller
    const reservation = answers.reserveRoom(userId)
    try {
      const { turn } = await prepare.message(caller, request, startedAt)
      const startedAnswer = unstoredIds(userId)
      const present = (event: ChatEvent) => withoutSession(links.presentEvent(userId, event))
      const record = createAnswerRecord(startedAnswer, traitsOf(turn), { limits: deps.limits, present, log })
      void record
        .take((signal) => makeAnswer({ ...turn, startedAnswer }, signal))
        .then(({ end }) => {
          reservation[Symbol.dispose]()
          record.log.append(end)
          record.log.end()
        })
      return (signal) => {
        const leave = () => record.stop('stopped')
        if (signal.aborted) leave()
        signal.addEventListener('abort', leave, { once: true })
        return withDone(record.log.read(0, signal))
      }
    } catch (error) {
      reservation[Symbol.dispose]()
      throw error
    }
  }

  return {
    /**
     * Stores a message, unless it is temporary, and begins its answer, which continues whether or not the stream is
     * read. The same `client_id` again gives the stream of the existing answer.
     * @throws NotFoundError when the conversation, its project, the parent, or an attached or mentioned item isn't the
     *   user's; ConflictError while an answer is generated in it; ForbiddenError when items of the library may not be
     *   used; TooManyRequestsError, ValidationError, UnavailableError.
     */
    async send(caller: Caller, request: ChatRequest, startedAt = performance.now()): Promise<AnswerStream> {
      if (request.temporary) return sendTemporary(caller, request, startedAt)
      const { userId } = caller
      // until the answer runs, or this fails
      using _room = answers.reserveRoom(userId)
      const message = await prepare.message(caller, request, startedAt)
      const { turn, engineChoice, stored: conversation, mediaIds, around } = message
      const { engine, content, hasPictures } = turn
      const question = {
        userId,
        chatTokenId: caller.chatTokenId,
        sessionId: request.session_id ?? null,
        sessionName: titleOf(content),
        parentId: request.parent_id,
        clientId: request.client_id ?? null,
      }
      const isNew = question.sessionId === null
      if (question.sessionId !== null) {
        if (hasPictures && (await store.findSession(userId, question.sessionId)) === null) throw noSession()
        cancelWriting(question.sessionId)
      }
      const accepted = hasPictures ? await pictures.acceptPictures(userId, request.images) : []
      const ids = questions.idsFor(question)
      using order = takeTurn(question)
      // attachments are judged while they are stored, and only a model's server answers without acting first
      const isPlain =
        engine.name === 'remote' && !hasPictures && mediaIds.length === 0 && (isNew || conversation !== null)
      const startedAnswer = order.isFirst && isPlain ? predictAnswer({ ...question, ids, stored: conversation }) : null
      const maxCharacters = startedAnswer === null ? await maxHistoryCharacters(engine) : 0
      using early = startedAnswer && askEarly(makeAnswer, { ...turn, startedAnswer })
      // an embedded database runs one statement after another: those that the model waits for come first
      if (early) await nextTick()
      await order.afterSame
      const outcome = await questions.begin({
        ...question,
        ids,
        content,
        pictures: accepted,
        mediaIds,
        mentions: message.mentions,
        searchConfiguration: searchConfigurationOf(content),
        engine: engine.name,
        model: engine.model(),
        choice: engineChoice.isNew ? engineChoice.choice : null,
        maxHistoryCharacters: maxCharacters,
        ...around,
        serverId: answers.serverId,
      })
      const isMoved =
        around.projectId !== (conversation?.projectId ?? null) || around.personaId !== (conversation?.personaId ?? null)
      if (outcome.kind === 'begun' && isMoved && !isNew) {
        await store.updateSession(userId, outcome.answer.sessionId, around)
      }
      // awaited, because an early answer that isn't taken by then is given up
      return await runStored(turn, outcome, (stored) => (early?.isFor(stored) ? early.take : undefined))
    },

    /**
     * Begins another answer to the question of an existing one; the conversation shows it from now on, unless it is
     * generated to be compared, which several are at once.
     * @throws NotFoundError when the answer isn't part of the user's conversation, ValidationError when it is a user's
     *   message or no connected server has the model, ConflictError while an answer is generated in the conversation,
     *   TooManyRequestsError.
     */
    async regenerate(
      caller: Caller,
      sessionId: string,
      { message_id: answerId, model, beside: isCompared = false }: Regenerate,
      startedAt = performance.now(),
    ): Promise<AnswerStream> {
      const { userId } = caller
      const answer = await branches.findMessage(userId, answerId)
      if (answer === null || answer.sessionId !== sessionId) throw noMessage()
      const { question } = answer
      if (question === null) throw noAnswer()
      // until the answer runs, or this fails
      using _room = answers.reserveRoom(userId)
      if (!isCompared) cancelWriting(sessionId)
      const attached = caller.canSearchMemory ? await attachments.ofQuestion(userId, sessionId, question.id) : []
      const kind = isCompared ? 'compared' : 'conversation'
      const turn = await prepare.storedQuestion(caller, sessionId, question, { kind, startedAt, attached, model })
      const outcome = await questions.beginAgain({
        userId,
        sessionId,
        questionId: question.id,
        isBeside: isCompared,
        engine: turn.engine.name,
        model: turn.engine.model(),
        serverId: answers.serverId,
      })
      return runStored(turn, outcome)
    },

    /**
     * Resumes an answer that `begin` stores as running again.
     * @throws NotFoundError, TooManyRequestsError, ValidationError and UnavailableError as another answer does; what
     *   `begin` throws.
     */
    async resume(
      caller: Caller,
      sessionId: string,
      messageId: string,
      begin: () => Promise<Continued>,
      startedAt: number,
    ): Promise<void> {
      const question = (await branches.findMessage(caller.userId, messageId))?.question
      if (!question) throw noMessage()
      // until the answer runs, or this fails
      using _room = answers.reserveRoom(caller.userId)
      // attachments that the answer has read are part of its text
      const turn = await prepare.storedQuestion(caller, sessionId, question, {
        kind: 'conversation',
        startedAt,
        attached: [],
      })
      cancelWriting(sessionId)
      const { startedAnswer, resumed, before } = await begin()
      run({ ...turn, startedAnswer, resumed }, before)
    },

    /**
     * Answers a program, which keeps the conversation; aborting the signal ends the answer.
     * @throws TooManyRequestsError when many answers are generated for the user, EngineError, and what preparing throws.
     */
    async *answerProgram(caller: Caller, question: ProgramQuestion, signal: AbortSignal): AsyncGenerator<AnswerEvent> {
      using _room = answers.reserveRoom(caller.userId)
      const turn = await prepare.programQuestion(caller, question, performance.now())
      yield* makeAnswer({ ...turn, startedAnswer: unstoredIds(caller.userId) }, signal)
    },

    /** @throws NotFoundError when the conversation, or the answer in it, isn't the user's. */
    follow,
  }
}

function traitsOf({ engine, startedAt, inAnalytics }: PreparedTurn): AnswerTraits {
  return { engine: engine.name, model: engine.model(), startedAt, inAnalytics }
}

function unstoredIds(userId: string): BegunAnswer {
  return { userId, sessionId: newId(), sessionName: '', questionId: newId(), messageId: newId(), parentId: null }
}

/** An event of a conversation that isn't stored. */
function withoutSession(event: ChatEvent): ChatEvent {
  return event.type === 'session' || event.type === 'complete' ? { ...event, session_id: null } : event
}

function requireTemporary({ session_id, parent_id }: ChatRequest): void {
  const complain = (path: string, message: string): never => {
    throw new ValidationError(message, { errors: [{ path, message }] })
  }
  if (session_id) complain('session_id', 'A temporary message belongs to no stored conversation.')
  if (parent_id) complain('parent_id', 'A temporary message follows no stored one.')
}
