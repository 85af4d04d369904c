import { readFile, stat } from 'node:fs/promises'
import { runInNewContext } from 'node:vm'
import { Readability } from '@mozilla/readability'
import { encodingOfHtml } from '../../markup-encoding.ts'
import type { DocumentParser } from '../document-parser.ts'
import { authorOf } from './byline.ts'
import {
  blockElements,
  inPieces,
  isInvisible,
  placeKey,
  readHtmlAs,
  readMarkup,
  skippedElements,
  streamedKey,
  withOwnPicturesOnly,
} from './html.ts'
import {
  COMMENT_NAMES,
  escapeHtml,
  isDiscussion,
  jsonLdTexts,
  MAX_TITLE_CHARACTERS,
  namesOf,
  pageFacts,
  schemaOrgObjectsOf,
} from './page-facts.ts'
import {
  ELEMENT_NODE,
  type PageDocument,
  type PageElement,
  type PageNode,
  parsePage,
  TEXT_NODE,
  textOf,
} from './page-tree.ts'

/** A larger page is read as a stream: its tree would take too much memory. */
const TREE_MAX_BYTES = 3 * 1024 * 1024
const MAX_ELEMENTS = 30_000
/** Time limit for finding the article. It leaves enough of the document's time for reading the whole page. */
const BUDGET_MS = 20_000
/** Minimum length of an article: when less is found, the page around it says more. */
const MIN_CHARACTERS = 140
/** A text below this length is kept with the comments on it. */
const SHORT_CHARACTERS = 500
/** Minimum share of an article in the prose around it; below that, Readability found only a part, or the wrong one. */
const MIN_SHARE = 0.6
/** Lines below this length are labels rather than prose. */
const MIN_PROSE = 40
/** Share of links above which a list or box isn't content. */
const MAX_LINKS = 0.65
/** Share of already read words from which a text counts as a repetition. */
const REPEATED_SHARE = 0.9

/** Reader of a web page's article; the whole page when no article is recognised. */
export function readArticle(charset: string | null, budgetMs = BUDGET_MS): DocumentParser {
  return async (filename, writer, report) => {
    const encoding = await encodingOfHtml(filename, charset)
    const page = (await stat(filename)).size > TREE_MAX_BYTES ? null : await findArticle(filename, encoding, budgetMs)
    if (page === null) return readHtmlAs(encoding)(filename, writer, report)
    for (const part of page.parts) await readMarkup(inPieces(part), 'html', withOwnPicturesOnly(writer))
    report(page.facts)
  }
}

/** HTML of a page's parts for reading, and its facts; null when the page is too large, nested too deeply or too slow to read. */
async function findArticle(filename: string, encoding: string, budgetMs: number) {
  const html = new TextDecoder(encoding).decode(await readFile(filename))
  const read = () => {
    const document = parsePage(html)
    if (document.documentElement === null || document.querySelectorAll('*').length > MAX_ELEMENTS) return null
    return readDocument(document, document.documentElement)
  }
  try {
    // Only code in a separate context can be stopped by a timeout.
    return runInNewContext('read()', { read }, { timeout: budgetMs }) as ReturnType<typeof read>
  } catch {
    // It isn't a page, its elements are nested too deeply, or the time is up.
    return null
  }
}

function readDocument(document: PageDocument, root: PageElement) {
  const schemaOrgObjects = schemaOrgObjectsOf(document)
  const isThread = isDiscussion(document, schemaOrgObjects)
  const { description, ...facts } = pageFacts(document, schemaOrgObjects)
  placeStreamed(document)
  const body = bodyOf(document) ?? root
  const fullHtml = body.innerHTML
  const fallbacks = [...body.querySelectorAll('noscript')].map((one) => one.innerHTML)
  const maxNotice = lengthOf(body) / 3
  for (const notice of body.querySelectorAll(NOTICES)) {
    // a notice inside another one was removed with it
    if (body.contains(notice) && isNotice(notice) && lengthOf(notice) < maxNotice) notice.remove()
  }
  const tidied = bodyOf(document.cloneNode(true)) ?? body
  const prose = tidy(tidied, isThread)
  // Readability compares the title with every heading, so an overlong one is removed.
  const title = document.querySelector('title')
  if (title !== null && lengthOf(title) > MAX_TITLE_CHARACTERS) title.remove()
  const article = new Readability(document as unknown as Document).parse()
  const isArticle = (article?.textContent ?? '').trim().length >= MIN_CHARACTERS
  const around = isArticle ? largerContainer(article?.content ?? '', tidied, prose) : tidied
  const isEmpty = around !== null && lengthOf(around) < MIN_CHARACTERS
  const content = isEmpty ? fullHtml : (around?.innerHTML ?? article?.content ?? '')

  const parts = [content]
  // On a page without text, the words in its scripts don't count as read.
  const words = new Set(wordsOf(isEmpty ? tidied.innerHTML : content))
  const add = (html: string, put: (part: string) => void) => {
    const distinct = [...new Set(wordsOf(html))]
    if (distinct.filter((word) => words.has(word)).length >= REPEATED_SHARE * distinct.length) return
    for (const word of distinct) words.add(word)
    put(html)
  }
  const isShort = textIn(content).length < SHORT_CHARACTERS
  const hidden = isShort ? fallbacks.map(unescapeMarkup).filter((html) => textIn(html).length >= SHORT_CHARACTERS) : []
  for (const text of [...jsonLdTexts(schemaOrgObjects, isThread).map(unescapeMarkup), ...hidden])
    add(text, (part) => parts.push(part))
  // The description is mostly the article's lead, so it comes first.
  if (description !== null) add(`<p>${escapeHtml(description)}</p>`, (part) => parts.unshift(part))
  return { parts, facts: { ...facts, author: facts.author ?? authorOf(article?.byline) } }
}

/** The body with the text: linkedom adds an empty one where text is in front of `<html>`. */
const bodyOf = (document: PageDocument) =>
  [...document.querySelectorAll('body')].sort((a, b) => lengthOf(b) - lengthOf(a))[0] ?? document.documentElement
const textIn = (html: string) => textOf(parsePage(`<html><body>${html}</body></html>`).documentElement)
/** Unescapes markup that was escaped as if it were text. */
const unescapeMarkup = (html: string) => (/&lt;\w/.test(html) ? textIn(html) : html)
const lengthOf = (node: PageNode) => textOf(node).length
/** Words of HTML, separated at the borders of elements. */
const wordsOf = (html: string) =>
  textIn(html.replaceAll('<', ' <'))
    .toLowerCase()
    .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []

/** Moves content that React streamed, hidden at the end of the page, to its place, as a script would. */
function placeStreamed(document: PageDocument): void {
  const places = new Map<string, PageElement>()
  for (const template of document.querySelectorAll('template[id]')) {
    const key = placeKey(template.id)
    if (key !== null) places.set(key, template)
  }
  for (const hidden of document.querySelectorAll('[hidden][id^="S:"]')) {
    const key = streamedKey(hidden.id) ?? ''
    const place = places.get(key)
    places.delete(key)
    if (place !== undefined && !hidden.contains(place)) place.replaceWith(...hidden.childNodes)
  }
}

const DIALOGS = '[role="dialog"], [role="alertdialog"], dialog'
/** Banners and dialogs above a page, which would otherwise be taken for the content of short pages. */
const NOTICES = ['cookie', 'consent', 'gdpr']
  .flatMap((word) => [`[id*="${word}" i]`, `[class*="${word}" i]`])
  .concat(DIALOGS)
  .join(', ')
const NOTICE_TOPIC = /cookie|consent|gdpr/i
const NOTICE_KIND =
  /banner|notice|cookie-?consent|law|dialog|pop-?up|modal|overlay|disclaimer|message|bar(?![a-z])|sdk/i
/** Classes of a post's tags and categories. */
const POST_CLASS = /^(?:tag|category|post)[_-]/i
/** Minimum number of paragraphs of a dialog that is the page's content. */
const MIN_PARAGRAPHS = 3

/** True for a banner or dialog that isn't content, unlike an element with a main heading or one about "cookie-recipes". */
function isNotice(element: PageElement): boolean {
  if (/^(?:article|main)$/.test(element.localName) || element.querySelector('h1, article, main') !== null) return false
  const names = namesOf(element).split(/\s+/)
  if (names.some((name) => NOTICE_TOPIC.test(name) && NOTICE_KIND.test(name) && !POST_CLASS.test(name))) return true
  const paragraphs = [...element.querySelectorAll('p')].filter((one) => lengthOf(one) >= MIN_PROSE)
  const isShort = paragraphs.length < MIN_PARAGRAPHS
  if (element.matches(DIALOGS)) return isShort || NOTICE_TOPIC.test(textOf(element))
  return isShort && element.querySelector('h2') === null && names.some((name) => /^(?:cookies?|gdpr)$/i.test(name))
}

const ROLES = /^(?:navigation|banner|contentinfo|complementary|search)$/
const OUTER = new Set(['header', 'footer', 'aside'])
const BOXES = new Set([
  'div',
  'section',
  'ul',
  'ol',
  'dl',
  'table',
  'aside',
  'header',
  'footer',
  'p',
  'span',
  'li',
  'article',
])
/** Names of boxes that aren't content, such as navigation. */
const NON_CONTENT =
  /(?:^|[\s_-])(?:nav|navbar|navigation|menu|breadcrumbs?|side-?bar|footer|shar(?:e|ing)|social|related|recommend(?:ed|ations?)|newsletter|promo|ads?|advert|login|popup|modal|widget|teaser|tags?|pagination|pager|skip)(?:$|[\s_-])/i

/** Kinds of elements around a node. */
interface Ancestors {
  isLink: boolean
  isArticle: boolean
  isComment: boolean
}

/** Contents of an element; the main part has the heading. */
interface Contents {
  characters: number
  links: number
  isMain: boolean
}

/**
 * Removes what isn't content from a page: navigation, lists of links, and comments unless there's hardly anything else.
 * @returns characters of prose in each element.
 */
function tidy(body: PageElement, isThread: boolean): Map<PageElement, number> {
  const total = lengthOf(body)
  const proseByElement = new Map<PageElement, number>()
  const comments: { element: PageElement; place: PageNode; prose: number }[] = []
  let prose = 0
  let line = 0
  const endLine = () => {
    if (line >= MIN_PROSE) prose += line
    line = 0
  }
  const visit = (element: PageElement, ancestors: Ancestors) => {
    const before = prose
    const sum = { characters: 0, links: 0, isMain: element.localName === 'h1' }
    for (const child of [...element.childNodes]) {
      if (child.nodeType === TEXT_NODE) {
        const length = lengthOf(child)
        sum.characters += length
        if (ancestors.isLink) sum.links += length
        else line += length
      } else if (child.nodeType === ELEMENT_NODE) visitElement(child as PageElement, ancestors, sum)
    }
    if (blockElements.has(element.localName)) endLine()
    proseByElement.set(element, prose - before)
    return sum
  }
  const visitElement = (element: PageElement, around: Ancestors, sum: Contents) => {
    const { localName: name } = element
    const attributes = Object.fromEntries([...element.attributes].map((one) => [one.name, one.value]))
    if (skippedElements.has(name) || isInvisible(name, attributes) || ROLES.test(attributes.role ?? '')) {
      element.remove()
      return
    }
    if (blockElements.has(name)) endLine()
    const before = { prose, line }
    const names = namesOf(element)
    const isComment = !isThread && BOXES.has(name) && COMMENT_NAMES.test(names)
    const contents = visit(element, {
      isLink: around.isLink || name === 'a',
      isArticle: around.isArticle || name === 'article' || name === 'main',
      isComment: around.isComment || isComment,
    })
    const share = contents.characters / total
    const isBox = BOXES.has(name) && !contents.isMain
    // comments in comments are set aside with them
    if (isBox && isComment && !around.isComment) {
      const place = element.ownerDocument.createComment('')
      comments.push({ element, place, prose: prose - before.prose })
      element.replaceWith(place)
    } else if (
      isBox &&
      ((share < 0.5 && OUTER.has(name) && !around.isArticle) ||
        (share < 0.3 && NON_CONTENT.test(names)) ||
        (share < 0.5 &&
          name !== 'p' &&
          name !== 'span' &&
          name !== 'li' &&
          contents.links > MAX_LINKS * contents.characters))
    )
      element.remove()
    else {
      sum.characters += contents.characters
      sum.links += contents.links
      sum.isMain ||= contents.isMain
      return
    }
    ;({ prose, line } = before)
  }
  visit(body, { isLink: false, isArticle: false, isComment: false })
  if (prose < SHORT_CHARACTERS) {
    for (const { element, place, prose } of comments) {
      place.replaceWith(element)
      for (let outer = element.parentElement; outer !== null; outer = outer.parentElement)
        proseByElement.set(outer, (proseByElement.get(outer) ?? 0) + prose)
    }
  }
  return proseByElement
}

/** Part of the page around an article that has much more prose than it; null when the article is most of it. */
function largerContainer(
  content: string,
  tidied: PageElement,
  proseByElement: Map<PageElement, number>,
): PageElement | null {
  const page = parsePage(`<html><body>${content}</body></html>`)
  const body = page.querySelector('body')
  if (body === null) return null
  const sample = longestText(body)
  const prose = tidy(body, true).get(body) ?? 0
  const articles = tidied.querySelectorAll('article').length
  const inner = [...tidied.querySelectorAll('article, main, [role="main"]')].findLast(
    (element) =>
      (element.localName !== 'article' || articles === 1 || element.querySelector('h1') !== null) &&
      element.textContent?.includes(sample),
  )
  const around = inner ?? tidied
  return prose < MIN_SHARE * (proseByElement.get(around) ?? 0) ? around : null
}

function longestText(node: PageNode): string {
  let longest = ''
  for (const child of node.childNodes) {
    const text = child.nodeType === TEXT_NODE ? (child.nodeValue ?? '') : longestText(child)
    if (text.length > longest.length) longest = text
  }
  return longest
}
