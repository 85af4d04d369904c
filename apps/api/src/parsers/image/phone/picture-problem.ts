import { ValidationError } from '../../../errors.ts'
import { say } from '../../../sentences.ts'

/**
 * Reason why a picture can't be shown: it's damaged (the message says how), can't be decoded, is too large, in an unsupported
 * coding, or contains no preview.
 */
type PictureReason = 'damaged' | 'undecodable' | 'too-large' | 'unknown-coding' | 'no-preview'

/** A phone or camera picture that can't be shown. */
export class PictureProblem extends Error {
  readonly reason: PictureReason
  constructor(reason: PictureReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'PictureProblem'
    this.reason = reason
  }
}

/** Parameters that name a picture in a sentence. @param label its name beside other pictures; undefined for the only one. */
export const pictureParams = (label: string | undefined) =>
  label === undefined ? { kind: 'picture' } : { kind: 'named', name: label }

/** Error for the user when only another program can show the picture. */
export function unshowable(
  cause: Error,
  reason: Extract<PictureReason, 'no-preview' | 'unknown-coding'>,
  label?: string,
): ValidationError {
  const params = pictureParams(label)
  return reason === 'no-preview'
    ? new ValidationError(say('picture_without_preview', params), { code: 'no_preview', cause })
    : new ValidationError(say('picture_unknown_coding', params), { code: 'unknown_coding', cause })
}
