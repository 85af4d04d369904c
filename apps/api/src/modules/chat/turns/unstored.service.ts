import type { Caller } from '../../../caller.ts'
import type { AnsweredCall, ProgramTools } from '../../../engines/chat-engine.ts'
import { UnavailableError } from '../../../errors.ts'
import { newId } from '../../../platform/database/new-id.ts'
import type { Attachment } from '../attachments/attachments.store.ts'
import { type AnswerDeps, createMakeAnswer } from './answer.ts'
import type { AnswerEvent } from './answer-request.ts'
import type { Answers } from './answers.service.ts'
import type { ChooseEngine, ChosenEngine, ModelChoice } from './choose-engine.ts'
import type { HistoryRow } from './recall.store.ts'

/** A question with the messages before it, none of which is stored. */
export interface UnstoredQuestion {
  /** The caller's additions to the system prompt; empty for none. */
  instructions: string
  /** Oldest first, without the question. */
  history: { role: 'user' | 'assistant'; content: string; calls?: AnsweredCall[] }[]
  content: string
  /** Base64, with or without the prefix of a data URL. */
  images: string[]
  /** Model and parameters; undefined for the default chat engine. */
  choice?: ModelChoice | undefined
  /** The same, where it was found out before. */
  chosen?: ChosenEngine | undefined
  /** Items of the library that it is about. */
  attached?: Attachment[] | undefined
  /** Ids of the only items of the memory that are looked at; undefined for all. */
  knowledge?: string[] | undefined
  /** Names of the only tools that may be used; undefined for all. */
  allowedTools?: string[] | undefined
  /** Names of the tools that the message itself asks for, as models call them; undefined for none. */
  calledTools?: string[] | undefined
  /** Tools that the program calls by itself; undefined for none. */
  program?: ProgramTools | undefined
  /** Set where not even the calls of agents are recorded. */
  leavesNoTrace?: boolean | undefined
}

export interface UnstoredAnswersDeps extends AnswerDeps {
  answers: Answers
  chooseEngine: ChooseEngine
}

export type UnstoredAnswers = ReturnType<typeof createUnstoredAnswers>

/** Answers programs with memory, agents and citations, as conversations are answered, and keeps nothing of it. */
export function createUnstoredAnswers(deps: UnstoredAnswersDeps) {
  return {
    /** Model that would answer, or the name of an engine without one. */
    modelName: (): string => deps.ai.chat().model() ?? deps.ai.chat().name,

    /**
     * Answers a question; aborting the signal ends it.
     * @throws TooManyRequestsError when many answers are made for the person at once, ValidationError for a model that is not
     * connected, UnavailableError when it has pictures
     * and nothing sees them or has tools to call and no model calls any, ValidationError, PayloadTooLargeError and UnsupportedTypeError for its pictures, EngineError.
     */
    async *answer(
      asker: Caller,
      {
        instructions,
        history,
        content,
        images,
        choice,
        chosen,
        attached = [],
        knowledge,
        allowedTools,
        calledTools,
        program,
        leavesNoTrace,
      }: UnstoredQuestion,
      signal: AbortSignal,
    ): AsyncGenerator<AnswerEvent> {
      using _room = deps.answers.reserveRoom(asker.userId)
      const hasPictures = images.length > 0
      const answeredBy = chosen ?? (await deps.chooseEngine.choose(choice ?? {}, null, { hasPictures, attached }))
      const { engine, isPicked, seesPictures } = answeredBy
      if (engine.name !== 'remote' && program !== undefined && (program.isDemanded || program.turns.length > 0)) {
        throw new UnavailableError('No language model is connected here that could call tools.', {
          code: 'tools_unavailable',
        })
      }
      const shown = await deps.pictures.judged(images)
      const questionId = newId()
      const earlier: HistoryRow[] = history.map((message) => ({
        id: newId(),
        ...message,
        // nobody says of an answer that its client kept what it had read
        holdsOutsideText: message.calls !== undefined || (leavesNoTrace === true && message.role === 'assistant'),
      }))
      const makeAnswer = createMakeAnswer({
        ...deps,
        recall: { ...deps.recall, readHistory: async () => earlier },
        pictures: { ...deps.pictures, forModel: async () => new Map([[questionId, shown]]) },
      })
      const nowhere = { userId: asker.userId, sessionId: newId(), sessionName: '', messageId: newId(), parentId: null }
      yield* makeAnswer(
        {
          ...asker,
          begun: { ...nowhere, questionId },
          engine,
          isPicked,
          parameters: answeredBy.choice.parameters,
          content,
          hasPictures,
          attached,
          seesPictures,
          instructions,
          knowledge,
          allowedTools,
          calledTools,
          program,
          isUnstored: true,
          leavesNoTrace,
        },
        signal,
      )
    },
  }
}
