import type { PaperWriter } from './paper-writer.ts'

/** Metadata of a document, as far as its format has them. */
export interface PaperFacts {
  title?: string | null
  author?: string | null
  siteName?: string | null
  pictureUrl?: string | null
  createdAt?: Date | null
}

/**
 * Reads documents of one kind: writes what they say, and gives what they tell of themselves.
 * @throws PaperProblem when the fault is the file's, PaperFull from the writer.
 */
export type PaperKind = (filename: string, writer: PaperWriter, tell: (facts: PaperFacts) => void) => Promise<void>

/** A date as it is written in files; null when it is none, or one that the database does not take. */
export function dateOf(written: string | null | undefined): Date | null {
  const date = new Date(written?.trim() ?? '')
  const year = date.getUTCFullYear()
  return year >= 1000 && year <= 9999 ? date : null
}
