import { z } from 'zod'
import { BadRequestError } from '../../errors.ts'
import type { CompletionRequest, Finished } from './protocol.ts'
import { errorBody } from './protocol-errors.ts'

const partSchema = z.looseObject({ type: z.string() })
const itemSchema = z.looseObject({
  type: z.string().nullish(),
  role: z.enum(['system', 'developer', 'user', 'assistant']).nullish(),
  content: z.union([z.string(), z.array(partSchema)]).nullish(),
})

/** POST /v1/responses: what Mira reads of it; a connected model is given all that was sent. */
export const responseRequestSchema = z.looseObject({
  model: z.string().min(1).max(300),
  input: z.union([z.string().min(1), z.array(itemSchema).min(1).max(1000)], {
    error: 'must be a text or a list of messages',
  }),
  instructions: z.string().nullish(),
  previous_response_id: z.string().max(200).nullish(),
  stream: z.boolean().nullish(),
  store: z.boolean().nullish(),
  tools: z.array(z.unknown()).nullish(),
  tool_choice: z.unknown().optional(),
})
export type ResponseRequest = z.output<typeof responseRequestSchema>

type Item = z.output<typeof itemSchema>

/** The messages of a request, as a completion has them. @throws BadRequestError for what is no message. */
export function messagesOf({ input, instructions }: ResponseRequest): CompletionRequest['messages'] {
  const items = typeof input === 'string' ? [{ role: 'user', content: input } satisfies Item] : input
  const messages = items.flatMap(({ type, role, content }: Item, at) => {
    // what another model thought and called in the midst of a conversation is left out
    if ((type ?? 'message') !== 'message' && at < items.length - 1) return []
    if ((type ?? 'message') !== 'message' || !role) {
      throw new BadRequestError(
        'The assistant reads messages alone, and calls its own tools; for others, name a connected model.',
        { code: 'tools_not_supported', errors: [{ path: `input.${at}`, message: 'must be a message' }] },
      )
    }
    return [{ role, content: Array.isArray(content) ? content.map(partOf) : (content ?? '') }]
  })
  return instructions ? [{ role: 'system', content: instructions }, ...messages] : messages
}

/** A part of a message, as a completion has it; others are refused there. */
function partOf(part: z.output<typeof partSchema>) {
  const { type } = part
  if (type === 'input_text' || type === 'output_text') return { type: 'text', text: part.text }
  return type === 'input_image' ? { type: 'image_url', image_url: { url: part.image_url } } : part
}

/** Addresses of pictures in what is passed on: the server of the model would fetch them. @throws BadRequestError */
export function requireNoAddresses({ input }: ResponseRequest): void {
  if (typeof input === 'string') return
  for (const [at, { content }] of input.entries()) {
    if (!Array.isArray(content)) continue
    for (const { image_url: picture, file_url: file } of content) {
      const isOwn = picture === undefined || (typeof picture === 'string' && picture.startsWith('data:'))
      if (isOwn && file === undefined) continue
      throw new BadRequestError(`input.${at}: send pictures and files as data; addresses are not fetched.`, {
        code: 'picture_address_not_supported',
      })
    }
  }
}

/** What holds of a response from its beginning. */
export interface ResponseHead {
  id: string
  messageId: string
  /** Seconds since 1970. */
  created: number
  request: ResponseRequest
  isStored: boolean
  /** The conversation in which it is stored. */
  sessionId: string | null
}

const nothingYet: Finished = { content: '', reasoning: '', annotations: [], usage: null }

const textOf = ({ content, annotations }: Finished) => ({
  type: 'output_text',
  text: content,
  annotations: annotations.map(({ url_citation, ...annotation }) => ({ ...annotation, ...url_citation })),
  logprobs: [],
})

const itemOf = (id: string, status: 'in_progress' | 'completed', content: unknown[]) => ({
  id,
  type: 'message',
  role: 'assistant',
  status,
  content,
})

/** A response as it stands: under way, failed, or with all that it says. */
export function responseObject(head: ResponseHead, finished: Finished | null, error: unknown = null) {
  const { request, sessionId } = head
  const failure = error === null ? null : errorBody(error).error
  const status = failure ? 'failed' : finished ? 'completed' : 'in_progress'
  const usage = finished?.usage
  return {
    id: head.id,
    object: 'response',
    created_at: head.created,
    status,
    error: failure && { code: failure.code, message: failure.message },
    incomplete_details: null,
    instructions: request.instructions ?? null,
    model: request.model,
    output: finished ? [itemOf(head.messageId, 'completed', [textOf(finished)])] : [],
    parallel_tool_calls: false,
    previous_response_id: request.previous_response_id ?? null,
    store: head.isStored,
    temperature: null,
    top_p: null,
    tool_choice: 'auto',
    tools: [],
    metadata: sessionId === null ? {} : { session_id: sessionId },
    usage: usage
      ? {
          input_tokens: usage.input_tokens,
          input_tokens_details: { cached_tokens: 0 },
          output_tokens: usage.output_tokens,
          output_tokens_details: { reasoning_tokens: 0 },
          total_tokens: usage.input_tokens + usage.output_tokens,
        }
      : null,
  }
}

type Event = Record<string, unknown> & { type: string }

/** What is told before the first words of a streamed response. */
export function openingEvents(head: ResponseHead): Event[] {
  const response = responseObject(head, null)
  const place = { item_id: head.messageId, output_index: 0, content_index: 0 }
  return [
    { type: 'response.created', response },
    { type: 'response.in_progress', response },
    { type: 'response.output_item.added', output_index: 0, item: itemOf(head.messageId, 'in_progress', []) },
    { type: 'response.content_part.added', ...place, part: textOf(nothingYet) },
  ]
}

export function deltaEvent(head: ResponseHead, delta: string): Event {
  const place = { item_id: head.messageId, output_index: 0, content_index: 0 }
  return { type: 'response.output_text.delta', ...place, delta, logprobs: [] }
}

/** What is told once all has been said. */
export function closingEvents(head: ResponseHead, finished: Finished): Event[] {
  const part = textOf(finished)
  const place = { item_id: head.messageId, output_index: 0, content_index: 0 }
  return [
    ...part.annotations.map((annotation, at) => ({
      type: 'response.output_text.annotation.added',
      ...place,
      annotation_index: at,
      annotation,
    })),
    { type: 'response.output_text.done', ...place, text: part.text, logprobs: [] },
    { type: 'response.content_part.done', ...place, part },
    { type: 'response.output_item.done', output_index: 0, item: itemOf(head.messageId, 'completed', [part]) },
    { type: 'response.completed', response: responseObject(head, finished) },
  ]
}
