import { type SentenceParams, say } from '@mira/shared'
import { type AppError, UnavailableError, ValidationError } from '../../errors.ts'
import type { TaskError } from './task-error.ts'

type Refusal = 'import_damaged' | 'import_too_large' | 'import_encrypted' | 'import_slow' | 'import_nothing'

/**
 * Error for an unreadable archive of another program, shown to the user; the original error when they can't act on it.
 */
export function refusedArchive(error: TaskError): AppError | TaskError {
  const refused = <Code extends Refusal>(code: Code, params: SentenceParams[Code], text: string) =>
    new ValidationError(text, { code, told: say(code, params, text).told, cause: error })
  const damaged = () =>
    refused('import_damaged', {}, 'This file is damaged or not whole: nothing of it was imported. Download it again.')
  switch (error.reason) {
    case 'failed':
      if (error.code === 'encrypted_archive') {
        return refused('import_encrypted', {}, 'This file is locked with a password. Save a copy without one.')
      }
      if (error.code === 'nothing') {
        return refused('import_nothing', {}, 'There is nothing in this file that can be brought.')
      }
      if (error.code === 'too_large_archive') {
        return refused('import_too_large', {}, 'This file unpacks to more than can be read: nothing was imported.')
      }
      return error.code === 'damaged_archive' ? damaged() : error
    case 'timeout':
      return refused('import_slow', {}, 'This file takes too long to read: nothing of it was imported.')
    case 'memory':
      return refused('import_too_large', {}, 'This file takes too much memory to read: nothing was imported.')
    case 'crashed':
      return damaged()
    default:
      return new UnavailableError('Files cannot be read right now. Try again in a moment.', {
        retryAfterSeconds: 30,
        cause: error,
      })
  }
}
