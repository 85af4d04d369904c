import { dateOf, type PaperFacts } from '../paper-kind.ts'
import { type PageDocument, parsePage, textOf } from './page-tree.ts'

type Metadata = ReadonlyMap<string, string>

/** Key of a metadata name, of which sites write many forms: "og:article:published_time", "DC.date.issued". */
export const metadataKey = (name: string) => name.toLowerCase().replaceAll(/[^a-z]/g, '')

const AUTHORS = ['author', 'articleauthor', 'dccreator', 'parselyauthor', 'citationauthor', 'sailthruauthor', 'bylname']
const DATES = [
  ...['articlepublishedtime', 'ogarticlepublishedtime', 'articlepublished', 'datepublished', 'publishedtime'],
  ...['ogpublishedtime', 'parselypubdate', 'pubdate', 'publishdate', 'publicationdate', 'sailthrudate', 'uploaddate'],
  ...['dcdateissued', 'dctermsissued', 'dcdatecreated', 'dctermscreated', 'dccreated', 'datecreated', 'dcdate'],
  ...['dctermsdate', 'citationpublicationdate', 'citationdate', 'date'],
]

/** Text of metadata that was encoded twice, as in "caf&amp;eacute;". */
const decoded = (text: string) => (text.includes('&') ? textOf(parsePage(`<p>${text}</p>`).documentElement) : text)

const firstOf = (metadata: Metadata, keys: string[]) =>
  keys.map((key) => metadata.get(key)?.trim()).find(Boolean) ?? null

/** Facts that the head of a page states. */
export function headFacts(metadata: Metadata, title: string): PaperFacts {
  const author = firstOf(metadata, AUTHORS)
  return {
    title:
      firstOf(metadata, ['ogtitle', 'dctitle', 'dctermstitle']) ??
      (title.trim() || firstOf(metadata, ['twittertitle'])),
    // Facebook's tag of articles has the author's address
    author: author === null || URL.canParse(author) ? null : author,
    siteName: firstOf(metadata, ['ogsitename']),
    pictureUrl: firstOf(metadata, ['ogimage', 'twitterimage']),
    createdAt: pageDate(firstOf(metadata, DATES)),
  }
}

/** Parses a page's date; the day comes first where points part it. */
function pageDate(text: string | null | undefined): Date | null {
  const [, day = '', month = '', year] = /^\s*(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})/.exec(text ?? '') ?? []
  return dateOf(year === undefined ? text : `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`)
}

type Thing = Record<string, unknown>
const MAX_DEPTH = 8
const MAX_THINGS = 2_000

/** Things of schema.org that a page describes in JSON-LD, each before its own parts. */
export function thingsOf(document: PageDocument): Thing[] {
  const things: Thing[] = []
  const gather = (value: unknown, depth: number) => {
    if (typeof value !== 'object' || value === null || depth > MAX_DEPTH || things.length >= MAX_THINGS) return
    if (!Array.isArray(value)) things.push(value as Thing)
    for (const part of Object.values(value)) gather(part, depth + 1)
  }
  for (const script of document.querySelectorAll('script[type="application/ld+json"]')) {
    try {
      gather(JSON.parse((script.textContent ?? '').replaceAll(/^\s*<!\[CDATA\[|\]\]>\s*$/g, '')), 0)
    } catch {
      // broken descriptions are common
    }
  }
  return things
}

const firstText = (things: Thing[], ...names: string[]) =>
  names
    .flatMap((name) => things.map((thing) => thing[name]))
    .find((value): value is string => typeof value === 'string' && value.trim() !== '') ?? null

/** Names of people or organisations. */
function namesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn)
  const name = typeof value === 'object' && value !== null ? (value as Thing).name : value
  return typeof name === 'string' && name.trim() !== '' && !URL.canParse(name) ? [name.trim()] : []
}

/** Facts about a page from its head, its JSON-LD, and its marked dates and authors. */
export function pageFacts(document: PageDocument, things: Thing[]): PaperFacts & { description: string | null } {
  const metadata = new Map<string, string>()
  for (const element of document.querySelectorAll('meta')) {
    const names = ['property', 'name', 'itemprop'].map((attribute) => element.getAttribute(attribute)).find(Boolean)
    for (const key of (names ?? '').split(/\s+/).map(metadataKey)) {
      if (!metadata.get(key)) metadata.set(key, decoded(element.getAttribute('content') ?? ''))
    }
  }
  const head = headFacts(metadata, document.querySelector('title')?.textContent ?? '')
  const publisher = namesIn(things.map(({ publisher }) => publisher))[0]
  const works = things.filter((thing) => !/Comment|Review|Answer|ImageObject/.test(String(thing['@type'])))
  const authors = namesIn(works.find(({ author }) => namesIn(author).length > 0)?.author)
  const siteName = head.siteName ?? publisher ?? null
  return {
    title: withoutSiteName(head.title || headingsOf(document)[0] || '', siteName, headingsOf(document)),
    author: authors.length > 0 ? [...new Set(authors)].join(', ') : head.author,
    siteName,
    pictureUrl: head.pictureUrl,
    createdAt:
      pageDate(firstText(works, 'datePublished')) ??
      head.createdAt ??
      pageDate(firstText(works, 'uploadDate')) ??
      shownDate(document) ??
      addressDate(document),
    description: firstOf(metadata, ['ogdescription', 'description']),
  }
}

/** Headings, without those that lead to the home page. */
const headingsOf = (document: PageDocument) =>
  [...document.querySelectorAll('h1, h2')]
    .filter((heading) => !HOME.test((heading.closest('a') ?? heading.querySelector('a'))?.getAttribute('href') ?? '.'))
    .map(textOf)
    .filter(Boolean)
const HOME = /^(?:https?:\/\/[^/]+)?\/?(?:index\.\w+)?$/

const letters = (text: string) => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '')

/** Title without the name of the site, which is part of no heading. */
function withoutSiteName(text: string, siteName: string | null, headings: string[]): string {
  const title = text.replaceAll(/\s+/g, ' ').trim()
  const cuts = [...title.matchAll(/\s[|–—·•»«/-]+\s/g)]
  for (const { index, 0: separator } of cuts) {
    const [start, end] = [title.slice(0, index).trim(), title.slice(index + separator.length).trim()]
    if (start === '' || end === '') continue
    if (siteName && letters(end) === letters(siteName)) return start
    if (siteName && letters(start) === letters(siteName)) return end
    if (headings.some((heading) => letters(heading) === letters(start))) return start
  }
  return title
}

/** Date that the page marks as its own. */
function shownDate(document: PageDocument): Date | null {
  const heading = document.querySelector('h1')
  const times = [...document.querySelectorAll('time[datetime]')]
  const marked =
    document.querySelector('[itemprop="datePublished"], time[pubdate]') ??
    (heading?.closest('article') ?? heading?.parentElement)?.querySelector('time[datetime]') ??
    (times.length === 1 ? times[0] : null)
  const stated = ['content', 'datetime'].map((name) => marked?.getAttribute(name)).find(Boolean)
  return pageDate(stated ?? marked?.textContent)
}

/** Day in the address of a page, as in "/2014/05/18/". */
function addressDate(document: PageDocument): Date | null {
  const address =
    document.querySelector('link[rel="canonical"]')?.getAttribute('href') ??
    document.querySelector('meta[property="og:url"]')?.getAttribute('content')
  const [, year, month, day] = /\/((?:19|20)\d\d)[/-](\d\d)[/-](\d\d)(?!\d)/.exec(address ?? '') ?? []
  return year === undefined ? null : dateOf(`${year}-${month}-${day}`)
}

/** True for a forum's thread or a question with its answers, which belong to it. */
export const isDiscussion = (document: PageDocument, things: Thing[]): boolean =>
  document.querySelector('[itemtype*="schema.org/Question"], [itemtype*="schema.org/DiscussionForumPosting"]') !==
    null || things.some((thing) => /Question|DiscussionForumPosting/.test(String(thing['@type'])))

/** Texts in HTML that a page states in JSON-LD, which it may show by a script alone. */
export function statedTexts(things: Thing[]): string[] {
  const described = things.find((thing) => DESCRIBED.test(String(thing['@type'])))
  const texts = things.flatMap(({ articleBody, recipeIngredient, recipeInstructions, text }) => [
    ...[articleBody, recipeInstructions, text],
    Array.isArray(recipeIngredient) ? recipeIngredient.map((one) => `<li>${one}</li>`).join('') : recipeIngredient,
  ])
  return [described?.description, ...texts]
    .filter((text) => typeof text === 'string')
    .map((text) => text.replaceAll('\n', '<br>'))
}
const DESCRIBED = /Product|VideoObject|Recipe|Event|Book|Movie|SoftwareApplication|JobPosting|Course/

const BY = /^(?:by|von|par|por|di|door|autor(?:in)?|author|text|written by|posted by|artikel von)\b[:\s]*/i

/** Name in a line that says who wrote a page, and often when; null for none. */
export function authorOf(byline: string | null | undefined): string | null {
  const parts = (byline ?? '')
    .split(/[|·•\n\t]|\s{3,}/)
    .map((part) => part.trim())
    .filter(Boolean)
  const named = parts.find((part) => BY.test(part)) ?? parts.find((part) => !/\d/.test(part)) ?? parts[0]
  const name = named
    ?.replace(BY, '')
    .replace(/(?:,|\s(?:am|on|le|el|at|um|in))?\s\S*\d.*$/, '')
    .trim()
  return name || null
}
