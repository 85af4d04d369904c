/** Kinds of parts of a document: a PDF has pages. */
export const pageKinds = ['page', 'sheet', 'slide', 'chapter', 'message'] as const
export type PageKind = (typeof pageKinds)[number]

/** Header fields of a mail. */
export const mailFields = ['from', 'to', 'cc', 'date', 'attachments'] as const
export type MailField = (typeof mailFields)[number]

/** A piece of a document, as it is read and shown: words only, nothing of it is ever markup. */
export type PaperBlock =
  | { kind: 'heading'; level: number; text: string }
  | { kind: 'text' | 'item'; text: string }
  | { kind: 'rows'; rows: string[][] }
  | { kind: 'fields'; fields: [MailField, string][] }

/** A sheet, slide, chapter or mail; a document without such parts is one. */
export interface PaperPage {
  /** From 1. */
  number: number
  title: string | null
  blocks: PaperBlock[]
}

/** JSON preview of a document, displayed in place of its file. */
export interface PaperPreview {
  pages: PaperPage[]
  /** True when the document has more than the preview. */
  is_cut: boolean
}
