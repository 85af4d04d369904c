import type { DocumentWriter } from './document-writer.ts'

/** Metadata of a document, as far as its format contains it. */
export interface DocumentMetadata {
  title?: string | null
  author?: string | null
  siteName?: string | null
  pictureUrl?: string | null
  createdAt?: Date | null
}

/**
 * Reads documents of one kind: writes their text and reports their metadata.
 * @throws DocumentError for a faulty file; DocumentFullError from the writer.
 */
export type DocumentParser = (
  filename: string,
  writer: DocumentWriter,
  report: (facts: DocumentMetadata) => void,
) => Promise<void>

/** Parses a date in a file; null for an invalid one, or one outside the database's range. */
export function dateOf(text: string | null | undefined): Date | null {
  const date = new Date(text?.trim() ?? '')
  const year = date.getUTCFullYear()
  return year >= 1000 && year <= 9999 ? date : null
}
