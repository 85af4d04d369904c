import { BadRequestError, PayloadTooLargeError } from '../../errors.ts'
import { type CompletionRequest, MOST_TEXT_CHARACTERS, type ProtocolMessage } from './protocol.ts'

/** A question with the messages before it, as the assistant is asked. */
export interface AskedConversation {
  instructions: string
  history: { role: 'user' | 'assistant'; content: string }[]
  content: string
  /** Base64, with the prefix of a data URL. */
  images: string[]
}

const DESCRIBE_PICTURES = 'Please describe these images.'

/**
 * The conversation that a program sends to the assistant.
 * @throws BadRequestError when the last message is not a person's, or one holds what the assistant cannot take;
 *   PayloadTooLargeError when the texts are too long together.
 */
export function conversationOf({ messages }: Pick<CompletionRequest, 'messages'>): AskedConversation {
  const read = messages.map((message, at) => ({ role: message.role, ...readMessage(message, at) }))
  const characters = read.reduce((sum, { text }) => sum + text.length, 0)
  if (characters > MOST_TEXT_CHARACTERS) {
    throw new PayloadTooLargeError(`The messages hold more than ${MOST_TEXT_CHARACTERS} characters together.`)
  }
  const question = read.at(-1)
  // what came of calls in the midst of a conversation, which another model made, is left out
  if (question?.role === 'tool' || question?.role === 'function') {
    throw new BadRequestError('The assistant calls its own tools; for tools of yours, name a connected model.', {
      code: 'tools_not_supported',
    })
  }
  if (question?.role !== 'user') {
    throw new BadRequestError('The last of `messages` must be one with the role "user".', { code: 'no_question' })
  }
  const isInstruction = ({ role }: { role: ProtocolMessage['role'] }) => role === 'system' || role === 'developer'
  const content = question.text.trim() === '' && question.images.length > 0 ? DESCRIBE_PICTURES : question.text
  if (content.trim() === '') throw new BadRequestError('The last message is empty.', { code: 'no_question' })
  return {
    instructions: read
      .filter(isInstruction)
      .map(({ text }) => text)
      .join('\n\n'),
    history: read
      .slice(0, -1)
      .flatMap(({ role, text }) => (role === 'user' || role === 'assistant' ? [{ role, content: text }] : []))
      .filter(({ content }) => content !== ''),
    content,
    images: question.images,
  }
}

function readMessage({ role, content }: ProtocolMessage, at: number): { text: string; images: string[] } {
  if (role === 'tool' || role === 'function') return { text: '', images: [] }
  if (content === null || content === undefined) return { text: '', images: [] }
  if (typeof content === 'string') return { text: content, images: [] }
  const texts: string[] = []
  const images: string[] = []
  for (const part of content) {
    if (part.type === 'text' && typeof part.text === 'string') texts.push(part.text)
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

/**
 * Refuses addresses of pictures in what is passed on to a connected model: its server would fetch them.
 * @throws BadRequestError
 */
export function requireOwnPictures({ messages }: Pick<CompletionRequest, 'messages'>): void {
  for (const [at, { content }] of messages.entries()) {
    if (!Array.isArray(content)) continue
    for (const part of content) if (part.type === 'image_url') pictureOf(part.image_url, at)
  }
}
