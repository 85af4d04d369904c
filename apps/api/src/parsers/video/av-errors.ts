import { StorageFullError, UnsupportedTypeError, ValidationError } from '../../errors.ts'
import { say } from '../../sentences.ts'

/** @param cause goes to the log: what FFmpeg said. */
export function damagedMedia(cause?: unknown): ValidationError {
  const sentence = say('content_damaged', { kind: 'file' })
  return new ValidationError(sentence, { code: 'damaged_media', cause })
}

/** The work was stopped because it took longer than it may. */
export function tooSlowMedia(): ValidationError {
  const sentence = say('content_slow', { kind: 'file' })
  return new ValidationError(sentence, { code: 'damaged_media' })
}

/** There is no sound or no moving picture where one is needed. */
export function missingStream(kind: 'video' | 'audio'): ValidationError {
  return new ValidationError(say('stream_missing', { kind }), { code: 'damaged_media' })
}

/** A format that is never opened. */
export function unknownFormat(format: string): UnsupportedTypeError {
  const type = format.toUpperCase()
  return new UnsupportedTypeError(say('unplayable', { format: type }))
}

/** FFmpeg's message as an error for the user: no space left, or else a damaged file. */
export function asMediaError(message: string): ValidationError | StorageFullError {
  return /No space left on device|ENOSPC/i.test(message) ? new StorageFullError() : damagedMedia(new Error(message))
}
