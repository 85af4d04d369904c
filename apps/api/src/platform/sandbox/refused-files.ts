import type { ImportFileSource } from '@mira/shared'
import { type AppError, UnavailableError, ValidationError } from '../../errors.ts'
import { type Sentence, say, sayAll } from '../../sentences.ts'
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

/** Programs for which the messages have names. */
const programs = [
  'mira',
  'chatgpt',
  'claude',
  'open-webui',
  'librechat',
  'takeout',
  'apple',
] as const satisfies ImportFileSource[]
type Program = (typeof programs)[number]

/** Error for an export of another program, with its name if known. */
export function otherSource(source: Program, error: TaskError): ValidationError {
  const paramsOf = (of: Program) => ({ source: of.replace('-', '') })
  const program = programs.find((name) => name === error.message)
  const sentence = sayAll(
    say('import_other_source', paramsOf(source)),
    ...(program === undefined ? [] : [say('import_seems_of', paramsOf(program))]),
  )
  return new ValidationError(sentence, { code: 'import_other_source', cause: error })
}

type Refusal =
  | 'import_damaged'
  | 'import_too_large'
  | 'import_encrypted'
  | 'import_unsupported_zip'
  | 'import_slow'
  | 'import_nothing'

/**
 * Error for an unreadable archive of another program, shown to the user; the original error when they can't act on it.
 */
export function refusedArchive(error: TaskError): AppError | TaskError {
  const refused = (code: Refusal) => new ValidationError(say(code, {}), { code, cause: error })
  switch (error.reason) {
    case 'failed':
      if (error.code === 'encrypted_archive') return refused('import_encrypted')
      if (error.code === 'unsupported_archive') return refused('import_unsupported_zip')
      if (error.code === 'nothing') return refused('import_nothing')
      if (error.code === 'too_large_archive') return refused('import_too_large')
      return error.code === 'damaged_archive' ? refused('import_damaged') : error
    case 'timeout':
      return refused('import_slow')
    case 'memory':
      return new ValidationError(say('import_memory', {}), { code: 'import_too_large', cause: error })
    case 'crashed':
      return refused('import_damaged')
    default:
      return new UnavailableError(say('reading_later', { kind: 'file' }), { retryAfterSeconds: 30, cause: error })
  }
}
