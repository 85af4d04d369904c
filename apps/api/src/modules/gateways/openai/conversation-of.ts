import { BadRequestError, PayloadTooLargeError } from '../../../errors.ts'
import type { SpokenTurn } from './program-tools.ts'
import { type CompletionRequest, MAX_TEXT_CHARACTERS, type ProtocolMessage } from './protocol.ts'

/** A question with the messages before it, as the assistant is asked. */
export interface AskedConversation {
  instructions: string
  history: SpokenTurn[]
  content: string
  /** Base64, with the prefix of a data URL. */
  images: string[]
  /** Texts and calls of the answer so far, oldest first; empty for a new answer. */
  turns: SpokenTurn[]
}

const DESCRIBE_PICTURES = 'Please describe these images.'

/**
 * The conversation that a program sends to the assistant: its last message is the question, or what came of the calls that
 * an answer to it asked for.
 * @throws BadRequestError when it is neither, or one holds what the assistant cannot take; PayloadTooLargeError when the
 *   texts are too long together.
 */
export function conversationOf({ messages }: Pick<CompletionRequest, 'messages'>): AskedConversation {
  const read = messages.map((message, index) => ({ message, role: message.role, ...readMessage(message, index) }))
  const characters = read.reduce((sum, { text, message }) => sum + text.length + argumentsLength(message), 0)
  if (characters > MAX_TEXT_CHARACTERS) {
    throw new PayloadTooLargeError(`The messages hold more than ${MAX_TEXT_CHARACTERS} characters together.`)
  }
  const lastRole = read.at(-1)?.role
  const questionAt = read.findLastIndex(({ role }) => role === 'user')
  const question = read[questionAt]
  if (question === undefined || (lastRole !== 'user' && lastRole !== 'tool')) {
    throw new BadRequestError(
      'The last of `messages` must be one with the role "user", or what came of a call ("tool") after one.',
      { code: 'no_question' },
    )
  }
  const content = question.text.trim() === '' && question.images.length > 0 ? DESCRIBE_PICTURES : question.text
  if (content.trim() === '') throw new BadRequestError('The last message is empty.', { code: 'no_question' })
  requireAnswered(messages, questionAt)
  return {
    instructions: read
      .filter(({ role }) => role === 'system' || role === 'developer')
      .map(({ text }) => text)
      .join('\n\n'),
    history: turnsOf(read.slice(0, questionAt)),
    content,
    images: question.images,
    turns: turnsOf(read.slice(questionAt + 1)),
  }
}

interface ReadMessage {
  message: ProtocolMessage
  role: ProtocolMessage['role']
  text: string
}

/** Turns of an answer, each tool call with its result; calls without a result are left out. */
function turnsOf(read: ReadMessage[]): SpokenTurn[] {
  return read.flatMap(({ message, role, text }, index): SpokenTurn[] => {
    if (role !== 'user' && role !== 'assistant') return []
    const calls = callsOf(message).flatMap(({ id, name, argumentsText }) => {
      const result = resultOf(id, read, index)
      return result === undefined ? [] : [{ name, argumentsText, result }]
    })
    if (text === '' && calls.length === 0) return []
    return [{ role, content: text, ...(calls.length > 0 ? { calls } : {}) }]
  })
}

/** Result of a call, from before the user's next message: not every model makes ids unique across calls. */
function resultOf(id: string, read: ReadMessage[], calledAt: number): string | undefined {
  for (const { message, role, text } of read.slice(calledAt + 1)) {
    if (role === 'user' || callsOf(message).some((call) => call.id === id)) return undefined
    if (role === 'tool' && message.tool_call_id === id) return text
  }
  return undefined
}

/** @throws BadRequestError where the end of a conversation has results without their calls, or calls without results. */
function requireAnswered(messages: ProtocolMessage[], questionAt: number): void {
  const open = new Map<string, string>()
  for (const [index, message] of messages.entries()) {
    if (index <= questionAt) continue
    for (const { id, name } of callsOf(message)) open.set(id, name)
    if (message.role !== 'tool') continue
    if (open.delete(message.tool_call_id ?? '')) continue
    throw new BadRequestError(
      `messages.${index}: no message before it calls a tool as "${(message.tool_call_id ?? '').slice(0, 80)}".`,
      { code: 'tool_call_missing', errors: [{ path: `messages.${index}.tool_call_id`, message: 'no such call' }] },
    )
  }
  const [[id, name] = []] = open
  if (id === undefined) return
  throw new BadRequestError(
    `messages: what came of the call "${id.slice(0, 80)}" of ${name?.slice(0, 64)} is missing.`,
    {
      code: 'tool_result_missing',
      errors: [{ path: 'messages', message: 'a call has no result' }],
    },
  )
}

function callsOf({ role, tool_calls: calls }: ProtocolMessage) {
  if (role !== 'assistant') return []
  // other kinds are not asked for here
  return (calls ?? []).flatMap(({ id, function: called }) =>
    called ? [{ id, name: called.name, argumentsText: called.arguments }] : [],
  )
}

function argumentsLength(message: ProtocolMessage): number {
  return callsOf(message).reduce((sum, { argumentsText }) => sum + argumentsText.length, 0)
}

function readMessage({ role, content }: ProtocolMessage, at: number): { text: string; images: string[] } {
  if (role === 'function') return { text: '', images: [] }
  if (content === null || content === undefined) return { text: '', images: [] }
  if (typeof content === 'string') return { text: content, images: [] }
  const texts: string[] = []
  const images: string[] = []
  for (const part of content) {
    if (part.type === 'text' && typeof part.text === 'string') texts.push(part.text)
    // no model reads anything else of a call
    else if (role === 'tool') texts.push(`[A part of the type "${part.type.slice(0, 40)}" is left out here.]`)
    else if (part.type === 'image_url') images.push(pictureOf(part.image_url, at))
    else {
      throw new BadRequestError(`messages.${at}: a part of the type "${part.type.slice(0, 40)}" cannot be read.`, {
        code: 'part_not_supported',
      })
    }
  }
  return { text: texts.join('\n'), images }
}

/** Nothing is fetched for whoever asks: an address would reach what this server sees. */
function pictureOf(value: unknown, at: number): string {
  const url = typeof value === 'object' && value !== null && 'url' in value ? value.url : value
  if (typeof url === 'string' && url.startsWith('data:')) return url
  throw new BadRequestError(`messages.${at}: send pictures as data URLs; addresses are not fetched.`, {
    code: 'picture_address_not_supported',
  })
}
