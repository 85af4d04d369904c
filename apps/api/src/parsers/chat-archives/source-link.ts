/** Page that an answer cites. */
interface CitedPage {
  /** '' for none. */
  title: string
  url: string
}

/** Addresses are only linked when they're of web pages, and short enough to be one. */
const PAGE_ADDRESS = /^https?:\/\/[^\s<>"]{1,2000}$/i

/** Markdown link to a page, by its title or else its host; '' when it has no web address. */
export function sourceLink({ title, url }: CitedPage): string {
  if (!PAGE_ADDRESS.test(url) || !URL.canParse(url)) return ''
  const name = title.replace(/\s+/g, ' ').trim() || new URL(url).hostname.replace(/^www\./, '')
  return `[${name.replace(/[[\]\\]/g, '\\$&')}](${url.replaceAll('(', '%28').replaceAll(')', '%29')})`
}

/** Markdown of the pages cited at one place, `([title](url), [title](url))`, each once; '' when none has a web address. */
export function sourceLinks(pages: CitedPage[]): string {
  const links = pages.map(sourceLink).filter((link) => link !== '')
  return links.length === 0 ? '' : `(${[...new Set(links)].join(', ')})`
}
