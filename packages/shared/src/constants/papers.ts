/** What the parts of a document are called: those of a PDF are pages. */
export const pageKinds = ['page', 'sheet', 'slide', 'chapter', 'message'] as const
export type PageKind = (typeof pageKinds)[number]

/** What a mail tells about itself. */
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

/** What is shown of a document in place of its file: the preview of an item, as JSON. */
export interface PaperPreview {
  pages: PaperPage[]
  /** Whether there is more than is shown. */
  is_cut: boolean
}
