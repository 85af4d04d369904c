import type { ChatRequest } from '@mira/shared'
import { ValidationError } from '../../../errors.ts'

/** What pictures without a text ask. */
const DESCRIBE_PICTURES = 'Please describe these images.'

/** The same of items of the library. */
const DESCRIBE_ITEMS = 'Please describe what is attached.'

/** What a message asks, also without a text. @throws ValidationError on a blank message with nothing beside it. */
export function askedText({ content, images, media_ids }: ChatRequest): string {
  if (content.trim() !== '') return content
  if (images.length > 0) return DESCRIBE_PICTURES
  if (media_ids.length > 0) return DESCRIBE_ITEMS
  const message = 'Write a message.'
  throw new ValidationError(message, { errors: [{ path: 'content', message }] })
}
