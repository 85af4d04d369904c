import { say } from '@mira/shared'
import { StorageFullError, UnsupportedTypeError, ValidationError } from '../../errors.ts'

/** @param cause goes to the log: what FFmpeg said. */
export function damagedMedia(cause?: unknown): ValidationError {
  const sentence = say('content_damaged', { kind: 'file' }, 'This file is damaged: it cannot be decoded.')
  return new ValidationError(sentence, { code: 'damaged_media', cause })
}

/** The work was stopped because it took longer than it may. */
export function tooSlowMedia(): ValidationError {
  const sentence = say('content_slow', { kind: 'file' }, 'This file takes too long to read.')
  return new ValidationError(sentence, { code: 'damaged_media' })
}

/** There is no sound or no moving picture where one is needed. */
export function missingStream(kind: 'video' | 'audio'): ValidationError {
  const what = kind === 'video' ? 'moving pictures' : 'sound'
  return new ValidationError(say('stream_missing', { kind }, `This file has no ${what}.`), { code: 'damaged_media' })
}

/** A format that is never opened. */
export function unknownFormat(format: string): UnsupportedTypeError {
  const type = format.toUpperCase()
  return new UnsupportedTypeError(say('unplayable', { format: type }, `Files of the type ${type} cannot be played.`))
}

/** FFmpeg's message as an error for the user: no space left, or else a damaged file. */
export function asMediaError(message: string): ValidationError | StorageFullError {
  return /No space left on device|ENOSPC/i.test(message) ? new StorageFullError() : damagedMedia(new Error(message))
}
