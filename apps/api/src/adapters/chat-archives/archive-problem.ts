/** Codes of the errors that are the file's. */
export type ArchiveProblemCode = 'other_source' | 'damaged_archive' | 'too_large_archive' | 'encrypted_archive'

/** Why an archive cannot be read: the fault is the file's. Of another source, the message is its name, or empty. */
export class ArchiveProblem extends Error {
  override name = 'ArchiveProblem'
  readonly code: ArchiveProblemCode
  constructor(code: ArchiveProblemCode, message: string) {
    super(message)
    this.code = code
  }
}
