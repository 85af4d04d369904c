import type { ChatMessageView, Rating } from '@mira/shared'
import type { Caller } from '../../caller.ts'
import { judgeMessage } from '../../offline/message-kind/message-kind.ts'
import type { Events } from '../../platform/events/events.service.ts'
import type { Queue } from '../../platform/queue/queue.ts'
import type { SettingsReader } from '../../platform/settings/settings.service.ts'
import { createBackgroundWriting } from './conversations/background-writing.ts'
import type { BranchesStore } from './conversations/branches.store.ts'
import type { BulkStore } from './conversations/bulk.store.ts'
import type { Links } from './conversations/links.ts'
import { createMessageViews } from './conversations/message-views.ts'
import { updatedEvent } from './conversations/present.ts'
import type { RemovalStore } from './conversations/removal.store.ts'
import { createSessionsService, type SessionsService } from './conversations/sessions.service.ts'
import type { SessionsStore } from './conversations/sessions.store.ts'
import type { SummaryWriter } from './conversations/summary-writer.ts'
import type { TitleWriter } from './conversations/title-writer.ts'
import { noAnswer, noMessage, noSession } from './missing.ts'
import type { ProjectsService } from './projects/projects.service.ts'
import { dayIn } from './turns/day-in-zone.ts'
import { createQuestionsService, type QuestionsService, type QuestionsServiceDeps } from './turns/questions.service.ts'
import type { StoredAnswersStore } from './turns/stored-answers.store.ts'
import { answeredBy, surroundingIdsOf } from './turns/surroundings.ts'
import type { Continued, ToolCallsService } from './turns/tool-calls.service.ts'

export interface ChatDeps extends Omit<QuestionsServiceDeps, 'store' | 'branches' | 'stored' | 'links' | 'writing'> {
  store: SessionsStore
  bulk: BulkStore
  removal: RemovalStore
  settings: SettingsReader
  branches: BranchesStore
  stored: StoredAnswersStore
  links: Links
  titles: TitleWriter
  summaries: SummaryWriter
  calls: ToolCallsService
  projects: ProjectsService
  queue: Queue
  events: Events
}

export type ChatService = ReturnType<typeof createChatService>

/** Conversations: sending, following and stopping answers, beside what there is to do with the conversations themselves. */
export function createChatService(deps: ChatDeps) {
  const { store, branches, answers, makeAnswer, titles, summaries, pictures, chooseEngine, events } = deps

  const tellUpdated = (userId: string, sessionId: string, deleted?: boolean) =>
    events.publish(userId, updatedEvent(sessionId, deleted))

  const writing = createBackgroundWriting({ titles, summaries, events })
  const { giveWay, goOnAfter } = writing
  const questions: QuestionsService = createQuestionsService({ ...deps, writing })
  const views = createMessageViews(deps)
  const sessions: SessionsService = createSessionsService({ ...deps, views, writing })

  /** The caller makes sure that it is the person's. */
  const readMessage = async (userId: string, messageId: string): Promise<ChatMessageView> => {
    const row = await branches.readMessage(messageId)
    const [message] = row === null ? [] : await views.present(userId, [row])
    if (message === undefined) throw noMessage()
    return message
  }

  /** Has an answer go on. */
  const goOn = async (
    asker: Caller,
    sessionId: string,
    messageId: string,
    begin: () => Promise<Continued>,
    startedAt: number,
  ) => {
    const { userId } = asker
    const question = (await branches.findMessage(userId, messageId))?.question
    if (!question) throw noMessage()
    // until the answer runs, or this fails
    using _room = answers.reserveRoom(userId)
    const hasPictures = (await pictures.present(userId, [question.id])).size > 0
    const stored = await store.readChoice(userId, sessionId)
    const surroundings = await deps.readSurroundings(asker, surroundingIdsOf(stored), question.mentions)
    const chosen = await chooseEngine.choose({}, stored, { hasPictures, attached: [] })
    giveWay(sessionId)
    const { begun, goesOn, before } = await begin()
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

  return {
    ...sessions,
    ...questions,

    /** Rates an answer, or takes that back. @throws NotFoundError, ValidationError when it is a person's message. */
    async rate(userId: string, messageId: string, rating: Rating): Promise<ChatMessageView> {
      const found = await branches.findMessage(userId, messageId)
      if (found === null) throw noMessage()
      if (found.question === null) throw noAnswer()
      await branches.rate(messageId, rating)
      tellUpdated(userId, found.sessionId)
      return readMessage(userId, messageId)
    },

    /**
     * Decides about a call that waits for its person. Its answer goes on with what came of it, or without; of a proposed
     * fact, it is only kept or not.
     * @throws NotFoundError, ConflictError when it does not wait or an answer is being made, ForbiddenError when the person
     * may not use agents, TooManyRequestsError, ValidationError and UnavailableError as for another answer.
     */
    async answerCall(
      asker: Caller,
      sessionId: string,
      callId: string,
      isAllowed: boolean,
      startedAt = performance.now(),
    ): Promise<ChatMessageView> {
      const { userId } = asker
      if (!(await store.isOwned(userId, sessionId))) throw noSession()
      const { messageId, isFact } = await deps.calls.waiting(asker, sessionId, callId, isAllowed)
      if (isFact) {
        await deps.calls.answerFact(userId, sessionId, callId, isAllowed)
        tellUpdated(userId, sessionId)
      } else {
        const begin = () => deps.calls.goOn(userId, sessionId, { messageId, callId, isAllowed })
        await goOn(asker, sessionId, messageId, begin, startedAt)
      }
      return readMessage(userId, messageId)
    },

    /**
     * Has an answer go on that was cut at its length.
     * @throws NotFoundError, ConflictError when it wasn't cut or an answer is being made, TooManyRequestsError,
     *   ValidationError and UnavailableError as for another answer.
     */
    async continueAnswer(
      asker: Caller,
      sessionId: string,
      messageId: string,
      startedAt = performance.now(),
    ): Promise<ChatMessageView> {
      const { userId } = asker
      const found = await branches.findMessage(userId, messageId)
      if (found?.sessionId !== sessionId) throw noMessage()
      await goOn(asker, sessionId, messageId, () => deps.calls.goOnCut(userId, sessionId, messageId), startedAt)
      return readMessage(userId, messageId)
    },

    /** Stops the answer that is being made, if there is one; what had arrived is kept. @throws NotFoundError */
    async stop(userId: string, sessionId: string): Promise<void> {
      if (!(await store.isOwned(userId, sessionId))) throw noSession()
      await answers.stop(sessionId)
    },

    /** Number of answers that this server is generating. */
    runningAnswers: () => answers.count(),

    /** Ends what servers that died left behind, now and from time to time. */
    start: () => {
      // Once in advance, so that the first message need not wait until the names of days are loaded.
      setImmediate(dayIn, 'UTC')
      judgeMessage('Hello')
      return answers.start()
    },

    /** Ends running answers where they are, stored. */
    async close(): Promise<void> {
      await answers.close()
      await writing.close()
    },
  }
}
