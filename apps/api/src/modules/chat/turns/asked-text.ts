import type { ChatRequest } from '@mira/shared'
import { ValidationError } from '../../../errors.ts'

/** Question for pictures that are sent without a text. */
const DESCRIBE_PICTURES = 'Please describe these images.'

/** The same of items of the library. */
const DESCRIBE_ITEMS = 'Please describe what is attached.'

/**
 * The message's text, or a default question for attachments without one.
 * @throws ValidationError on a blank message without attachments.
 */
export function askedText({ content, images, media_ids }: ChatRequest): string {
  if (content.trim() !== '') return content
  if (images.length > 0) return DESCRIBE_PICTURES
  if (media_ids.length > 0) return DESCRIBE_ITEMS
  const message = 'Write a message.'
  throw new ValidationError(message, { errors: [{ path: 'content', message }] })
}
