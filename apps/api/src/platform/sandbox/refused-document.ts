import { type Sentence, say } from '@mira/shared'
import { type AppError, UnavailableError, ValidationError } from '../../errors.ts'
import type { TaskError } from './task-error.ts'

/** Error for an unreadable document, shown to the user; the original error when they can't act on it. */
export function refusedDocument(error: TaskError, kind: 'document' | 'pdf'): AppError | TaskError {
  const name = kind === 'pdf' ? 'PDF' : 'document'
  const refused = (sentence: Sentence, code = 'damaged_document') =>
    new ValidationError(sentence, { code, cause: error })
  switch (error.reason) {
    case 'failed':
      if (error.code === 'encrypted_document') {
        const locked = `This ${name} is locked with a password. Save a copy without one and upload that.`
        return refused(say('content_locked', { kind }, locked), error.code)
      }
      if (error.code === 'too_large_document') {
        return refused(say('content_unpacks', {}, 'This document unpacks to more than can be read.'), error.code)
      }
      return error.code === 'damaged_document'
        ? refused(say('content_damaged', { kind }, `This ${name} is damaged: it cannot be read.`))
        : error
    case 'timeout':
      return refused(say('content_slow', { kind }, `This ${name} takes too long to read.`))
    case 'memory':
      return refused(say('content_memory', { kind }, `This ${name} takes too much memory to read.`))
    case 'crashed':
      return refused(say('content_crashed', { kind }, `This ${name} is damaged: what reads it stopped.`))
    default:
      return new UnavailableError(
        say(
          'reading_later',
          { kind },
          `${kind === 'pdf' ? 'PDFs' : 'Documents'} cannot be read right now. Try again in a moment.`,
        ),
        { retryAfterSeconds: 30, cause: error },
      )
  }
}
