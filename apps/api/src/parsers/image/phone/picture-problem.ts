import { say } from '@mira/shared'
import { ValidationError } from '../../../errors.ts'

/** Reason why a picture can't be shown: it's damaged, too large, in an unsupported coding, or contains no preview. */
export type PictureTrouble = 'damaged' | 'too-large' | 'unknown-coding' | 'no-preview'

/** A picture of a phone or a camera cannot be shown. */
export class PictureProblem extends Error {
  readonly trouble: PictureTrouble
  constructor(trouble: PictureTrouble, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'PictureProblem'
    this.trouble = trouble
  }
}

/** Error for the user when only another program can show the picture. @param called noun for the picture. */
export function unshowable(
  cause: Error,
  trouble: Extract<PictureTrouble, 'no-preview' | 'unknown-coding'>,
  called: string,
): ValidationError {
  const text = `${called} ${cause.message}. Export it as JPEG and add that.`
  return trouble === 'no-preview'
    ? new ValidationError(say('picture_without_preview', {}, text), { code: 'no_preview', cause })
    : new ValidationError(say('picture_unknown_coding', {}, text), { code: 'unknown_coding', cause })
}
