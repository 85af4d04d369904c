import { type AppError, UnavailableError, ValidationError } from '../../errors.ts'
import { say } from '../../sentences.ts'
import type { TaskError } from './task-error.ts'

type Refusal = 'import_damaged' | 'import_too_large' | 'import_encrypted' | 'import_slow' | 'import_nothing'

/**
 * Error for an unreadable archive of another program, shown to the user; the original error when they can't act on it.
 */
export function refusedArchive(error: TaskError): AppError | TaskError {
  const refused = (code: Refusal) => new ValidationError(say(code, {}), { code, cause: error })
  switch (error.reason) {
    case 'failed':
      if (error.code === 'encrypted_archive') return refused('import_encrypted')
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
