import type { PageKind } from '@mira/shared/constants/papers'

/** What words about a page, sheet, slide, chapter or mail are filled in with. */
// a type, not an interface: texts are filled in with any record
export type PageWords = {
  kind: PageKind
  number: number
  page: number
  /** What it is called, else its number. */
  name: string
}

/** What a text about a part of a document is filled in with. */
export function pageWords(page: number, kind: PageKind = 'page', title?: string | null): PageWords {
  return { kind, number: page, page, name: title ?? String(page) }
}
