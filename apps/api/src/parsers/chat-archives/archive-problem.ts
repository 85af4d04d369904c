/** Codes of the errors that are the file's. */
export type ArchiveProblemCode = 'other_source' | 'damaged_archive' | 'too_large_archive' | 'encrypted_archive'

/**
 * Error of an unreadable archive, caused by the file. For another program's archive the message is that program's name,
 * or
 * empty.
 */
export class ArchiveProblem extends Error {
  override name = 'ArchiveProblem'
  readonly code: ArchiveProblemCode
  constructor(code: ArchiveProblemCode, message: string) {
    super(message)
    this.code = code
  }
}
