import type { AttachedFormat } from '../office/document-types.ts'

/** Metadata of a PDF. */
interface PdfInfo {
  pageCount: number
  title: string | null
  author: string | null
  createdAt: Date | null
  /** Printed page numbers, such as iv; '' for a page whose printed number is its position. Empty for most documents. */
  pageLabels?: string[]
}

/** Everything read on a page. */
export interface ReadPdfPage {
  page: number
  /** Text layer; '' without one. */
  text: string
  /** Lines of its fields and notes. */
  notes?: string
  /** The page shows a picture that may have text, too. */
  hasPicture?: true
  /** The text layer doesn't match what the page shows. */
  isGarbled?: true
  /** The page can't be read, while others can. */
  isDamaged?: true
}

/** A file inside a PDF: a document, or the text of a text file or invoice; '' for other files. */
export type PdfAttachment = { name: string } & ({ format: AttachedFormat; filename: string } | { text: string })

/** A page drawn as a picture. */
export interface DrawnPage {
  page: number
  /** Path of the PNG. */
  filename: string
  width: number
  height: number
}

/** Reads PDFs in a separate process, bounded in memory and time; pages count from 1. */
export interface PdfReader {
  /** @throws ValidationError with code `encrypted_document` or `damaged_document`, worded for the user. */
  inspect(filename: string, signal: AbortSignal): Promise<PdfInfo>
  /**
   * Texts and notes of the pages, in batches, in order. @throws as inspect does.
   * @param from.first first page, by default 1.
   * @param from.picturesWanted called before each batch for the number of pages with pictures still to find; none by default.
   */
  texts(
    filename: string,
    signal: AbortSignal,
    from?: { first?: number; picturesWanted?: () => number },
  ): AsyncIterable<ReadPdfPage[]>
  /** Draws pages wide enough to read their text (1600 pixels at most). @throws as inspect does. */
  draw(
    filename: string,
    options: { pages: number[]; widthPixels: number; folder: string; signal: AbortSignal },
  ): AsyncIterable<DrawnPage>
  /** Extracts embedded files into a folder, within limits. @throws as inspect does. */
  attachments(filename: string, options: { folder: string; signal: AbortSignal }): Promise<PdfAttachment[]>
  close(): Promise<void>
}
