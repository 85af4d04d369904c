import { z } from 'zod'
import { BadRequestError } from '../../../errors.ts'
import {
  type CompletionRequest,
  errorBody,
  type FinishedAnswer,
  type FinishReason,
  NO_USAGE,
  type ProgramCall,
} from './protocol.ts'

const partSchema = z.looseObject({ type: z.string() })
const itemSchema = z.looseObject({
  type: z.string().nullish(),
  role: z.enum(['system', 'developer', 'user', 'assistant']).nullish(),
  content: z.union([z.string(), z.array(partSchema)]).nullish(),
  /** Id that a call and its result share. */
  call_id: z.string().nullish(),
  name: z.string().max(200).nullish(),
  arguments: z.string().nullish(),
  output: z.union([z.string(), z.array(partSchema)]).nullish(),
})

/** POST /v1/responses: the fields that Mira reads; connected models also get the others. */
export const responseRequestSchema = z.looseObject({
  model: z.string().min(1).max(300),
  input: z.union([z.string().min(1), z.array(itemSchema).min(1).max(1000)], {
    error: 'must be a text or a list of messages',
  }),
  instructions: z.string().nullish(),
  previous_response_id: z.string().max(200).nullish(),
  conversation: z.unknown().optional(),
  stream: z.boolean().nullish(),
  store: z.boolean().nullish(),
  tools: z.array(z.unknown()).nullish(),
  tool_choice: z.unknown().optional(),
  parallel_tool_calls: z.boolean().nullish(),
  text: z.looseObject({ format: z.looseObject({ type: z.string() }).nullish() }).nullish(),
})
export type ResponseRequest = z.output<typeof responseRequestSchema>

type Item = z.output<typeof itemSchema>

/** Requested format of the answer, in the form of a chat completion. */
export function formatOf({ text }: ResponseRequest): unknown {
  const { type, ...schema } = text?.format ?? { type: 'text' }
  return type === 'json_schema' ? { type, json_schema: schema } : { type }
}

/** Messages of a request, in the form of a chat completion. @throws BadRequestError for an unknown kind of message. */
export function messagesOf({ input, instructions }: ResponseRequest): CompletionRequest['messages'] {
  const items = typeof input === 'string' ? [{ role: 'user', content: input } satisfies Item] : input
  const messages: CompletionRequest['messages'] = instructions ? [{ role: 'system', content: instructions }] : []
  for (const [index, item] of items.entries()) {
    const { role, content } = item
    const type = item.type ?? 'message'
    if (type === 'message' && role) {
      messages.push({ role, content: Array.isArray(content) ? content.map(partOf) : (content ?? '') })
    } else if (type === 'function_call') addCall(messages, item)
    else if (type === 'function_call_output') {
      const { call_id: id, output } = item
      messages.push({
        role: 'tool',
        tool_call_id: id ?? '',
        content: Array.isArray(output) ? output.map(partOf) : output,
      })
    } else if (type === 'item_reference') {
      throw new BadRequestError(
        'References to earlier items aren’t supported: send the items themselves, with `store: false`.',
        {
          code: 'item_not_supported',
          errors: [{ path: `input.${index}`, message: 'must be the item itself' }],
        },
      )
    } else if (type === 'message' || index === items.length - 1) {
      throw new BadRequestError('The assistant reads messages, function calls and their results.', {
        code: 'item_not_supported',
        errors: [{ path: `input.${index}`, message: 'must be a message or the result of a function call' }],
      })
    }
    // Another model's reasoning, and calls of other kinds, are left out.
  }
  return messages
}

/** Adds a call to the preceding assistant message, together with its parallel calls. */
function addCall(messages: CompletionRequest['messages'], { call_id, name, arguments: argumentsText }: Item): void {
  const call = { id: call_id ?? '', function: { name: name ?? '', arguments: argumentsText ?? '{}' } }
  const previous = messages.at(-1)
  if (previous?.role === 'assistant') previous.tool_calls = [...(previous.tool_calls ?? []), call]
  else messages.push({ role: 'assistant', content: null, tool_calls: [call] })
}

/** A part of a message, in the form of a chat completion. Parts of unknown types are kept, and rejected by `conversationOf`. */
function partOf(part: z.output<typeof partSchema>) {
  const { type } = part
  if (type === 'input_text' || type === 'output_text') return { type: 'text', text: part.text }
  return type === 'input_image' ? { type: 'image_url', image_url: { url: part.image_url } } : part
}

/** Fields of a response that are known from the start. */
export interface ResponseHead {
  id: string
  messageId: string
  /** Seconds since 1970. */
  created: number
  request: ResponseRequest
  isStored: boolean
  /** Conversation that contains the response; null when it isn't stored. */
  sessionId: string | null
}

const emptyAnswer: FinishedAnswer = {
  content: '',
  reasoning: '',
  annotations: [],
  calls: [],
  usage: null,
  finishReason: 'stop',
}

const textOf = ({ content, annotations }: FinishedAnswer) => ({
  type: 'output_text',
  text: content,
  annotations: annotations.map(({ url_citation, ...annotation }) => ({ ...annotation, ...url_citation })),
  logprobs: [],
})

const messageItem = (id: string, status: 'in_progress' | 'completed', content: unknown[]) => ({
  id,
  type: 'message',
  role: 'assistant',
  status,
  content,
})

const callItem = (id: string, status: 'in_progress' | 'completed', call: ProgramCall) => ({
  id,
  type: 'function_call',
  call_id: call.id,
  name: call.name,
  arguments: status === 'completed' ? call.argumentsText : '',
  status,
})

/** Text and calls of a response, each with its id. */
function outputOf({ messageId }: ResponseHead, finished: FinishedAnswer) {
  const { content, calls } = finished
  const textItems = content === '' && calls.length > 0 ? [] : [messageItem(messageId, 'completed', [textOf(finished)])]
  return [...textItems, ...calls.map((call) => callItem(itemIdOf(call), 'completed', call))]
}

const itemIdOf = ({ id }: ProgramCall) => `fc_${id.slice('call_'.length)}`

const incompleteReasons: Partial<Record<FinishReason, string>> = {
  length: 'max_output_tokens',
  content_filter: 'content_filter',
}

/** A response in progress (`finished` null), failed, or finished. */
export function responseObject(head: ResponseHead, finished: FinishedAnswer | null, error: unknown = null) {
  const { request, sessionId } = head
  const failure = error === null ? null : errorBody(error).error
  const reason = finished === null ? undefined : incompleteReasons[finished.finishReason]
  const status = failure ? 'failed' : finished ? (reason ? 'incomplete' : 'completed') : 'in_progress'
  const usage = finished && (finished.usage ?? NO_USAGE)
  return {
    id: head.id,
    object: 'response',
    created_at: head.created,
    status,
    error: failure && { code: failure.code, message: failure.message },
    incomplete_details: reason ? { reason } : null,
    instructions: request.instructions ?? null,
    model: request.model,
    output: finished ? outputOf(head, finished) : [],
    parallel_tool_calls: request.parallel_tool_calls !== false,
    previous_response_id: request.previous_response_id ?? null,
    store: head.isStored,
    temperature: null,
    top_p: null,
    tool_choice: request.tool_choice ?? 'auto',
    tools: request.tools ?? [],
    text: { format: request.text?.format ?? { type: 'text' } },
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

/** First events of a streamed response. */
export function openingEvents(head: ResponseHead): Event[] {
  const response = responseObject(head, null)
  return [
    { type: 'response.created', response },
    { type: 'response.in_progress', response },
  ]
}

const messagePosition = ({ messageId }: ResponseHead) => ({ item_id: messageId, output_index: 0, content_index: 0 })

/** Events before the first words of a message. */
export function messageEvents(head: ResponseHead): Event[] {
  return [
    { type: 'response.output_item.added', output_index: 0, item: messageItem(head.messageId, 'in_progress', []) },
    { type: 'response.content_part.added', ...messagePosition(head), part: textOf(emptyAnswer) },
  ]
}

export function deltaEvent(head: ResponseHead, delta: string): Event {
  return { type: 'response.output_text.delta', ...messagePosition(head), delta, logprobs: [] }
}

/** Final events; `hasMessage` is true when a message was started. */
export function closingEvents(head: ResponseHead, finished: FinishedAnswer, hasMessage: boolean): Event[] {
  return [
    ...(hasMessage ? messageEndEvents(head, finished) : []),
    ...finished.calls.flatMap((call, index) => toolCallEvents(call, index + (hasMessage ? 1 : 0))),
    {
      type: finished.finishReason in incompleteReasons ? 'response.incomplete' : 'response.completed',
      response: responseObject(head, finished),
    },
  ]
}

function messageEndEvents(head: ResponseHead, finished: FinishedAnswer): Event[] {
  const part = textOf(finished)
  const position = messagePosition(head)
  return [
    ...part.annotations.map((annotation, index) => ({
      type: 'response.output_text.annotation.added',
      ...position,
      annotation_index: index,
      annotation,
    })),
    { type: 'response.output_text.done', ...position, text: part.text, logprobs: [] },
    { type: 'response.content_part.done', ...position, part },
    { type: 'response.output_item.done', output_index: 0, item: messageItem(head.messageId, 'completed', [part]) },
  ]
}

function toolCallEvents(call: ProgramCall, output_index: number): Event[] {
  const item_id = itemIdOf(call)
  const position = { item_id, output_index }
  const { argumentsText, name } = call
  return [
    { type: 'response.output_item.added', output_index, item: callItem(item_id, 'in_progress', call) },
    { type: 'response.function_call_arguments.delta', ...position, delta: argumentsText },
    { type: 'response.function_call_arguments.done', ...position, name, arguments: argumentsText },
    { type: 'response.output_item.done', output_index, item: callItem(item_id, 'completed', call) },
  ]
}
