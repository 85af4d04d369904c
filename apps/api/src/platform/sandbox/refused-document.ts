import { type AppError, UnavailableError, ValidationError } from '../../errors.ts'
import { type Sentence, say } from '../../sentences.ts'
import type { TaskError } from './task-error.ts'

/** Error for an unreadable document, shown to the user; the original error when they can't act on it. */
export function refusedDocument(error: TaskError, kind: 'document' | 'pdf'): AppError | TaskError {
  const refused = (sentence: Sentence, code = 'damaged_document') =>
    new ValidationError(sentence, { code, cause: error })
  switch (error.reason) {
    case 'failed':
      if (error.code === 'encrypted_document') {
        return refused(say('content_locked', { kind }), error.code)
      }
      if (error.code === 'too_large_document') {
        return refused(say('content_unpacks', {}), error.code)
      }
      return error.code === 'damaged_document' ? refused(say('content_damaged', { kind })) : error
    case 'timeout':
      return refused(say('content_slow', { kind }))
    case 'memory':
      return refused(say('content_memory', { kind }))
    case 'crashed':
      return refused(say('content_crashed', { kind }))
    default:
      return new UnavailableError(say('reading_later', { kind }), { retryAfterSeconds: 30, cause: error })
  }
}
