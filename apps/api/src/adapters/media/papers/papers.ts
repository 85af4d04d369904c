import type { PaperFormat, PaperPage } from '@mira/shared'

/** What a document tells of itself. */
export interface PaperInfo {
  title: string | null
  author: string | null
  /** What the site of a page is called. */
  siteName: string | null
  /** The address of the picture that a page of the web shows as its own, as it is written there. */
  pictureUrl: string | null
  createdAt: Date | null
  /** Whether it is longer than what was read of it. */
  isCut: boolean
  /** True when a part of it is damaged, of which only the beginning was read. */
  isDamaged: boolean
  /** What its pages are called, in order, '' for those without a name; one for a document in one piece. */
  titles: string[]
}

/** A document on this machine's disk. */
export interface PaperFile {
  filename: string
  format: PaperFormat
  /** Of a page that was fetched from the web, which is read for what it is about: the encoding that its server told. */
  fetched?: { charset: string | null } | undefined
  /** How many of its pictures are wanted, each once; none when nothing is said. */
  mostPictures?: number
  /** How many of the documents that are attached to it are wanted; none when nothing is said. */
  mostAttachments?: number
}

/** A part of a document, with its words as they are looked for. */
export interface ReadPage extends PaperPage {
  text: string
}

/** A document that was read. */
export interface ReadPaper extends PaperInfo {
  pages(signal: AbortSignal): AsyncIterable<ReadPage>
  /** Those that it shows, as far as they were wanted. */
  pictures: PaperPicture[]
  /** How many it shows, also beyond those that were wanted. */
  picturesFound: number
  /** As far as they were wanted; small ones alone. */
  attachments: PaperAttachment[]
}

/** What is attached to a mail and is a document itself, and the part that it is attached to. */
export interface PaperAttachment {
  page: number
  name: string
  format: AttachedFormat
  filename: string
}

/** Documents that are read when they are attached; texts, pages and mails are read with the mail. */
export type AttachedFormat = 'pdf' | Exclude<PaperFormat, 'html' | 'eml' | 'mbox' | 'csv'>

/** A picture inside a document, and the part in which it is shown. */
export interface PaperPicture {
  page: number
  filename: string
}

/** Reads documents in a process of its own, bounded in memory and time. Nothing in them is run, and nothing fetched. */
export interface Papers {
  /**
   * @param folder where what was read lies until its pages were taken.
   * @throws ValidationError with code `encrypted_document` or `damaged_document`; both sentences are for a person.
   */
  read(file: PaperFile, options: { folder: string; signal: AbortSignal }): Promise<ReadPaper>
  close(): Promise<void>
}
