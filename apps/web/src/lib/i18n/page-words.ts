import type { PageKind } from '@mira/shared/constants/papers'

/** Values for texts about a page, sheet, slide, chapter or mail. */
// a type, not an interface: texts are filled in with any record
export type PageWords = {
  kind: PageKind
  number: number
  page: number
  /** Title, or the number when there's none. */
  name: string
}

export function pageWords(page: number, kind: PageKind = 'page', title?: string | null): PageWords {
  return { kind, number: page, page, name: title ?? String(page) }
}
