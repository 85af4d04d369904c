/** Destination of a link in an answer. */
export type LinkTarget =
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
