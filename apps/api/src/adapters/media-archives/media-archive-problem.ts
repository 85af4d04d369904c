/** Codes of the errors that are the archive's. */
type MediaArchiveProblemCode =
  | 'damaged_archive'
  | 'encrypted_archive'
  | 'too_large_archive'
  | 'nothing'
  | 'other_source'

/** Reason for an unreadable archive: the file is at fault. */
export class MediaArchiveProblem extends Error {
  override name = 'MediaArchiveProblem'
  readonly code: MediaArchiveProblemCode
  constructor(code: MediaArchiveProblemCode, message: string) {
    super(message)
    this.code = code
  }
}
