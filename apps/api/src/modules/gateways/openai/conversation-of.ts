import { cutText } from '@mira/shared/constants/cut-text'
import { z } from 'zod'
import type { ChatMessage, ProgramTools } from '../../../engines/chat-engine.ts'
import { BadRequestError, PayloadTooLargeError } from '../../../errors.ts'
import { type CompletionRequest, MAX_TEXT_CHARACTERS, type ProtocolMessage } from './protocol.ts'

const MAX_TOOLS = 128
const functionSchema = z.looseObject({
  name: z.string().regex(/^[\w.-]{1,64}$/, 'must be 1 to 64 letters, digits, dots, underscores or dashes'),
  description: z.string().nullish(),
  parameters: z
    .looseObject({
      type: z.literal('object', { error: 'must be "object"' }).nullish(),
      properties: z.record(z.string(), z.unknown(), { error: 'must be an object' }).nullish(),
      required: z.array(z.string(), { error: 'must be a list of names' }).nullish(),
    })
    .nullish(),
  strict: z.boolean().nullish(),
})
/** `tool_choice`: a keyword, one tool, or the allowed tools. */
const choiceSchema = z.union([
  z.enum(['auto', 'none', 'required']),
  z.looseObject({
    type: z.string().nullish(),
    name: z.string().nullish(),
    mode: z.enum(['auto', 'required']).nullish(),
    tools: z.array(z.unknown()).nullish(),
    function: z.looseObject({ name: z.string() }).nullish(),
    allowed_tools: z
      .looseObject({ mode: z.enum(['auto', 'required']).nullish(), tools: z.array(z.unknown()).nullish() })
      .nullish(),
  }),
])

/** Tool definitions of a request, in the format of either API. */
export interface SentTools {
  tools?: unknown[] | null | undefined
  tool_choice?: unknown
  parallel_tool_calls?: boolean | null | undefined
}

/** The program's functions that the answer may call; tools of other kinds are left out. */
type OfferedTools = Omit<ProgramTools, 'turns'>

/** @throws BadRequestError for invalid tools, and for a choice that can't be met. */
export function readTools({ tools: sentTools, tool_choice, parallel_tool_calls }: SentTools): OfferedTools {
  if ((sentTools?.length ?? 0) > MAX_TOOLS) throw invalidTools('tools', `must be at most ${MAX_TOOLS}`)
  const tools = (sentTools ?? []).flatMap((tool, index) => (isFunction(tool) ? [readFunction(tool, index)] : []))
  const duplicate = tools.find(({ name }, index) => tools.findIndex((tool) => tool.name === name) < index)
  if (duplicate !== undefined) throw invalidTools('tools', `"${duplicate.name}" is defined twice`)
  const { isRequired, names } = readChoice(tool_choice)
  const offered = tools.filter(({ name }) => names === null || names.includes(name))
  const missing = names?.find((name) => !tools.some((tool) => tool.name === name))
  if (missing !== undefined) throw invalidTools('tool_choice', `"${cutText(missing, 64)}" isn’t one of the tools`)
  if (isRequired && offered.length === 0) throw invalidTools('tool_choice', 'there are no tools to choose from')
  return { tools: offered, isRequired, allowsParallelCalls: parallel_tool_calls !== false }
}

const formatSchema = z.discriminatedUnion(
  'type',
  [
    z.object({ type: z.literal('json_object') }),
    z.object({
      type: z.literal('json_schema'),
      json_schema: z.looseObject({
        name: z.string().regex(/^[\w-]{1,64}$/, 'must be 1 to 64 letters, digits, dashes or underscores'),
        schema: z.record(z.string(), z.unknown(), { error: 'must be an object' }),
      }),
    }),
  ],
  { error: 'must be text, json_object or json_schema' },
)

/** Requested format of the answer; undefined for text. @throws BadRequestError for an invalid one. */
export function readFormat(format: unknown): object | undefined {
  if (format === undefined || format === null) return undefined
  if (typeof format === 'object' && (kindOf(format) ?? 'text') === 'text') return undefined
  const parsed = formatSchema.safeParse(format)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const path = ['response_format', ...(issue?.path ?? [])].join('.')
  const message = issue?.message ?? 'is invalid'
  throw new BadRequestError(`${path}: ${message}.`, { code: 'invalid_format', errors: [{ path, message }] })
}

/** True when the model has to call a tool of the program. */
export function requiresTool(choice: unknown): boolean {
  return readChoice(choice).isRequired
}

function readFunction(tool: unknown, index: number): OfferedTools['tools'][number] {
  // Chat completions nest the function in the field `function`; the Responses API doesn't.
  const nested = typeof tool === 'object' && tool !== null && 'function' in tool
  // Anthropic's name for it; without its parameters, the function would be called with none.
  if (typeof tool === 'object' && tool !== null && 'input_schema' in tool)
    throw invalidTools(`tools.${index}.input_schema`, 'must be named parameters')
  const parsed = functionSchema.safeParse(nested ? tool.function : tool)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const path = [...(nested ? ['function'] : []), ...(issue?.path ?? [])].map((step) => `.${String(step)}`).join('')
    throw invalidTools(`tools.${index}${path}`, issue?.message ?? 'is invalid')
  }
  const { name, description, parameters, strict } = parsed.data
  return {
    name,
    description: description ?? '',
    parameters: { ...parameters, type: 'object', properties: parameters?.properties ?? {} },
    ...(strict ? { strict } : {}),
  }
}

/** @returns the names of the only tools that may be called; null for all. */
function readChoice(choiceInput: unknown): { isRequired: boolean; names: string[] | null } {
  if (choiceInput === undefined || choiceInput === null) return { isRequired: false, names: null }
  const parsed = choiceSchema.safeParse(choiceInput)
  if (!parsed.success)
    throw invalidTools('tool_choice', 'must be "auto", "none", "required", a function or allowed tools')
  const choice = parsed.data
  if (choice === 'none') return { isRequired: false, names: [] }
  if (typeof choice === 'string') return { isRequired: choice === 'required', names: null }
  if (choice.type === 'allowed_tools') {
    const { mode, tools } = choice.allowed_tools ?? choice
    const names = (tools ?? []).flatMap((tool) => (kindOf(tool) === 'function' ? [nameOf(tool)] : []))
    return { isRequired: mode === 'required', names }
  }
  if (choice.type === 'function') return { isRequired: true, names: [nameOf(choice)] }
  throw invalidTools('tool_choice', `"${cutText(choice.type ?? '', 40)}" is not supported by this model`)
}

const kindOf = (tool: unknown): unknown =>
  typeof tool === 'object' && tool !== null && 'type' in tool ? tool.type : undefined

/** True for a function; some programs leave out its type, and others name tools of their own model's kind. */
function isFunction(tool: unknown): boolean {
  const hasFields = (...fields: string[]) =>
    typeof tool === 'object' && tool !== null && fields.some((field) => field in tool)
  const type = kindOf(tool) ?? (hasFields('function', 'name') ? 'function' : undefined)
  return type === 'function'
}

function nameOf(tool: unknown): string {
  const { name, function: nested } = tool as { name?: unknown; function?: { name?: unknown } }
  return String(nested?.name ?? name ?? '')
}

function invalidTools(path: string, message: string): BadRequestError {
  return new BadRequestError(`${path}: ${message}.`, { code: 'invalid_tools', errors: [{ path, message }] })
}

/** A question for the assistant, with the messages before it. */
interface AssistantConversation {
  instructions: string
  history: ChatMessage[]
  content: string
  /** Base64, with the prefix of a data URL. */
  images: string[]
  /** Texts and calls of the answer so far, oldest first; empty for a new answer. */
  turns: ChatMessage[]
}

const DESCRIBE_PICTURES = 'Please describe these images.'

const isInstruction = ({ role }: Pick<ProtocolMessage, 'role'>) => role === 'system' || role === 'developer'

/**
 * Reads a conversation for the assistant. Its last message is the question, or the result of a tool call that the answer to
 * the question requested. Instructions may follow either. Where they follow neither, they are the question: some programs
 * only send instructions, for example to get a title.
 * @throws BadRequestError when the last message is neither, or a message contains a part that the assistant doesn't support;
 *   PayloadTooLargeError when the texts together are too long.
 */
export function conversationOf({ messages }: Pick<CompletionRequest, 'messages'>): AssistantConversation {
  const parsedMessages = messages.map((message, index) => ({
    message,
    role: message.role,
    ...readMessage(message, index),
  }))
  const characters = parsedMessages.reduce((sum, { text, message }) => sum + text.length + argumentsLength(message), 0)
  if (characters > MAX_TEXT_CHARACTERS) {
    throw new PayloadTooLargeError(`The messages have more than ${MAX_TEXT_CHARACTERS} characters together.`)
  }
  const lastRole = parsedMessages.findLast((message) => !isInstruction(message))?.role
  const isOpen = lastRole === 'user' || lastRole === 'tool'
  const questionIndex = parsedMessages.findLastIndex(isOpen ? ({ role }) => role === 'user' : isInstruction)
  const question = parsedMessages[questionIndex]
  if (question === undefined || !(isOpen || questionIndex === parsedMessages.length - 1)) {
    throw new BadRequestError(
      'The last of `messages` must have the role "user", or be the result of a call ("tool") after one.',
      { code: 'no_question' },
    )
  }
  const content = question.text.trim() === '' && question.images.length > 0 ? DESCRIBE_PICTURES : question.text
  if (content.trim() === '') throw new BadRequestError('The last message is empty.', { code: 'no_question' })
  requireAnswered(messages, questionIndex)
  return {
    instructions: parsedMessages
      .filter((message) => isInstruction(message) && message !== question)
      .map(({ text }) => text)
      .join('\n\n'),
    history: turnsOf(parsedMessages.slice(0, questionIndex)),
    content,
    images: question.images,
    turns: turnsOf(parsedMessages.slice(questionIndex + 1)),
  }
}

interface ParsedMessage {
  message: ProtocolMessage
  role: ProtocolMessage['role']
  text: string
  images: string[]
}

const leftOut = (type: string) => `[A part of the type "${cutText(type, 40)}" is left out here.]`

/** Turns of an answer, each tool call with its result; calls without a result are left out. */
function turnsOf(messages: ParsedMessage[]): ChatMessage[] {
  return messages.flatMap(({ message, role, text, images }, index): ChatMessage[] => {
    if (role !== 'user' && role !== 'assistant') return []
    const calls = callsOf(message).flatMap(({ id, name, argumentsText }) => {
      const result = resultOf(id, messages, index)
      return result === undefined ? [] : [{ name, argumentsText, result }]
    })
    // As in Mira's own conversations, models only see the pictures of the question.
    const content = [text, ...images.map(() => leftOut('image_url'))].filter((line) => line !== '').join('\n')
    if (content === '' && calls.length === 0) return []
    return [{ role, content, ...(calls.length > 0 ? { calls } : {}) }]
  })
}

/**
 * Result of a call. Looks only as far as the user's next message or another call with the same id, since not every model makes
 * ids unique across calls.
 */
function resultOf(id: string, messages: ParsedMessage[], callIndex: number): string | undefined {
  for (const { message, role, text } of messages.slice(callIndex + 1)) {
    if (role === 'user' || callsOf(message).some((call) => call.id === id)) return undefined
    if (role === 'tool' && message.tool_call_id === id) return text
  }
  return undefined
}

/** @throws BadRequestError when a result after the question has no call, or a call has no result. */
function requireAnswered(messages: ProtocolMessage[], questionIndex: number): void {
  const openCalls = new Map<string, string>()
  for (const [index, message] of messages.entries()) {
    if (index <= questionIndex) continue
    for (const { id, name } of callsOf(message)) openCalls.set(id, name)
    if (message.role !== 'tool') continue
    if (openCalls.delete(message.tool_call_id ?? '')) continue
    throw new BadRequestError(
      `messages.${index}: no message before it calls a tool as "${cutText(message.tool_call_id ?? '', 80)}".`,
      { code: 'tool_call_missing', errors: [{ path: `messages.${index}.tool_call_id`, message: 'no such call' }] },
    )
  }
  const [[id, name] = []] = openCalls
  if (id === undefined) return
  throw new BadRequestError(
    `messages: the result of the call "${cutText(id, 80)}" of ${cutText(name ?? '', 64)} is missing.`,
    {
      code: 'tool_result_missing',
      errors: [{ path: 'messages', message: 'a call has no result' }],
    },
  )
}

function callsOf({ role, tool_calls: calls }: ProtocolMessage) {
  if (role !== 'assistant') return []
  // Calls of other kinds are left out, since Mira's answers never request any.
  return (calls ?? []).flatMap(({ id, function: called }) =>
    called ? [{ id, name: called.name, argumentsText: called.arguments }] : [],
  )
}

function argumentsLength(message: ProtocolMessage): number {
  return callsOf(message).reduce((sum, { argumentsText }) => sum + argumentsText.length, 0)
}

function readMessage({ role, content }: ProtocolMessage, index: number): { text: string; images: string[] } {
  if (role === 'function') return { text: '', images: [] }
  if (content === null || content === undefined) return { text: '', images: [] }
  if (typeof content === 'string') return { text: content, images: [] }
  const texts: string[] = []
  const images: string[] = []
  for (const [position, part] of content.entries()) {
    const path = `messages.${index}.content.${position}`
    if (part.type === 'text' && typeof part.text === 'string') texts.push(part.text)
    // Models read only text in the result of a call, so a placeholder names any other part.
    else if (role === 'tool') texts.push(leftOut(part.type))
    else if (role === 'assistant') {
      // Another model's refusal is text; its reasoning and its pictures are left out.
      if (typeof part.refusal === 'string') texts.push(part.refusal)
    } else if (part.type === 'image_url') images.push(pictureOf(part.image_url, path))
    else {
      const message = `a part of the type "${cutText(part.type, 40)}" isn’t supported`
      throw new BadRequestError(`${path}: ${message}.`, { code: 'part_not_supported', errors: [{ path, message }] })
    }
  }
  return { text: texts.join('\n'), images }
}

/** Data URL of a picture. Other URLs are refused, since fetching one could reach into this server's network. */
function pictureOf(value: unknown, path: string): string {
  const url = typeof value === 'object' && value !== null && 'url' in value ? value.url : value
  if (typeof url === 'string' && url.startsWith('data:')) return url
  const message = 'send pictures as data URLs; addresses are not fetched'
  throw new BadRequestError(`${path}: ${message}.`, {
    code: 'picture_address_not_supported',
    errors: [{ path, message }],
  })
}
