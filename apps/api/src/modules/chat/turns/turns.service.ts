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
import { conversationNotFound, noAnswer, noItem, noMessage, storedEventsOf } from '../conversations/present.ts'
import type { SessionsStore } from '../conversations/sessions.store.ts'
import { type BackgroundWriting, titleOf } from '../conversations/titles-and-summaries.ts'
import type { PicturesService } from '../pictures/pictures.service.ts'
import { askEarly, createMessageQueue, type MakeAnswer, predictAnswer } from './answer.ts'
import type { Answers } from './answers.service.ts'
import { maxHistoryCharacters } from './gather.ts'
import type { Prepare, ProgramQuestion } from './prepare.ts'
import type { BeginOutcome, QuestionsStore, StartedAnswer } from './questions.store.ts'
import { type AnswerRecordLimits, type AnswerTraits, createAnswerRecord, type ProduceEvents } from './record.ts'
import type { StoredAnswersStore } from './stored-answers.store.ts'
import { type AnswerStream, encodeEvent, withDone } from './stream.ts'
import type { ContinuedAnswer } from './tool-calls.service.ts'
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
  'no-session': conversationNotFound,
  'no-parent': noMessage,
  'no-media': noItem,
}

export type TurnsService = ReturnType<typeof createTurnsService>

/**
 * Prepares each turn of a conversation, stores it if its conversation is stored, and runs it. An answer's events go to its
 * record, which outlives the request; those of a temporary conversation go only to the stream, those for a program to the caller.
 */
export function createTurnsService(deps: TurnsDeps) {
  const { prepare, makeAnswer, answers, store, branches, questions, stored, pictures, attachments, links, log } = deps
  const { cancelWriting, writeAfter } = deps.writing
  const enqueue = createMessageQueue()

  const streamAnswer = async (
    userId: string,
    sessionId: string,
    { messageId: chosenId, afterSeq = 0 }: { messageId?: string | undefined; afterSeq?: number | undefined } = {},
  ): Promise<AnswerStream> => {
    const head = await stored.findHead(userId, sessionId, chosenId ?? null)
    if (head === null) throw chosenId === undefined ? conversationNotFound() : noMessage()
    const { messageId } = head
    if (head.hasEvents) return (signal) => withDone(answers.read(userId, messageId, afterSeq, signal))
    const events = storedEventsOf(head).map((event, index) =>
      encodeEvent({ seq: index + 1, event: links.presentEvent(userId, event) }),
    )
    return () => withDone(events)
  }

  /** Generates and records the answer in the background. */
  const run = (
    turn: Turn,
    before?: AnswerTraits['before'],
    events: ProduceEvents = (signal) => makeAnswer(turn, signal),
  ): void => {
    const traits = { ...traitsOf(turn), before }
    void answers.run(turn.startedAnswer, traits, events).then((recorded) => writeAfter(turn, recorded))
  }

  /** Runs a turn whose question was stored. Returns the stream of its answer, or of the existing answer to the same message. */
  const runStored = async (
    turn: PreparedTurn,
    outcome: BeginOutcome,
    eventsOf?: (startedAnswer: StartedAnswer) => ProduceEvents | undefined,
  ): Promise<AnswerStream> => {
    const { userId } = turn
    if (outcome.kind === 'repeated') return streamAnswer(userId, outcome.sessionId, { messageId: outcome.messageId })
    if (outcome.kind !== 'started') throw refusals[outcome.kind]()
    const { answer: startedAnswer } = outcome
    run({ ...turn, startedAnswer }, undefined, eventsOf?.(startedAnswer))
    return (signal) => withDone(answers.read(userId, startedAnswer.messageId, 0, signal))
  }

  /** Answers a message of a temporary conversation while the stream is being read. */
  const sendTemporary = async (caller: Caller, request: ChatRequest, startedAt: number): Promise<AnswerStream> => {
    requireTemporary(request)
    const { userId } = caller
    const reservation = answers.reserve(userId)
    try {
      const { turn } = await prepare.message(caller, request, startedAt)
      const startedAnswer = unstoredIds(userId)
      const present = (event: ChatEvent) => withoutSession(links.presentEvent(userId, event))
      const record = createAnswerRecord(startedAnswer, traitsOf(turn), { limits: deps.limits, present, log })
      void record
        .generate((signal) => makeAnswer({ ...turn, startedAnswer }, signal))
        .then(({ end }) => {
          reservation[Symbol.dispose]()
          record.log.append(end)
          record.log.end()
        })
      return (signal) => {
        const stop = () => record.stop('stopped')
        if (signal.aborted) stop()
        signal.addEventListener('abort', stop, { once: true })
        return withDone(record.log.read(0, signal))
      }
    } catch (error) {
      reservation[Symbol.dispose]()
      throw error
    }
  }

  return {
    /**
     * Stores a message, unless it's temporary, and starts its answer, which continues whether or not the stream is read. A
     * repeated `client_id` returns the stream of the existing answer.
     * @throws NotFoundError when the conversation, its project, the parent, or an attached or mentioned item isn't the
     *   user's; ConflictError while an answer is in progress in the conversation; ForbiddenError when the user may not use
     *   items of the library; TooManyRequestsError, ValidationError, UnavailableError
     */
    async send(caller: Caller, request: ChatRequest, startedAt = performance.now()): Promise<AnswerStream> {
      if (request.temporary) return sendTemporary(caller, request, startedAt)
      const { userId } = caller
      // Held until the answer runs, or this fails.
      using _reservation = answers.reserve(userId)
      const message = await prepare.message(caller, request, startedAt)
      const { turn, engineChoice, stored: conversation, mediaIds, contextIds } = message
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
        if (hasPictures && (await store.findSession(userId, question.sessionId)) === null) throw conversationNotFound()
        cancelWriting(question.sessionId)
      }
      const accepted = hasPictures ? await pictures.acceptPictures(userId, request.images) : []
      const ids = questions.idsFor(question)
      using queued = enqueue(question)
      // Attachments may still be refused when they're stored, and only the remote engine has work to do before it calls tools.
      const isPredictable =
        engine.name === 'remote' && !hasPictures && mediaIds.length === 0 && (isNew || conversation !== null)
      const startedAnswer =
        queued.isFirst && isPredictable ? predictAnswer({ ...question, ids, stored: conversation }) : null
      const maxCharacters = startedAnswer === null ? await maxHistoryCharacters(engine) : 0
      using early = startedAnswer && askEarly(makeAnswer, { ...turn, startedAnswer })
      // The embedded database runs one statement at a time, so the statements that the model waits for go first.
      if (early) await nextTick()
      await queued.afterSame
      const outcome = await questions.begin({
        ...question,
        ids,
        content,
        isForeign: turn.isForeign === true,
        pictures: accepted,
        mediaIds,
        mentions: message.mentions,
        searchConfiguration: searchConfigurationOf(content),
        engine: engine.name,
        model: engine.model(),
        choice: engineChoice.isNew ? engineChoice.choice : null,
        maxHistoryCharacters: maxCharacters,
        ...contextIds,
        serverId: answers.serverId,
      })
      const isMoved =
        contextIds.projectId !== (conversation?.projectId ?? null) ||
        contextIds.personaId !== (conversation?.personaId ?? null)
      if (outcome.kind === 'started' && isMoved && !isNew) {
        await store.updateSession(userId, outcome.answer.sessionId, contextIds)
      }
      // Awaited, since an early answer that isn't taken by the end of this block is discarded.
      return await runStored(turn, outcome, (stored) => (early?.isFor(stored) ? early.take : undefined))
    },

    /**
     * Starts another answer to the question of an existing one. The conversation then shows it, unless it's generated beside
     * others for comparison.
     * @throws NotFoundError when the answer isn't part of the user's conversation, ValidationError when it's a user's message
     *   or no connected server has the model, ConflictError while an answer is in progress in the conversation,
     *   TooManyRequestsError
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
      // Held until the answer runs, or this fails.
      using _reservation = answers.reserve(userId)
      if (!isCompared) cancelWriting(sessionId)
      const attached = caller.canSearchMemory ? await attachments.findForQuestion(userId, sessionId, question.id) : []
      const kind = isCompared ? 'compared' : 'conversation'
      const turn = await prepare.storedQuestion(caller, sessionId, question, { kind, startedAt, attached, model })
      const outcome = await questions.beginAlternative({
        userId,
        sessionId,
        questionId: question.id,
        isComparison: isCompared,
        engine: turn.engine.name,
        model: turn.engine.model(),
        serverId: answers.serverId,
      })
      return runStored(turn, outcome)
    },

    /**
     * Resumes an answer, which `begin` stores as running again.
     * @throws NotFoundError, TooManyRequestsError, ValidationError and UnavailableError as for a new answer, and the errors of
     *   `begin`
     */
    async resume(
      caller: Caller,
      sessionId: string,
      messageId: string,
      begin: () => Promise<ContinuedAnswer>,
      startedAt: number,
    ): Promise<void> {
      const question = (await branches.findMessage(caller.userId, messageId))?.question
      if (!question) throw noMessage()
      // Held until the answer runs, or this fails.
      using _reservation = answers.reserve(caller.userId)
      // The attachments are already reflected in the answer's text.
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
     * Answers a program, which keeps the conversation itself; aborting the signal ends the answer.
     * @throws TooManyRequestsError when the user has too many answers in progress, EngineError, and errors of preparing
     */
    async *answerProgram(caller: Caller, question: ProgramQuestion, signal: AbortSignal): AsyncGenerator<AnswerEvent> {
      using _reservation = answers.reserve(caller.userId)
      const turn = await prepare.programQuestion(caller, question, performance.now())
      yield* makeAnswer({ ...turn, startedAnswer: unstoredIds(caller.userId) }, signal)
    },

    /** @throws NotFoundError when the conversation, or the answer in it, isn't the user's. */
    streamAnswer,
  }
}

function traitsOf({ engine, startedAt, countsInAnalytics }: PreparedTurn): AnswerTraits {
  return { engine: engine.name, model: engine.model(), startedAt, countsInAnalytics }
}

function unstoredIds(userId: string): StartedAnswer {
  return { userId, sessionId: newId(), sessionName: '', questionId: newId(), messageId: newId(), parentId: null }
}

/** An event without the id of its unstored conversation. */
function withoutSession(event: ChatEvent): ChatEvent {
  return event.type === 'session' || event.type === 'complete' ? { ...event, session_id: null } : event
}

function requireTemporary({ session_id, parent_id }: ChatRequest): void {
  const refuse = (path: string, message: string): never => {
    throw new ValidationError(message, { errors: [{ path, message }] })
  }
  if (session_id) refuse('session_id', 'A temporary message can’t belong to a stored conversation.')
  if (parent_id) refuse('parent_id', 'A temporary message can’t follow a stored one.')
}
