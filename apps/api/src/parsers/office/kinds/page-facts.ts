import { timeOf } from '../../feed/feed-times.ts'
import { type DocumentMetadata, dateOf } from '../document-parser.ts'
import { authorOf, factText, letters, MAX_NAME_CHARACTERS, nameText } from './byline.ts'
import { type PageDocument, type PageElement, parsePage, shortTextOf, textOf } from './page-tree.ts'

type Metadata = ReadonlyMap<string, string>

/** Normalised metadata name, which sites write in many forms: "og:article:published_time", "DC.date.issued". */
export const metadataKey = (name: string) => name.toLowerCase().replaceAll(/[^a-z]/g, '')

const AUTHORS = ['author', 'articleauthor', 'dccreator', 'parselyauthor', 'citationauthor', 'sailthruauthor', 'bylname']
const DATES = [
  ...['articlepublishedtime', 'ogarticlepublishedtime', 'articlepublished', 'datepublished', 'publishedtime'],
  ...['ogpublishedtime', 'parselypubdate', 'pubdate', 'publishdate', 'publicationdate', 'sailthrudate', 'uploaddate'],
  ...['dcdateissued', 'dctermsissued', 'dcdatecreated', 'dctermscreated', 'dccreated', 'datecreated', 'dcdate'],
  ...['dctermsdate', 'citationpublicationdate', 'citationdate', 'date'],
]

/** HTML of a plain text. */
export const escapeHtml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** Text of metadata that was encoded twice, as in "caf&amp;eacute;"; what looks like a tag is text. */
const decodeEntities = (text: string) =>
  text.includes('&') ? textOf(parsePage(`<p>${text.replaceAll('<', '&lt;')}</p>`).documentElement) : text

export const MAX_TITLE_CHARACTERS = 1_000
const firstOf = (metadata: Metadata, keys: string[]) =>
  keys.map((key) => metadata.get(key)?.trim()).find(Boolean) ?? null

/** Facts in the head of a page. */
export function headFacts(metadata: Metadata, title: string, language: string): DocumentMetadata {
  const author = firstOf(metadata, AUTHORS)
  return {
    title:
      factText(
        firstOf(metadata, ['ogtitle', 'dctitle', 'dctermstitle']) ??
          (title.trim() || (firstOf(metadata, ['twittertitle']) ?? '')),
        MAX_TITLE_CHARACTERS,
      ) || null,
    // Facebook's tag of articles has the URL of the author's profile.
    author: author === null || URL.canParse(author) ? null : nameText(author),
    siteName: nameText(firstOf(metadata, ['ogsitename'])),
    pictureUrl: firstOf(metadata, ['ogimage', 'twitterimage']),
    createdAt: pageDate(firstOf(metadata, DATES), language),
  }
}

/** Parses a page's date; null for a year alone, and when day and month can't be told apart. */
function pageDate(text: string | null | undefined, language: string): Date | null {
  const dateText = text?.trim() ?? ''
  const [, first = '', separator, second = '', shortYear] =
    /^(\d{1,2})(\.\s?|\/|-)(\d{1,2})[./-]\s?(\d{4}|\d\d)(?!\d)/.exec(dateText) ?? []
  if (shortYear !== undefined) {
    const year = shortYear.length === 4 ? shortYear : `${Number(shortYear) < 70 ? 20 : 19}${shortYear}`
    const isDayFirst = separator?.startsWith('.') || Number(first) > 12 || isDayFirstIn(language)
    if (isDayFirst === null && Number(second) <= 12 && first !== second) return null
    return isDayFirst && Number(second) <= 12 ? dayOf(year, second, first) : dayOf(year, first, second)
  }
  const [, year = '', month = '', day] = /^(\d{4})-?(\d\d)-?(\d\d)(?!\d)/.exec(dateText) ?? []
  if (day === undefined) return /^\d{4}$/.test(dateText) ? null : dateOf(dateText)
  const date = dayOf(year, month, day)
  return date === null || !dateText.includes('-') ? date : (dateOf(dateText) ?? date)
}

/** Null for a day that doesn't exist. */
function dayOf(year: string, month: string, day: string): Date | null {
  const date = dateOf(`${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`)
  return date?.getUTCDate() === Number(day) ? date : null
}

/** True when the day precedes the month; null for a language in which that differs by country. */
const isDayFirstIn = (language: string) =>
  /^en-us$/i.test(language) ? false : /^(?:en(?:-ca)?)?$/i.test(language) ? null : true

type SchemaOrgObject = Record<string, unknown>
/** Properties whose objects a page only links to or belongs to. */
const RELATED_PROPERTIES = new Set(['itemListElement', 'mentions', 'isPartOf'])
const INSTRUCTIONS = new Set(['recipeInstructions', 'step'])
const typeOf = (object: SchemaOrgObject) => String(object['@type'] ?? '')
/** Types of other people's texts about a work. */
const REPLY = /Comment|Review|Answer/
const MAX_DEPTH = 8
const MAX_OBJECTS = 2_000

/** Schema.org objects that a page describes in JSON-LD, each before its own parts. */
export function schemaOrgObjectsOf(document: PageDocument): SchemaOrgObject[] {
  const objects: SchemaOrgObject[] = []
  const gather = (value: unknown, depth: number, isInstructions = false) => {
    if (typeof value !== 'object' || value === null || depth > MAX_DEPTH || objects.length >= MAX_OBJECTS) return
    if (!Array.isArray(value)) objects.push(value as SchemaOrgObject)
    for (const [key, part] of Object.entries(value)) {
      // Sections of instructions are lists, too, whose elements belong to the page.
      const isStep = key === 'itemListElement' && isInstructions
      if (isStep || !RELATED_PROPERTIES.has(key)) gather(part, depth + 1, isInstructions || INSTRUCTIONS.has(key))
    }
  }
  for (const script of document.querySelectorAll('script[type="application/ld+json"]')) {
    try {
      gather(JSON.parse((script.textContent ?? '').replaceAll(/^\s*<!\[CDATA\[|\]\]>\s*$/g, '')), 0)
    } catch {
      // broken descriptions are common
    }
  }
  return objects
}

const firstText = (objects: SchemaOrgObject[], ...names: string[]) =>
  names
    .flatMap((name) => objects.map((object) => object[name]))
    .find((value): value is string => typeof value === 'string' && value.trim() !== '') ?? null

/** Names of people or organisations. */
function namesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn)
  const name = typeof value === 'object' && value !== null ? (value as SchemaOrgObject).name : value
  return typeof name === 'string' && name.trim() !== '' && !URL.canParse(name) ? [name.trim()] : []
}

/** Facts about a page from its head, its JSON-LD, and its marked dates and authors. */
export function pageFacts(
  document: PageDocument,
  objects: SchemaOrgObject[],
): DocumentMetadata & { description: string | null } {
  const metadata = new Map<string, string>()
  for (const element of document.querySelectorAll('meta')) {
    const names = ['property', 'name', 'itemprop'].map((attribute) => element.getAttribute(attribute)).find(Boolean)
    for (const key of (names ?? '').split(/\s+/).map(metadataKey)) {
      if (!metadata.get(key)) metadata.set(key, decodeEntities(element.getAttribute('content') ?? ''))
    }
  }
  const language = document.documentElement?.getAttribute('lang') ?? ''
  const head = headFacts(metadata, document.querySelector('title')?.textContent ?? '', language)
  const headings = headingsOf(document)
  const siteName = head.siteName ?? nameText(namesIn(objects.map(({ publisher }) => publisher))[0] ?? null)
  const title = withoutSiteName(head.title || headings.own[0] || '', siteName, headings)
  const works = objects.filter((object) => !REPLY.test(typeOf(object)) && !typeOf(object).includes('ImageObject'))
  const pageUrl = canonicalUrlOf(document)
  const names = new Set([title, head.title ?? '', ...headings.main].map(letters).filter(Boolean))
  const isOwn = (object: SchemaOrgObject) =>
    [object.headline, object.name].some((name) => typeof name === 'string' && names.has(letters(name))) ||
    [
      object.url,
      object['@id'],
      object.mainEntityOfPage,
      (object.mainEntityOfPage as SchemaOrgObject | undefined)?.['@id'],
    ].some((url) => typeof url === 'string' && pageUrl !== null && plainUrl(url) === plainUrl(pageUrl))
  const ownWorks = works.filter(isOwn)
  const authorsIn = (objects: SchemaOrgObject[]) =>
    nameText([...new Set(namesIn(objects.find(({ author }) => namesIn(author).length > 0)?.author))].join(', '))
  const published = (objects: SchemaOrgObject[]) => pageDate(firstText(objects, 'datePublished'), language)
  return {
    title,
    author: authorsIn(ownWorks) ?? head.author ?? authorsIn(works) ?? shownAuthor(document),
    siteName,
    pictureUrl: head.pictureUrl,
    createdAt:
      published(ownWorks) ??
      head.createdAt ??
      published(works) ??
      pageDate(firstText(works, 'uploadDate'), language) ??
      markedDate(document, language) ??
      dateInUrl(pageUrl) ??
      dateBeside(document.querySelector('h1'), language),
    description: firstOf(metadata, ['ogdescription', 'description']),
  }
}

interface Headings {
  /** Texts of `h1` that don't link to the home page. */
  main: string[]
  /** Texts of `h1`, then of `h2`, that don't link to the home page. */
  own: string[]
  /** Texts of headings that link to the home page, mostly the site's name. */
  site: string[]
}

function headingsOf(document: PageDocument): Headings {
  const textsOf = (selector: string, isSite: boolean) =>
    [...document.querySelectorAll(selector)]
      .filter(
        (heading) =>
          HOME.test((heading.closest('a') ?? heading.querySelector('a'))?.getAttribute('href') ?? '.') === isSite,
      )
      .map((heading) => factText(heading.textContent ?? '', MAX_TITLE_CHARACTERS))
      .filter(Boolean)
  const main = textsOf('h1', false)
  return { main, own: [...main, ...textsOf('h2', false)], site: textsOf('h1, h2', true) }
}
const HOME = /^(?:https?:\/\/[^/]+)?\/?(?:index\.\w+)?$/

/** Title without the site's name, which is recognised by the page's metadata and headings. */
function withoutSiteName(title: string, siteName: string | null, headings: Headings): string {
  const main = new Set(headings.main.map(letters))
  // A dash is often part of a title, and the text before it may be a section's heading: without an `h1`, only other signs separate.
  const parts = new Set(headings.main.length === 0 ? headings.own.map(letters) : [])
  if (main.has(letters(title))) return title
  const sites = new Set([siteName ?? '', ...headings.site].map(letters).filter(Boolean))
  const cuts = [...title.matchAll(/\s[|–—·•»«/-]+\s/g)]
  for (const { index, 0: separator } of cuts) {
    const [start, end] = [title.slice(0, index).trim(), title.slice(index + separator.length).trim()]
    if (start === '' || end === '') continue
    if (sites.has(letters(end))) return start
    if (siteName && letters(start) === letters(siteName)) return end
    if (main.has(letters(start)) || (/[|»·•]/.test(separator) && parts.has(letters(start)))) return start
  }
  return title
}

const allIn = (place: Pick<PageDocument, 'querySelectorAll'> | null | undefined, selector: string) =>
  [...(place?.querySelectorAll(selector) ?? [])].filter((element) => !isComment(element))

/** Date that the page marks as its own. */
function markedDate(document: PageDocument, language: string): Date | null {
  const heading = document.querySelector('h1')
  const times = allIn(document, 'time[datetime]')
  const marked =
    allIn(document, '[itemprop="datePublished"], time[pubdate]')[0] ??
    allIn(heading?.closest('article') ?? heading?.parentElement, 'time[datetime]')[0] ??
    (times.length === 1 ? times[0] : null)
  const dateText = ['content', 'datetime'].map((name) => marked?.getAttribute(name)).find(Boolean)
  return pageDate(dateText ?? marked?.textContent, language)
}

/** Author that the page marks beside its heading, or the only one that it marks. */
function shownAuthor(document: PageDocument): string | null {
  const heading = document.querySelector('h1')
  const namesAt = (place: Queryable) =>
    candidatesIn(place, '[rel~="author"], [itemprop~="author"]')
      .filter((element) => !isOther(element))
      .map((element) => shortTextOf(element, MAX_NAME_CHARACTERS))
      .filter((name) => name !== null && name !== '')
  const names = new Set(namesAt(document))
  const place = heading?.closest('article') ?? heading?.parentElement?.parentElement
  // All of a page may also mark the authors of other articles.
  const [name] = place?.closest('body > *') ? namesAt(place) : []
  return authorOf(name ?? (names.size === 1 ? [...names][0] : null))
}

type Queryable = Parameters<typeof allIn>[0]

const MAX_CANDIDATES = 100
/** The first elements that a selector finds: a page may nest thousands. */
const candidatesIn = (place: Queryable, selector: string) =>
  [...(place?.querySelectorAll(selector) ?? [])].slice(0, MAX_CANDIDATES).filter((element) => !isComment(element))

const MAX_DATE_LEVELS = 3
const MAX_DATE_LINE = 100
const DATE_PLACES = ['date', 'time', 'publish', 'meta', 'byline'].map((name) => `[class*="${name}" i]`)
/** Parts of names of places for an article's date: "entry-meta", "publishTime". */
const DATE_NAMES = /^(?:(?:pub|post)?date|datetime|time|timestamp|publish(?:ed)?|meta|byline|dateline)$/i
const CHANGED = /modif|updat|aktualisier|actuali/i
/** Places for other articles, for today and for dates of other things. */
const OTHER_PLACES =
  /(?:^|[\s_-])(?:related|latest|recent|more|popular|trending|sidebar|current|today|event|birth|born|valid\p{L}*|version)(?:$|[\s_-])/iu
const DAY_MS = 86_400_000
/** Date in a line: in digits with the year first or last, or with the month's name. */
const DATE_IN_LINE =
  /(?<!\d)(?:(\d{4})(?:[-/年]|\.(?=\d\d\.\d\d))(\d{1,2})[-/.月](\d{1,2})|\d{1,2}[./-]\s?\d{1,2}[./-]\s?\d{4}|\d{1,2}(?:st|nd|rd|th|\.)?(?: de)? \p{L}{3,12}\.?,?(?: de)? \d{4}|\p{L}{3,12}\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4})(?!\d)/u

/** First date that is shown in a line for it near the heading, in its article. */
function dateBeside(heading: PageElement | null, language: string): Date | null {
  let place = heading?.localName === 'article' ? null : (heading?.parentElement ?? null)
  for (let level = 0; level < MAX_DATE_LEVELS && place !== null && place.localName !== 'body'; level++) {
    for (const element of candidatesIn(place, `time, ${DATE_PLACES.join(', ')}`)) {
      if (!isDatePlace(element) || isOther(element, heading)) continue
      const line = shortTextOf(element, MAX_DATE_LINE)
      if (line === null || CHANGED.test(line)) continue
      const [text, year = '', month = '', day] = DATE_IN_LINE.exec(line) ?? []
      const time = text === undefined || /^[\d./\s-]+$/.test(text) ? null : timeOf(text, language)
      const date = day === undefined ? pageDate(time ?? text, language) : dayOf(year, month, day)
      if (date !== null && date.getTime() <= Date.now() + DAY_MS) return date
    }
    place = place.localName === 'article' || place.localName === 'main' ? null : place.parentElement
  }
  return null
}

function isDatePlace(element: PageElement): boolean {
  const names = namesOf(element)
  if (CHANGED.test(names)) return false
  return (
    element.localName === 'time' || names.split(/[\s_-]+|(?<=[a-z])(?=[A-Z])/).some((name) => DATE_NAMES.test(name))
  )
}

/** True for an element of another article or of the page's frame, unless the heading is in it, too. */
function isOther(element: PageElement, heading: PageElement | null = null): boolean {
  for (
    let outer: PageElement | null = element;
    outer !== null && outer.localName !== 'body';
    outer = outer.parentElement
  ) {
    const isFrame = heading !== null && /^(?:header|nav|aside|footer)$/.test(outer.localName)
    if ((isFrame || OTHER_PLACES.test(namesOf(outer))) && !(heading !== null && outer.contains(heading))) return true
  }
  return false
}

export const COMMENT_NAMES =
  /(?:^|[\s_-])(?:comments?|comment-?list|respond|disqus|kommentare?|comentarios?|commentaires?|replies)(?:$|[\s_-])/i
export const namesOf = (element: PageElement) => `${element.getAttribute('class') ?? ''} ${element.id}`

function isComment(element: PageElement): boolean {
  for (let outer = element.parentElement; outer !== null && outer.localName !== 'body'; outer = outer.parentElement)
    if (COMMENT_NAMES.test(namesOf(outer))) return true
  return false
}

const canonicalUrlOf = (document: PageDocument) =>
  document.querySelector('link[rel="canonical"]')?.getAttribute('href') ??
  document.querySelector('meta[property="og:url"]')?.getAttribute('content') ??
  null
/** URL without its protocol and fragment. */
const plainUrl = (pageUrl: string) => pageUrl.replace(/^https?:/, '').replace(/\/?(?:#.*)?$/s, '')

/** Day in the URL of a page, as in "/2014/05/18/". */
function dateInUrl(pageUrl: string | null): Date | null {
  const [, year, month, day] = /\/((?:19|20)\d\d)[/-](\d\d)[/-](\d\d)(?!\d)/.exec(pageUrl ?? '') ?? []
  return year === undefined ? null : dayOf(year, month ?? '', day ?? '')
}

/** True for a forum's thread or a question with its answers, which belong to it. */
export const isDiscussion = (document: PageDocument, objects: SchemaOrgObject[]): boolean =>
  document.querySelector('[itemtype*="schema.org/Question"], [itemtype*="schema.org/DiscussionForumPosting"]') !==
    null || objects.some((object) => /Question|DiscussionForumPosting/.test(typeOf(object)))

/** HTML texts in a page's JSON-LD, which it may only show by a script. */
export function jsonLdTexts(objects: SchemaOrgObject[], isThread: boolean): string[] {
  const works = objects.filter((object) => isThread || !REPLY.test(typeOf(object)))
  const described = works.find((object) => DESCRIBED.test(typeOf(object)))
  const texts = works.flatMap(({ articleBody, recipeIngredient, recipeInstructions, text, ...object }) => [
    ...[articleBody, recipeInstructions, WRITTEN.test(typeOf(object)) ? text : null],
    Array.isArray(recipeIngredient) ? recipeIngredient.map((one) => `<li>${one}</li>`).join('') : recipeIngredient,
  ])
  return [described?.description, ...texts]
    .filter((text) => typeof text === 'string')
    .map((text) => text.replaceAll('\n', '<br>'))
}
/** Types of written works; the empty one is that of an object without a type. */
const WRITTEN = /^$|Article|Posting|HowTo|Question|Answer|Comment|Recipe/
const DESCRIBED = /Product|VideoObject|Recipe|Event|Book|Movie|SoftwareApplication|JobPosting|Course/
