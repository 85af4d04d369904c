import { type ImportFileSource, type Sentence, type SentenceParams, say, sayAll } from '@mira/shared'
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

const programs = {
  mira: 'Mira',
  chatgpt: 'ChatGPT',
  claude: 'Claude',
  'open-webui': 'Open WebUI',
  librechat: 'LibreChat',
  takeout: 'Google Photos (Takeout)',
  apple: 'Apple (iCloud Photos)',
} satisfies Partial<Record<ImportFileSource, string>>

/** Error for an export of another program, with that program's name where known. */
export function otherSource(source: keyof typeof programs, error: TaskError): ValidationError {
  const word = (of: keyof typeof programs) => ({ source: of.replace('-', '') })
  const text = `This is no export of ${programs[source]}. Choose where it comes from.`
  const program = Object.hasOwn(programs, error.message) ? (error.message as keyof typeof programs) : null
  const sentences = [
    say('import_other_source', word(source), text),
    ...(program ? [say('import_seems_of', word(program), `It looks like one of ${programs[program]}.`)] : []),
  ]
  const { text: reason, told } = sayAll(...sentences)
  return new ValidationError(reason, { code: 'import_other_source', told, cause: error })
}

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
