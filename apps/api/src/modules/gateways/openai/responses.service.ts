import type { Caller } from '../../../caller.ts'
import { BadRequestError, NotFoundError } from '../../../errors.ts'
import type { Database } from '../../../platform/database/client.ts'
import { newId } from '../../../platform/database/new-id.ts'
import { sql } from '../../../platform/database/sql.ts'
import type { CompletionResult, CompletionsService } from './completions.service.ts'
import { ASSISTANT_MODEL, type Delta, type FinishedAnswer } from './protocol.ts'
import { relayableResponse } from './relayed-request.ts'
import {
  closingEvents,
  deltaEvent,
  formatOf,
  messageEvents,
  messagesOf,
  openingEvents,
  type ResponseHead,
  type ResponseRequest,
  responseObject,
} from './responses-protocol.ts'

/**
 * The newest stored answer to a user's question; null when there is none. The id of a response contains that of its
 * question.
 */
async function findAnswerTo({ pool }: Database, userId: string, questionId: string) {
  const { rows } = await pool.query<{ sessionId: string; answerId: string }>(
    sql`SELECT m.session_id AS "sessionId", m.id AS "answerId"
     FROM chat_messages m JOIN chat_sessions s ON s.id = m.session_id
     WHERE m.parent_id = ${questionId} AND m.role = 'assistant' AND s.user_id = ${userId} ORDER BY m.id DESC LIMIT 1`,
  )
  return rows[0] ?? null
}

interface ResponsesDeps {
  completions: Pick<CompletionsService, 'relayOf' | 'answer'>
  database: Database
}

const RESPONSE_ID = /^resp_([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/

export type ResponsesService = ReturnType<typeof createResponsesService>

/** Answers programs that use the Responses API of OpenAI, where a response can continue a stored one. */
export function createResponsesService({ completions, database }: ResponsesDeps) {
  const findPrevious = async (userId: string, id: string) => {
    const questionId = RESPONSE_ID.exec(id)?.[1]
    const previous = questionId === undefined ? null : await findAnswerTo(database, userId, questionId)
    if (previous !== null) return { session_id: previous.sessionId, parent_id: previous.answerId }
    throw new NotFoundError('There is no stored response with this id. Only responses with `store: true` are stored.', {
      code: 'previous_response_not_found',
      errors: [{ path: 'previous_response_id', message: 'not found' }],
    })
  }

  return {
    /**
     * Generates a response. A stored response, or one that continues a stored response, completes even when the
     * client disconnects.
     * @throws NotFoundError for an unknown model or response, BadRequestError for unsupported input, EngineError, and the
     *   errors of sending a message.
     */
    async respond(caller: Caller, request: ResponseRequest, signal: AbortSignal): Promise<CompletionResult> {
      requireNoConversation(request)
      const previousId = request.previous_response_id ?? undefined
      if (request.model !== ASSISTANT_MODEL) {
        const relay = await completions.relayOf(request.model)
        const body = relayableResponse(request)
        if (previousId !== undefined) {
          throw new BadRequestError('Responses of connected models are not stored: send the whole conversation.', {
            code: 'previous_response_not_supported',
            errors: [{ path: 'previous_response_id', message: 'not supported by this model' }],
          })
        }
        // By default the model's server would store the response.
        return { kind: 'relayed', answer: await relay.post('/responses', { ...body, store: false }, signal) }
      }
      const messages = messagesOf(request)
      const continues = previousId === undefined ? undefined : await findPrevious(caller.userId, previousId)
      const isStored = request.store === true || continues !== undefined
      const { tools, tool_choice, parallel_tool_calls } = request
      const sentTools = { tools, tool_choice, parallel_tool_calls }
      const question = { messages, ...sentTools, response_format: formatOf(request), isStored, continues }
      const answer = await completions.answer(caller, question, signal)
      const head: ResponseHead = {
        id: `resp_${answer.stored?.questionId ?? newId()}`,
        messageId: `msg_${newId()}`,
        created: Math.floor(Date.now() / 1000),
        request,
        isStored,
        sessionId: answer.stored?.sessionId ?? null,
      }
      const { deltas } = answer
      if (!request.stream) {
        for (let next = await deltas.next(); ; next = await deltas.next()) {
          if (next.done) return { kind: 'whole', body: responseObject(head, next.value) }
        }
      }
      // Waits for the first event, so that an error before it gets its own HTTP status.
      return { kind: 'streamed', events: encode(head, await deltas.next(), deltas) }
    },
  }
}

/**
 * @throws BadRequestError: the assistant would miss what the conversation contains, and a model's server stores
 *   conversations for all users alike.
 */
function requireNoConversation({ conversation }: ResponseRequest): void {
  if (conversation === undefined || conversation === null) return
  throw new BadRequestError('Continue a stored response with `previous_response_id`, or send the whole conversation.', {
    code: 'conversation_not_supported',
    errors: [{ path: 'conversation', message: 'not supported' }],
  })
}

/** A streamed response; an error ends it with the protocol's error event. */
async function* encode(
  head: ResponseHead,
  first: IteratorResult<Delta, FinishedAnswer>,
  rest: AsyncGenerator<Delta, FinishedAnswer>,
): AsyncGenerator<string> {
  let sequence = 0
  const event = (data: { type: string }) =>
    `event: ${data.type}\ndata: ${JSON.stringify({ ...data, sequence_number: sequence++ })}\n\n`
  for (const opening of openingEvents(head)) yield event(opening)
  let hasMessage = false
  const startMessage = () => {
    const events = hasMessage ? [] : messageEvents(head)
    hasMessage = true
    return events
  }
  try {
    let next = first
    for (; !next.done; next = await rest.next()) {
      const { content } = next.value
      if (content === undefined || content === '') continue
      for (const start of startMessage()) yield event(start)
      yield event(deltaEvent(head, content))
    }
    const finished = next.value
    if (finished.calls.length === 0) for (const start of startMessage()) yield event(start)
    for (const closing of closingEvents(head, finished, hasMessage)) yield event(closing)
  } catch (error) {
    yield event({ type: 'response.failed', response: responseObject(head, null, error) } as { type: string })
  }
}
