/** Codes of the errors that are the file's. */
export type PaperProblemCode = 'encrypted_document' | 'damaged_document' | 'too_large_document'

/** A document that can't be read because of a fault in the file. */
export class PaperProblem extends Error {
  override name = 'PaperProblem'
  readonly code: PaperProblemCode
  constructor(code: PaperProblemCode, message: string) {
    super(message)
    this.code = code
  }
}
