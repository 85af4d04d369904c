import { type ChatEvent, type ChatRequest, encodeSse, SSE_DONE } from '@mira/shared'
import type { Caller } from '../../../caller.ts'
import { ForbiddenError, ValidationError } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import { newId } from '../../../platform/database/new-id.ts'
import type { PreferencesService } from '../../identity/index.ts'
import type { AttachmentsService } from '../attachments/attachments.service.ts'
import type { Links } from '../conversations/links.ts'
import type { MentionsService } from '../mentions/mentions.service.ts'
import { noItem } from '../missing.ts'
import type { PersonasService } from '../personas/personas.service.ts'
import { type AnswerRecordLimits, createAnswerRecord } from './answer-record.ts'
import { askedText } from './asked-text.ts'
import { beginningWish, type ChooseEngine } from './choose-engine.ts'
import type { ReadSurroundings } from './surroundings.ts'
import type { UnstoredAnswers } from './unstored.service.ts'

export interface TemporaryAnswersDeps {
  unstored: UnstoredAnswers
  chooseEngine: ChooseEngine
  readSurroundings: ReadSurroundings
  mentions: MentionsService
  personas: PersonasService
  preferences: PreferencesService
  attachments: AttachmentsService
  links: Links
  limits: AnswerRecordLimits
  log: Log
}

export type TemporaryAnswers = ReturnType<typeof createTemporaryAnswers>

/** Answers messages of conversations that are stored nowhere: neither what was said, nor that it was. */
export function createTemporaryAnswers(deps: TemporaryAnswersDeps) {
  const { unstored, chooseEngine, attachments, links, limits, log } = deps

  const presentEvent = (userId: string) => (event: ChatEvent) => {
    const shown = links.presentEvent(userId, event)
    return shown.type === 'session' || shown.type === 'complete' ? { ...shown, session_id: null } : shown
  }

  return {
    /**
     * The stream of an answer, encoded, to its `[DONE]`; it is made as long as somebody reads it.
     * @throws ValidationError for a blank message or one of a stored conversation, ForbiddenError and NotFoundError for
     * attached items, and what an unstored answer throws before it begins.
     */
    async send(
      asker: Caller,
      request: ChatRequest,
      startedAt = performance.now(),
    ): Promise<(signal: AbortSignal) => AsyncIterable<string>> {
      requireTemporary(request)
      const { userId, inAnalytics } = asker
      const mediaIds = [...new Set(request.media_ids)]
      if (mediaIds.length > 0 && !asker.canSearchMemory) {
        throw new ForbiddenError('Your account does not have permission to do this.')
      }
      const attached = await attachments.ofNewQuestion(userId, mediaIds, [])
      if (attached.length < mediaIds.length) throw noItem()
      const hasPictures = request.images.length > 0
      if (request.persona_id) await deps.personas.find(userId, request.persona_id)
      const ids = { projectId: request.project_id ?? null, personaId: request.persona_id ?? null }
      const mentions = await deps.mentions.resolve(asker, request.mentions)
      const surroundings = await deps.readSurroundings(asker, ids, mentions)
      const wish = await beginningWish(request, surroundings, { userId, chooseEngine, preferences: deps.preferences })
      const chosen = await chooseEngine.choose(wish, null, { hasPictures, attached })
      const { engine } = chosen
      const stopping = new AbortController()
      const { images, history = [] } = request
      const question = {
        instructions: surroundings.instructions,
        knowledge: surroundings.knowledge,
        allowedTools: surroundings.allowedTools,
        calledTools: surroundings.calledTools,
        history,
        content: askedText(request),
        images,
        attached,
        chosen,
        leavesNoTrace: true,
      }
      const made = unstored.answer(asker, question, stopping.signal)
      // what is wrong with the message is found before anything is written
      const first = await made.next()

      const newIds = { sessionId: newId(), questionId: newId(), messageId: newId() }
      const record = createAnswerRecord(
        { ...newIds, userId, sessionName: '', parentId: null },
        { engine: engine.name, model: engine.model(), startedAt, inAnalytics },
        { limits, present: presentEvent(userId), log },
      )
      void record
        .take(async function* (signal) {
          signal.addEventListener('abort', () => stopping.abort(), { once: true })
          if (!first.done) yield first.value
          yield* made
        })
        .then(({ end }) => {
          record.log.append(end)
          record.log.end()
        })
      return (signal) => {
        const leave = () => record.stop('stopped')
        if (signal.aborted) leave()
        signal.addEventListener('abort', leave, { once: true })
        return toTheEnd(record.log.read(0, signal))
      }
    },
  }
}

async function* toTheEnd(events: AsyncIterable<string>): AsyncGenerator<string> {
  yield* events
  yield encodeSse({ data: SSE_DONE })
}

function requireTemporary({ session_id, parent_id }: ChatRequest): void {
  const complain = (path: string, message: string): never => {
    throw new ValidationError(message, { errors: [{ path, message }] })
  }
  if (session_id) complain('session_id', 'A temporary message belongs to no stored conversation.')
  if (parent_id) complain('parent_id', 'A temporary message follows no stored one.')
}
