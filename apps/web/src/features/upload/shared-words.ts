/** Words that another app shared. */
export interface SharedWords {
  title: string
  text: string
  url: string
}

/** Result of sharing: a page for a link, a note for everything else. */
export type SharedThing = { kind: 'page'; url: string } | { kind: 'note'; title: string; text: string }

/** Apps give a link as `url`, or as the whole of the text; where more was written beside it, that is what matters. */
export function thingOf({ title, text, url }: SharedWords): SharedThing | null {
  const words = text.trim()
  const link = [url.trim(), words].find(isLink)
  // some put the title before the link, in the text
  const linkInText = link === undefined ? words.split(/\s+/).find(isLink) : undefined
  const besides = linkInText === undefined ? words : words.replace(linkInText, '').trim()
  if (link !== undefined && (words === '' || words === link || words === title.trim()))
    return { kind: 'page', url: link }
  if (linkInText !== undefined && (besides === '' || besides === title.trim())) return { kind: 'page', url: linkInText }
  const body = [words, words.includes(url.trim()) ? '' : url.trim()].filter((part) => part !== '').join('\n\n')
  if (body === '' && title.trim() === '') return null
  return { kind: 'note', title: title.trim(), text: body === '' ? title.trim() : body }
}

function isLink(text: string): boolean {
  return /^https?:\/\/\S+$/i.test(text) && URL.canParse(text)
}
