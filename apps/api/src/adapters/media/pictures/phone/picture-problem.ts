/** Why a picture cannot be shown: it is damaged, larger than is read, coded as nothing here reads it, or holds no picture to show. */
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
