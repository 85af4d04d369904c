import { setImmediate as nextTurn } from 'node:timers/promises'
import { type ChatRequest, encodeSse, type Regenerate, SSE_DONE } from '@mira/shared'
import type { Caller } from '../../../caller.ts'
import { ConflictError, ForbiddenError } from '../../../errors.ts'
import { searchConfigurationOf } from '../../../offline/language/language.ts'
import type { PreferencesService } from '../../identity/index.ts'
import type { AttachmentsService } from '../attachments/attachments.service.ts'
import type { Attachment } from '../attachments/attachments.store.ts'
import type { BackgroundWriting } from '../conversations/background-writing.ts'
import type { BranchesStore } from '../conversations/branches.store.ts'
import type { Links } from '../conversations/links.ts'
import { retell } from '../conversations/present.ts'
import type { SessionsStore, StoredPlace } from '../conversations/sessions.store.ts'
import { titleOf } from '../conversations/titles.ts'
import type { MentionsService } from '../mentions/mentions.service.ts'
import { noAnswer, noItem, noMessage, noSession } from '../missing.ts'
import type { PersonasService } from '../personas/personas.service.ts'
import type { PicturesService } from '../pictures/pictures.service.ts'
import type { MakeAnswer } from './answer.ts'
import { encodeEvent } from './answer-log.ts'
import type { MadeEvents } from './answer-record.ts'
import type { AnswerRequest } from './answer-request.ts'
import type { Answers } from './answers.service.ts'
import { askedText } from './asked-text.ts'
import { beginningWish, type ChooseEngine } from './choose-engine.ts'
import { askEarly, createMessageTurns, type EarlyAnswer, foresee } from './early-answer.ts'
import { mostHistoryCharacters } from './gather-context.ts'
import type { BeginOutcome, QuestionsStore } from './questions.store.ts'
import type { StoredAnswersStore } from './stored-answers.store.ts'
import { answeredBy, type ReadSurroundings, surroundingIdsOf } from './surroundings.ts'

/** The stream of an answer, encoded, to its `[DONE]`; it ends earlier when the signal is aborted. */
export type AnswerStream = (signal: AbortSignal) => AsyncIterable<string>

export interface QuestionsServiceDeps {
  store: SessionsStore
  branches: BranchesStore
  questions: QuestionsStore
  stored: StoredAnswersStore
  answers: Answers
  makeAnswer: MakeAnswer
  pictures: PicturesService
  attachments: AttachmentsService
  chooseEngine: ChooseEngine
  readSurroundings: ReadSurroundings
  mentions: MentionsService
  preferences: PreferencesService
  personas: PersonasService
  links: Links
  writing: BackgroundWriting
}

const refusals = {
  busy: () =>
    new ConflictError('An answer is being made in this conversation. Wait for its end, or stop it.', {
      code: 'answer_running',
    }),
  'no-session': noSession,
  'no-parent': noMessage,
  'no-media': noItem,
}

export type QuestionsService = ReturnType<typeof createQuestionsService>

/** Stores what people ask and begins its answers; leads to the streams of those that are there. */
export function createQuestionsService(deps: QuestionsServiceDeps) {
  const { store, branches, questions, stored, answers, makeAnswer, links, pictures, attachments, chooseEngine } = deps
  const { giveWay, goOnAfter } = deps.writing
  const takeTurn = createMessageTurns()

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

  /** A conversation that is gone on with, and what is attached in its branch, for whoever may use the library. */
  const readPlace = async (
    { userId, canSearchMemory }: Caller,
    { sessionId, parentId }: { sessionId: string | null; parentId: string | null | undefined },
  ): Promise<{ stored: StoredPlace | null; ofBranch: Attachment[] }> => {
    if (sessionId === null) return { stored: null, ofBranch: [] }
    if (!canSearchMemory || parentId === null) {
      return { stored: await store.readChoice(userId, sessionId), ofBranch: [] }
    }
    const stored = await store.readPlace(userId, sessionId, parentId)
    return { stored, ofBranch: stored?.attached ?? [] }
  }

  /**
   * Resolves everything that a message refers to, without storing anything: its conversation, items, mentions and engine.
   * @throws NotFoundError, ValidationError, UnavailableError
   */
  const readMessage = async (asker: Caller, request: ChatRequest, content: string) => {
    const { userId } = asker
    const hasPictures = request.images.length > 0
    const mediaIds = [...new Set(request.media_ids)]
    const place = { sessionId: request.session_id ?? null, parentId: request.parent_id }
    const { stored, ofBranch } = await readPlace(asker, place)
    const attached = asker.canSearchMemory ? await attachments.ofNewQuestion(userId, mediaIds, ofBranch) : []
    if (request.persona_id) await deps.personas.find(userId, request.persona_id)
    const before = surroundingIdsOf(stored)
    const around = {
      projectId: request.project_id === undefined ? before.projectId : request.project_id,
      personaId: request.persona_id === undefined ? before.personaId : request.persona_id,
    }
    const isMoved = around.projectId !== before.projectId || around.personaId !== before.personaId
    const mentions = await deps.mentions.resolve(asker, request.mentions)
    const surroundings = await deps.readSurroundings(asker, around, mentions)
    const isNew = place.sessionId === null
    const wish = isNew
      ? await beginningWish(request, surroundings, { userId, chooseEngine, preferences: deps.preferences })
      : request
    const chosen = await chooseEngine.choose(wish, stored, { hasPictures, attached })
    const asked = { ...asker, content, hasPictures, attached, ...answeredBy(chosen, surroundings) }
    const given = {
      userId,
      sessionId: place.sessionId,
      sessionName: titleOf(content),
      parentId: request.parent_id,
      clientId: request.client_id ?? null,
    }
    // what comes along is judged while it is stored, and only a model's server answers without acting first
    const isPlain =
      chosen.engine.name === 'remote' && !hasPictures && mediaIds.length === 0 && (isNew || stored !== null)
    return { asked, given, stored, chosen, mediaIds, mentions, around, isPlain, isMoved: isMoved && !isNew }
  }

  return {
    /**
     * Stores a message and begins its answer, which goes on whether or not anyone reads the stream. The same
     * `client_id` again gives the stream of the answer that is there.
     * @throws NotFoundError when the conversation, its project, the parent or what is attached or named is not the person's, ConflictError while an answer is
     * made in it, ForbiddenError when items of the library may not be used, TooManyRequestsError, ValidationError,
     * UnavailableError.
     */
    async send(asker: Caller, request: ChatRequest, startedAt = performance.now()): Promise<AnswerStream> {
      const { userId } = asker
      if (request.media_ids.length > 0 && !asker.canSearchMemory) {
        throw new ForbiddenError('Your account does not have permission to do this.')
      }
      const content = askedText(request)
      // until the answer runs, or this fails
      using _room = answers.reserveRoom(userId)
      const message = await readMessage(asker, request, content)
      const { asked, given, around, chosen } = message
      const { engine } = chosen
      if (given.sessionId !== null) {
        if (asked.hasPictures && (await store.findSession(userId, given.sessionId)) === null) throw noSession()
        giveWay(given.sessionId)
      }
      const accepted = asked.hasPictures ? await pictures.acceptPictures(userId, request.images) : []
      const ids = questions.idsFor(given)
      using turn = takeTurn(given)
      const begun = turn.isFirst && message.isPlain ? foresee({ ...given, ids, stored: message.stored }) : null
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
        mediaIds: message.mediaIds,
        mentions: message.mentions,
        searchConfiguration: searchConfigurationOf(content),
        engine: engine.name,
        model: engine.model(),
        choice: chosen.isNew ? chosen.choice : null,
        mostHistoryCharacters: mostCharacters,
        ...around,
        serverId: answers.serverId,
      })
      if (outcome.kind === 'begun' && message.isMoved) {
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
      asker: Caller,
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

    /** @throws NotFoundError when the conversation, or the answer in it, is not the person's. */
    follow,
  }
}

async function* toTheEnd(events: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string> {
  yield* events
  yield encodeSse({ data: SSE_DONE })
}
