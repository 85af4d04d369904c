import type { PaperWriter } from './paper-writer.ts'

/** Metadata of a document, as far as its format has them. */
export interface PaperMetadata {
  title?: string | null
  author?: string | null
  siteName?: string | null
  pictureUrl?: string | null
  createdAt?: Date | null
}

/**
 * Reads documents of one kind: writes their text and reports their metadata.
 * @throws PaperProblem for a faulty file; PaperFull from the writer.
 */
export type PaperParser = (
  filename: string,
  writer: PaperWriter,
  report: (facts: PaperMetadata) => void,
) => Promise<void>

/** Parses a date of a file; null for an invalid one, or one outside the database's range. */
export function dateOf(text: string | null | undefined): Date | null {
  const date = new Date(text?.trim() ?? '')
  const year = date.getUTCFullYear()
  return year >= 1000 && year <= 9999 ? date : null
}
