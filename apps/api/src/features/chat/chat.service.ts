import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  type ChatMessageView,
  type ChatRequest,
  encodeSse,
  type Rating,
  type Regenerate,
  SSE_DONE,
  type UserEventJson,
} from '@mira/shared'
import type { Asker } from '../../asker.ts'
import { ConflictError, ForbiddenError } from '../../errors.ts'
import type { MakeAnswer } from './answering/answer.ts'
import { encodeEvent } from './answering/answer-log.ts'
import type { MadeEvents } from './answering/answer-record.ts'
import type { AnswerRequest } from './answering/answer-request.ts'
import type { Answers } from './answering/answers.service.ts'
import { askedText } from './answering/asked-text.ts'
import type { CallsService } from './answering/calls.service.ts'
import { beginningWish, type ChooseEngine } from './answering/choose-engine.ts'
import { dayIn } from './answering/day.ts'
import { askEarly, createMessageTurns, type EarlyAnswer, foresee } from './answering/early-answer.ts'
import { mostHistoryCharacters } from './answering/gather.ts'
import type { BeginOutcome, QuestionsStore } from './answering/questions.store.ts'
import type { StoredAnswersStore } from './answering/stored-answers.store.ts'
import { answeredBy, type ReadSurroundings, surroundingIdsOf } from './answering/surroundings.ts'
import type { AttachmentsService } from './attachments/attachments.service.ts'
import type { Attachment } from './attachments/attachments.store.ts'
import type { MentionsService } from './mentions/mentions.service.ts'
import { noAnswer, noItem, noMessage, noSession } from './missing.ts'
import type { PicturesService } from './pictures/pictures.service.ts'
import { createBackgroundWriting } from './sessions/background-writing.ts'
import type { BranchesStore } from './sessions/branches.store.ts'
import type { BulkStore } from './sessions/bulk.store.ts'
import type { Links } from './sessions/links.ts'
import { createMessageViews } from './sessions/message-views.ts'
import { retell } from './sessions/present.ts'
import { createSessionsService, type SessionsService } from './sessions/sessions.service.ts'
import type { SessionsStore, StoredPlace } from './sessions/sessions.store.ts'
import type { SummaryWriter } from './sessions/summary-writer.ts'
import type { TitleWriter } from './sessions/title-writer.ts'
import { titleOf } from './sessions/titles.ts'

/** The stream of an answer, encoded, to its `[DONE]`; it ends earlier when the signal is aborted. */
export type AnswerStream = (signal: AbortSignal) => AsyncIterable<string>

export interface ChatDeps {
  store: SessionsStore
  bulk: BulkStore
  branches: BranchesStore
  questions: QuestionsStore
  stored: StoredAnswersStore
  answers: Answers
  makeAnswer: MakeAnswer
  titles: TitleWriter
  summaries: SummaryWriter
  pictures: Pick<PicturesService, 'acceptPictures' | 'present'>
  attachments: Pick<AttachmentsService, 'ofNewQuestion' | 'ofQuestion'>
  calls: CallsService
  chooseEngine: ChooseEngine
  readSurroundings: ReadSurroundings
  resolveMentions: MentionsService['resolve']
  /** The model that a person wishes for in new conversations; null for none. */
  usualModel(userId: string): Promise<string | null>
  /** @throws NotFoundError when the project is not the person's. */
  requireProject(userId: string, projectId: string): Promise<unknown>
  /** @throws NotFoundError when the person may not talk to it. */
  requirePersona(userId: string, personaId: string): Promise<unknown>
  /** Has the files of what was deleted removed. */
  removeLooseFiles(): Promise<void>
  links: Links
  /** Gets ready what the first message would have to wait for. */
  prepare(): void
  searchConfigurationOf(text: string): string
  publish(userId: string, event: UserEventJson): void
}

export type ChatService = ReturnType<typeof createChatService>

const refusals = {
  busy: () =>
    new ConflictError('An answer is being made in this conversation. Wait for its end, or stop it.', {
      code: 'answer_running',
    }),
  'no-session': noSession,
  'no-parent': noMessage,
  'no-media': noItem,
}

/** Conversations: sending, following and stopping answers, beside what there is to do with the conversations themselves. */
export function createChatService(deps: ChatDeps) {
  const {
    store,
    branches,
    questions,
    stored,
    answers,
    makeAnswer,
    titles,
    summaries,
    links,
    pictures,
    attachments,
    chooseEngine,
    publish,
  } = deps

  const tellUpdated = (userId: string, sessionId: string, deleted = false) =>
    publish(userId, { type: 'chat.updated', session_id: sessionId, deleted })

  const { giveWay, goOnAfter, ...background } = createBackgroundWriting({ titles, summaries, tellUpdated })
  const views = createMessageViews(deps)
  const takeTurn = createMessageTurns()
  const { removeLooseFiles } = deps
  const sessions: SessionsService = createSessionsService({
    ...{ store, bulk: deps.bulk, branches, answers, views, giveWay, removeLooseFiles, tellUpdated },
    requireModel: chooseEngine.requireKnown,
    requireProject: deps.requireProject,
    requirePersona: deps.requirePersona,
  })

  /** The caller makes sure that it is the person's. */
  const readMessage = async (userId: string, messageId: string): Promise<ChatMessageView> => {
    const row = await branches.readMessage(messageId)
    const [message] = row === null ? [] : await views.present(userId, [row])
    if (message === undefined) throw noMessage()
    return message
  }

  const follow = async (
    userId: string,
    sessionId: string,
    place: { messageId?: string | undefined; afterSeq?: number | undefined } = {},
  ): Promise<AnswerStream> => {
    const head = await stored.findHead(userId, sessionId, place.messageId ?? null)
    if (head === null) throw place.messageId === undefined ? noSession() : noMessage()
    const { messageId } = head
    if (head.hasEvents) return (signal) => toTheEnd(answers.read(userId, messageId, place.afterSeq ?? 0, signal))
    const told = retell(head).map((event, index) =>
      encodeEvent({ seq: index + 1, event: links.presentEvent(userId, event) }),
    )
    return () => toTheEnd(told)
  }

  /** Makes the answer whose place was stored; its stream, or that of the one which is there already. */
  const answer = async (
    asked: Omit<AnswerRequest, 'begun'>,
    outcome: BeginOutcome,
    startedAt: number,
    early: EarlyAnswer | null = null,
  ): Promise<AnswerStream> => {
    const { userId, engine, inAnalytics } = asked
    if (outcome.kind === 'repeated') return follow(userId, outcome.sessionId, { messageId: outcome.messageId })
    if (outcome.kind !== 'begun') throw refusals[outcome.kind]()
    const { answer: begun } = outcome
    const traits = { engine: engine.name, model: engine.model(), startedAt, inAnalytics }
    const whole = { ...asked, begun }
    const made: MadeEvents = early?.isFor(begun) ? early.take : (signal) => makeAnswer(whole, signal)
    void answers.run(begun, traits, made).then((recorded) => goOnAfter(whole, recorded))
    return (signal) => toTheEnd(answers.read(userId, begun.messageId, 0, signal))
  }

  /** Has an answer go on whose person decided about a call. */
  const goOn = async (
    asker: Asker,
    sessionId: string,
    decision: { messageId: string; callId: string; isAllowed: boolean },
    startedAt: number,
  ) => {
    const { userId } = asker
    const question = (await branches.findMessage(userId, decision.messageId))?.question
    if (!question) throw noMessage()
    // until the answer runs, or this fails
    using _room = answers.reserveRoom(userId)
    const hasPictures = (await pictures.present(userId, [question.id])).size > 0
    const stored = await store.readChoice(userId, sessionId)
    const surroundings = await deps.readSurroundings(asker, surroundingIdsOf(stored), question.mentions)
    const chosen = await chooseEngine.choose({}, stored, { hasPictures, attached: [] })
    giveWay(sessionId)
    const { begun, goesOn, before } = await deps.calls.goOn(userId, sessionId, decision)
    const { engine } = chosen
    const traits = { engine: engine.name, model: engine.model(), startedAt, inAnalytics: asker.inAnalytics, before }
    // what was attached is in what the answer has said, as far as it has read it
    const asked = {
      ...asker,
      begun,
      content: question.content,
      hasPictures,
      attached: [],
      goesOn,
      ...answeredBy(chosen, surroundings),
    }
    void answers
      .run(begun, traits, (signal) => makeAnswer(asked, signal))
      .then((recorded) => goOnAfter(asked, recorded))
  }

  /** A conversation that is gone on with, and what is attached in its branch, for whoever may use the library. */
  const readPlace = async (
    { userId, canSearchMemory }: Asker,
    { sessionId, parentId }: { sessionId: string | null; parentId: string | null | undefined },
  ): Promise<{ stored: StoredPlace | null; ofBranch: Attachment[] }> => {
    if (sessionId === null) return { stored: null, ofBranch: [] }
    if (!canSearchMemory || parentId === null) {
      return { stored: await store.readChoice(userId, sessionId), ofBranch: [] }
    }
    const stored = await store.readPlace(userId, sessionId, parentId)
    return { stored, ofBranch: stored?.attached ?? [] }
  }

  return {
    ...sessions,

    /**
     * Stores a message and begins its answer, which goes on whether or not anyone reads the stream. The same
     * `client_id` again gives the stream of the answer that is there.
     * @throws NotFoundError when the conversation, its project, the parent or what is attached or named is not the person's, ConflictError while an answer is
     * made in it, ForbiddenError when items of the library may not be used, TooManyRequestsError, ValidationError,
     * UnavailableError.
     */
    async send(asker: Asker, request: ChatRequest, startedAt = performance.now()): Promise<AnswerStream> {
      const { userId } = asker
      const hasPictures = request.images.length > 0
      const mediaIds = [...new Set(request.media_ids)]
      if (mediaIds.length > 0 && !asker.canSearchMemory) {
        throw new ForbiddenError('Your account does not have permission to do this.')
      }
      const content = askedText(request)
      // until the answer runs, or this fails
      using _room = answers.reserveRoom(userId)
      const place = { sessionId: request.session_id ?? null, parentId: request.parent_id }
      const { stored, ofBranch } = await readPlace(asker, place)
      const attached = asker.canSearchMemory ? await attachments.ofNewQuestion(userId, mediaIds, ofBranch) : []
      const isNew = place.sessionId === null
      if (request.persona_id) await deps.requirePersona(userId, request.persona_id)
      const before = surroundingIdsOf(stored)
      const around = {
        projectId: request.project_id === undefined ? before.projectId : request.project_id,
        personaId: request.persona_id === undefined ? before.personaId : request.persona_id,
      }
      const mentions = await deps.resolveMentions(asker, request.mentions)
      const surroundings = await deps.readSurroundings(asker, around, mentions)
      const usualModel = () => deps.usualModel(userId)
      const wish = isNew ? await beginningWish(request, surroundings, { chooseEngine, usualModel }) : request
      const chosen = await chooseEngine.choose(wish, stored, { hasPictures, attached })
      const { engine } = chosen
      if (request.session_id) {
        if (hasPictures && (await store.findSession(userId, request.session_id)) === null) throw noSession()
        giveWay(request.session_id)
      }
      const accepted = hasPictures ? await pictures.acceptPictures(userId, request.images) : []
      const asked = { ...asker, content, hasPictures, attached, ...answeredBy(chosen, surroundings) }
      const given = {
        userId,
        sessionId: place.sessionId,
        sessionName: titleOf(content),
        parentId: request.parent_id,
        clientId: request.client_id ?? null,
      }
      const ids = questions.idsFor(given)
      // what comes along is judged while it is stored, and only a model's server answers without acting first
      const isPlain = engine.name === 'remote' && !hasPictures && mediaIds.length === 0 && (isNew || stored !== null)
      using turn = takeTurn(given)
      const begun = turn.isFirst && isPlain ? foresee({ ...given, ids, stored }) : null
      const mostCharacters = begun === null ? await mostHistoryCharacters(engine) : 0
      using early = begun && askEarly(makeAnswer, { ...asked, begun })
      // an embedded database does one thing after the other: what the model waits for comes first
      if (early) await nextTurn()
      await turn.afterSame
      const outcome = await questions.begin({
        ...given,
        ids,
        content,
        pictures: accepted,
        mediaIds,
        mentions,
        searchConfiguration: deps.searchConfigurationOf(content),
        engine: engine.name,
        model: engine.model(),
        choice: chosen.isNew ? chosen.choice : null,
        mostHistoryCharacters: mostCharacters,
        ...around,
        serverId: answers.serverId,
      })
      const isMoved = around.projectId !== before.projectId || around.personaId !== before.personaId
      if (!isNew && outcome.kind === 'begun' && isMoved) {
        await store.updateSession(userId, outcome.answer.sessionId, around)
      }
      // awaited, because what is not taken by then is given up
      return await answer(asked, outcome, startedAt, early)
    },

    /**
     * Begins another answer beside one that is there, to the same question after the same messages; the session shows
     * it from now on, unless it is made to be compared, which several are at once.
     * @throws NotFoundError when the answer is not part of a conversation of the person, ValidationError when it is a
     * person's message or no connected server has the model, ConflictError while an answer is made in the conversation, TooManyRequestsError.
     */
    async regenerate(
      asker: Asker,
      sessionId: string,
      { message_id: answerId, model, beside: isBeside = false }: Regenerate,
      startedAt = performance.now(),
    ): Promise<AnswerStream> {
      const { userId } = asker
      const found = await branches.findMessage(userId, answerId)
      if (found === null || found.sessionId !== sessionId) throw noMessage()
      if (found.question === null) throw noAnswer()
      // until the answer runs, or this fails
      using _room = answers.reserveRoom(userId)
      if (!isBeside) giveWay(sessionId)
      const { id: questionId, content, mentions } = found.question
      const hasPictures = (await pictures.present(userId, [questionId])).size > 0
      const attached = asker.canSearchMemory ? await attachments.ofQuestion(userId, sessionId, questionId) : []
      const stored = await store.readChoice(userId, sessionId)
      const surroundings = await deps.readSurroundings(asker, surroundingIdsOf(stored), mentions)
      const chosen = await chooseEngine.choose({ model }, stored, { hasPictures, attached })
      const { engine } = chosen
      const outcome = await questions.beginAgain({
        userId,
        sessionId,
        questionId,
        isBeside,
        engine: engine.name,
        model: engine.model(),
        serverId: answers.serverId,
      })
      const asked = { ...asker, content, hasPictures, attached, isBeside, ...answeredBy(chosen, surroundings) }
      return answer(asked, outcome, startedAt)
    },

    /** Rates an answer, or takes that back. @throws NotFoundError, ValidationError when it is a person's message. */
    async rate(userId: string, messageId: string, rating: Rating): Promise<ChatMessageView> {
      const found = await branches.findMessage(userId, messageId)
      if (found === null) throw noMessage()
      if (found.question === null) throw noAnswer()
      await branches.rate(messageId, rating)
      tellUpdated(userId, found.sessionId)
      return readMessage(userId, messageId)
    },

    /** @throws NotFoundError when the conversation, or the answer in it, is not the person's. */
    follow,

    /**
     * Decides about a call that waits for its person. Its answer goes on with what came of it, or without; of a proposed
     * fact, it is only kept or not.
     * @throws NotFoundError, ConflictError when it does not wait or an answer is being made, ForbiddenError when the person
     * may not use agents, TooManyRequestsError, ValidationError and UnavailableError as for another answer.
     */
    async answerCall(
      asker: Asker,
      sessionId: string,
      callId: string,
      isAllowed: boolean,
      startedAt = performance.now(),
    ): Promise<ChatMessageView> {
      const { userId } = asker
      const [owned] = await store.ownedSessions(userId, [sessionId])
      if (owned === undefined) throw noSession()
      const { messageId, isFact } = await deps.calls.waiting(asker, sessionId, callId, isAllowed)
      if (isFact) {
        await deps.calls.answerFact(userId, sessionId, callId, isAllowed)
        tellUpdated(userId, sessionId)
      } else await goOn(asker, sessionId, { messageId, callId, isAllowed }, startedAt)
      return readMessage(userId, messageId)
    },

    /** Stops the answer that is being made, if there is one; what had arrived is kept. @throws NotFoundError */
    async stop(userId: string, sessionId: string): Promise<void> {
      const [owned] = await store.ownedSessions(userId, [sessionId])
      if (owned === undefined) throw noSession()
      await answers.stop(owned)
    },

    /** How many answers this server makes now. */
    runningAnswers: () => answers.count(),

    /** Ends what servers that died left behind, now and from time to time. */
    start: () => {
      // Once in advance, so that the first message need not wait until the names of days are loaded.
      setImmediate(dayIn, 'UTC')
      deps.prepare()
      return answers.start()
    },

    /** Ends running answers where they are, stored. */
    async close(): Promise<void> {
      await answers.close()
      await background.close()
    },
  }
}

async function* toTheEnd(events: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string> {
  yield* events
  yield encodeSse({ data: SSE_DONE })
}
