/** Destination of a link in an answer. */
type LinkTarget =
  | { kind: 'inside'; path: string }
  /** `shownAddress`: host or email address to show; null when the link's text already names it. */
  | { kind: 'outside'; url: string; shownAddress: string | null }

/** Destination of a link; null for unsafe URLs. */
export function linkTarget(href: string | undefined, text: string): LinkTarget | null {
  if (!href) return null
  if (/^\/(?![/\\])/.test(href)) return { kind: 'inside', path: href }
  if (!/^(https?:|mailto:)/i.test(href) || !URL.canParse(href)) return null
  const url = new URL(href)
  if (url.protocol === 'mailto:') return { kind: 'outside', url: href, shownAddress: unlessInText(text, url.pathname) }
  return { kind: 'outside', url: href, shownAddress: unlessInText(text, url.host) }
}

/** The address, or null when the text begins with it, with or without its protocol. */
function unlessInText(text: string, address: string): string | null {
  const plainText = text
    .trim()
    .replace(/^(https?:\/\/|mailto:)/i, '')
    .toLowerCase()
  const isNamed = plainText.startsWith(address) && !/[\w.:@-]/.test(plainText.charAt(address.length))
  return isNamed ? null : address
}

/** Part of an excerpt; `isMatch` when it matches the search. */
interface ExcerptPart {
  text: string
  isMatch: boolean
}

/** Ranges in UTF-16 units, in order; `to` is exclusive. */
export type Highlights = readonly (readonly [from: number, to: number])[]

/** Splits an excerpt at the beginning and end of each match. */
export function highlightedParts(text: string, highlights: Highlights = []): ExcerptPart[] {
  let position = 0
  const parts = highlights.flatMap(([from, to]) => {
    const pieces = [
      { text: text.slice(position, from), isMatch: false },
      { text: text.slice(from, to), isMatch: true },
    ]
    position = to
    return pieces
  })
  return [...parts, { text: text.slice(position), isMatch: false }].filter((part) => part.text !== '')
}
