import type { DocumentPage } from '@mira/shared'
import { type DocumentFormat, documentFormats, fileFormats } from '@mira/shared/constants/formats'

/** Codes of errors that are the file's fault. */
type DocumentErrorCode = 'encrypted_document' | 'damaged_document' | 'too_large_document'

/** A document that can't be read because of a fault in the file. */
export class DocumentError extends Error {
  override name = 'DocumentError'
  readonly code: DocumentErrorCode
  constructor(code: DocumentErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/** Metadata of a document. */
export interface DocumentInfo {
  title: string | null
  author: string | null
  /** Name of the page's site. */
  siteName: string | null
  /** URL of a web page's preview picture, as written in the page. */
  pictureUrl: string | null
  createdAt: Date | null
  /** True when only a part of it was read. */
  isCut: boolean
  /** True when a damaged part was only read up to the damage, or a part was too large to be read. */
  isDamaged: boolean
  /** Page titles in order, '' for a page without one; one title for an undivided document. */
  titles: string[]
}

/** A document on the local disk. */
export interface DocumentFile {
  filename: string
  format: DocumentFormat
  /** Encoding that the server stated for a web page; when set, only the page's article is read. */
  fetched?: { charset: string | null } | undefined
  /** Maximum number of pictures to extract, each once; none by default. */
  maxPictures?: number
  /** Maximum number of attached documents to extract; none by default. */
  maxAttachments?: number
}

/** A part of a document, with its searchable text. */
export interface ReadPage extends DocumentPage {
  text: string
}

/** A document that was read. */
interface ReadDocument extends DocumentInfo {
  pages(signal: AbortSignal): AsyncIterable<ReadPage>
  /** Extracted pictures, as many as were requested. */
  pictures: DocumentPicture[]
  /** Number of all its pictures, including those that weren't requested. */
  picturesFound: number
  /** At most the requested number; too large ones are left out. */
  attachments: DocumentAttachment[]
}

/** A document attached to a mail, with the part that it's attached to. */
export interface DocumentAttachment {
  page: number
  name: string
  format: AttachedFormat
  filename: string
}

/** Formats read as part of the mail that they're attached to. */
type ReadWithMail = 'html' | 'eml' | 'mbox' | 'enex' | 'csv'
const readWithMail: ReadonlySet<DocumentFormat> = new Set<ReadWithMail>(['html', 'eml', 'mbox', 'enex', 'csv'])

/** Formats of attachments that are read as separate documents. */
export type AttachedFormat = 'pdf' | Exclude<DocumentFormat, ReadWithMail>
export const attachedFormats: readonly AttachedFormat[] = [
  'pdf',
  ...documentFormats.filter((format) => !readWithMail.has(format)),
] as AttachedFormat[]

/** Format by a lower-case extension, also of templates and of documents with macros. */
export function attachedFormatOf(extension: string): AttachedFormat | undefined {
  return attachedFormats.find((format) => {
    const facts = fileFormats[format]
    return format === extension || ('silentEndings' in facts && facts.silentEndings.some((one) => one === extension))
  })
}

/** A picture inside a document, and the part in which it is shown. */
export interface DocumentPicture {
  page: number
  filename: string
}

/**
 * Reads documents in a separate process, bounded in memory and time. Nothing in them is executed, and nothing they refer to
 * is fetched.
 */
export interface DocumentReader {
  /**
   * @param folder for intermediate files until the pages have been read.
   * @throws ValidationError with code `encrypted_document` or `damaged_document`, worded for the user.
   */
  read(file: DocumentFile, options: { folder: string; signal: AbortSignal }): Promise<ReadDocument>
  close(): Promise<void>
}
