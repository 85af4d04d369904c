import { readFile, stat } from 'node:fs/promises'
import { Readability } from '@mozilla/readability'
import type { PaperKind } from '../paper-kind.ts'
import {
  blocks,
  encodingOfHtml,
  inPieces,
  isUnseen,
  onlyOwnPictures,
  passedOver,
  readHtmlAs,
  readMarkup,
} from './html.ts'
import { authorOf, isDiscussion, pageFacts, statedTexts, thingsOf } from './page-facts.ts'
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
/** Shortest article: when less is found, the page around it says more. */
const MIN_CHARACTERS = 140
/** A text below this length is kept with the comments on it. */
const SHORT_CHARACTERS = 500
/** Least share of the prose around an article that is its own; below, Readability found only a part, or the wrong one. */
const MIN_SHARE = 0.6
/** Lines below this length are labels rather than prose. */
const MIN_PROSE = 40
/** Share of links in a list or box that leads elsewhere. */
const MAX_LINKS = 0.65
/** Share of words by which a text counts as said already. */
const SAID_SHARE = 0.9

/** Reader of a web page's article; the whole page when no article is recognised. */
export function readArticle(charset: string | null): PaperKind {
  return async (filename, writer, report) => {
    const encoding = await encodingOfHtml(filename, charset)
    const page = (await stat(filename)).size > TREE_MAX_BYTES ? null : await find(filename, encoding)
    if (page === null) return readHtmlAs(encoding)(filename, writer, report)
    for (const part of page.parts) await readMarkup(inPieces(part), 'html', onlyOwnPictures(writer))
    report(page.facts)
  }
}

/** HTML of a page's parts for reading, and its facts; null for one too large or too deep. */
async function find(filename: string, encoding: string) {
  const document = parsePage(new TextDecoder(encoding).decode(await readFile(filename)))
  if (document.documentElement === null || document.querySelectorAll('*').length > MAX_ELEMENTS) return null
  try {
    return readDocument(document, document.documentElement)
  } catch {
    // a page that is none, or elements that lie too deep in one another
    return null
  }
}

function readDocument(document: PageDocument, root: PageElement) {
  const things = thingsOf(document)
  const { description, ...facts } = pageFacts(document, things)
  placeStreamed(document)
  const body = bodyOf(document) ?? root
  const whole = body.innerHTML
  const fallbacks = [...body.querySelectorAll('noscript')].map((one) => one.innerHTML)
  const maxNotice = lengthOf(body) / 3
  for (const notice of body.querySelectorAll(NOTICES)) {
    const isMain = /^(?:article|main)$/.test(notice.localName) || notice.querySelector('h1, article, main') !== null
    if (!isMain && lengthOf(notice) < maxNotice) notice.remove()
  }
  const tidied = bodyOf(document.cloneNode(true)) ?? body
  const prose = tidy(tidied, isDiscussion(document, things))
  const article = new Readability(document as unknown as Document).parse()
  const isArticle = (article?.textContent ?? '').trim().length >= MIN_CHARACTERS
  const around = isArticle ? surroundings(article?.content ?? '', tidied, prose) : tidied
  const isEmpty = around !== null && lengthOf(around) < MIN_CHARACTERS
  const content = isEmpty ? whole : (around?.innerHTML ?? article?.content ?? '')

  const parts = [content]
  const words = new Set(wordsOf(content))
  const add = (html: string, put: (part: string) => void) => {
    const distinct = [...new Set(wordsOf(html))]
    if (distinct.filter((word) => words.has(word)).length >= SAID_SHARE * distinct.length) return
    for (const word of distinct) words.add(word)
    put(html)
  }
  const isShort = textIn(content).length < SHORT_CHARACTERS
  const hidden = isShort ? fallbacks.map(unescaped).filter((html) => textIn(html).length >= SHORT_CHARACTERS) : []
  for (const text of [...statedTexts(things).map(unescaped), ...hidden]) add(text, (part) => parts.push(part))
  // mostly the lead of the article, which is above it
  if (description !== null) add(`<p>${description}</p>`, (part) => parts.unshift(part))
  return { parts, facts: { ...facts, author: facts.author ?? authorOf(article?.byline) } }
}

/** The body with the text: linkedom adds an empty one where text is in front of `<html>`. */
const bodyOf = (document: PageDocument) =>
  [...document.querySelectorAll('body')].sort((a, b) => lengthOf(b) - lengthOf(a))[0] ?? document.documentElement
const textIn = (html: string) => textOf(parsePage(`<html><body>${html}</body></html>`).documentElement)
/** Markup that was escaped as if it were text. */
const unescaped = (html: string) => (/&lt;\w/.test(html) ? textIn(html) : html)
const lengthOf = (node: PageNode) => textOf(node).length
/** Words of HTML, apart at each element's border. */
const wordsOf = (html: string) =>
  textIn(html.replaceAll('<', ' <'))
    .toLowerCase()
    .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []

/** React sends what it waited for at the end of a page, hidden, and a script puts it where it belongs. */
function placeStreamed(document: PageDocument): void {
  for (const hidden of document.querySelectorAll('[hidden][id^="S:"]')) {
    const key = hidden.id.slice('S:'.length)
    const place = document.getElementById(`B:${key}`) ?? document.getElementById(`P:${key}`)
    if (place === null || hidden.contains(place)) hidden.removeAttribute('hidden')
    else place.replaceWith(...hidden.childNodes)
  }
}

/** Banners and dialogs above a page, which short pages would otherwise be taken for. */
const NOTICES = ['cookie', 'consent', 'gdpr']
  .flatMap((word) => [`[id*="${word}" i]`, `[class*="${word}" i]`])
  .concat('[role="dialog"]', '[role="alertdialog"]', 'dialog')
  .join(', ')
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
/** Names of boxes that lead elsewhere. */
const ELSEWHERE =
  /(?:^|[\s_-])(?:nav|navbar|navigation|menu|breadcrumbs?|side-?bar|footer|shar(?:e|ing)|social|related|recommend(?:ed|ations?)|newsletter|promo|ads?|advert|login|popup|modal|widget|teaser|tags?|pagination|pager|skip)(?:$|[\s_-])/i
const COMMENTS =
  /(?:^|[\s_-])(?:comments?|comment-?list|respond|disqus|kommentare?|comentarios?|commentaires?|replies)(?:$|[\s_-])/i

/** Contents of an element; the main part has the heading. */
interface Contents {
  characters: number
  links: number
  isMain: boolean
}

/**
 * Removes from a page what isn't its content: navigation, lists of links, and comments unless they are all of it.
 * @returns characters of prose in each element.
 */
function tidy(body: PageElement, isDiscussion: boolean): Map<PageElement, number> {
  const total = lengthOf(body)
  const proseByElement = new Map<PageElement, number>()
  const comments: { element: PageElement; place: PageNode; prose: number }[] = []
  let prose = 0
  let line = 0
  const endLine = () => {
    if (line >= MIN_PROSE) prose += line
    line = 0
  }
  const visit = (element: PageElement, isLink: boolean) => {
    const before = prose
    const sum = { characters: 0, links: 0, isMain: element.localName === 'h1' }
    for (const child of [...element.childNodes]) {
      if (child.nodeType === TEXT_NODE) {
        const length = lengthOf(child)
        sum.characters += length
        if (isLink) sum.links += length
        else line += length
      } else if (child.nodeType === ELEMENT_NODE) visitElement(child as PageElement, isLink, sum)
    }
    if (blocks.has(element.localName)) endLine()
    proseByElement.set(element, prose - before)
    return sum
  }
  const visitElement = (element: PageElement, isLink: boolean, sum: Contents) => {
    const { localName: name } = element
    const attributes = Object.fromEntries([...element.attributes].map((one) => [one.name, one.value]))
    if (passedOver.has(name) || isUnseen(name, attributes) || ROLES.test(attributes.role ?? '')) {
      element.remove()
      return
    }
    if (blocks.has(name)) endLine()
    const before = { prose, line }
    const own = visit(element, isLink || name === 'a')
    const names = `${attributes.class ?? ''} ${attributes.id ?? ''}`
    const share = own.characters / total
    const isBox = BOXES.has(name) && !own.isMain
    if (isBox && !isDiscussion && COMMENTS.test(names)) {
      const place = element.ownerDocument.createComment('')
      comments.push({ element, place, prose: prose - before.prose })
      element.replaceWith(place)
    } else if (
      isBox &&
      ((share < 0.5 && OUTER.has(name) && !element.closest('article, main')) ||
        (share < 0.3 && ELSEWHERE.test(names)) ||
        (share < 0.5 && name !== 'p' && name !== 'span' && name !== 'li' && own.links > MAX_LINKS * own.characters))
    )
      element.remove()
    else {
      sum.characters += own.characters
      sum.links += own.links
      sum.isMain ||= own.isMain
      return
    }
    ;({ prose, line } = before)
  }
  visit(body, false)
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
function surroundings(
  content: string,
  tidied: PageElement,
  proseByElement: Map<PageElement, number>,
): PageElement | null {
  const page = parsePage(`<html><body>${content}</body></html>`)
  const body = page.querySelector('body')
  if (body === null) return null
  const sample = longestText(body)
  const prose = tidy(body, true).get(body) ?? 0
  const inner = [...tidied.querySelectorAll('article, main, [role="main"]')].findLast(
    (element) =>
      (element.localName !== 'article' ||
        element.querySelector('h1') !== null ||
        tidied.querySelectorAll('article').length === 1) &&
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
