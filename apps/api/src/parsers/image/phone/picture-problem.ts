import { ValidationError } from '../../../errors.ts'
import { say } from '../../../sentences.ts'

/**
 * Reason why a picture can't be shown: it's damaged (the message says how), can't be decoded, is too large, in an unsupported
 * coding, or contains no preview.
 */
type PictureTrouble = 'damaged' | 'undecodable' | 'too-large' | 'unknown-coding' | 'no-preview'

/** A picture of a phone or a camera cannot be shown. */
export class PictureProblem extends Error {
  readonly trouble: PictureTrouble
  constructor(trouble: PictureTrouble, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'PictureProblem'
    this.trouble = trouble
  }
}

/** Parameters that name a picture in a sentence. @param called its name beside other pictures; undefined for the only one. */
export const pictureParams = (called: string | undefined) =>
  called === undefined ? { kind: 'picture' } : { kind: 'named', name: called }

/** Error for the user when only another program can show the picture. */
export function unshowable(
  cause: Error,
  trouble: Extract<PictureTrouble, 'no-preview' | 'unknown-coding'>,
  called?: string,
): ValidationError {
  const params = pictureParams(called)
  return trouble === 'no-preview'
    ? new ValidationError(say('picture_without_preview', params), { code: 'no_preview', cause })
    : new ValidationError(say('picture_unknown_coding', params), { code: 'unknown_coding', cause })
}
