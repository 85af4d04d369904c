/** Destination of a link in an answer. */
type LinkTarget =
  | { kind: 'inside'; path: string }
  /** `host` is to be shown: the text of the link does not say it. */
  | { kind: 'outside'; url: string; host: string | null }

/** Tells where a link leads; null for addresses that nobody should be sent to. */
export function linkTarget(href: string | undefined, text: string): LinkTarget | null {
  if (!href) return null
  if (/^\/(?![/\\])/.test(href)) return { kind: 'inside', path: href }
  if (!/^(https?:|mailto:)/i.test(href) || !URL.canParse(href)) return null
  const url = new URL(href)
  if (url.protocol === 'mailto:') return { kind: 'outside', url: href, host: textSays(text, url.pathname) }
  return { kind: 'outside', url: href, host: textSays(text, url.host) }
}

/** Null when the text begins with the host itself, with or without its protocol. */
function textSays(text: string, host: string): string | null {
  const address = text
    .trim()
    .replace(/^(https?:\/\/|mailto:)/i, '')
    .toLowerCase()
  const isSaid = address.startsWith(host) && !/[\w.:@-]/.test(address.charAt(host.length))
  return isSaid ? null : host
}

/** A piece of an excerpt, and whether it is what was searched for. */
interface ExcerptPart {
  text: string
  isMatch: boolean
}

/** From the first until before the second, in UTF-16 units, in their order. */
export type Highlights = readonly (readonly [from: number, to: number])[]

/** Cuts an excerpt where what was found begins and ends in it. */
export function highlightedParts(text: string, highlights: Highlights = []): ExcerptPart[] {
  let at = 0
  const parts = highlights.flatMap(([from, to]) => {
    const pieces = [
      { text: text.slice(at, from), isMatch: false },
      { text: text.slice(from, to), isMatch: true },
    ]
    at = to
    return pieces
  })
  return [...parts, { text: text.slice(at), isMatch: false }].filter((part) => part.text !== '')
}
