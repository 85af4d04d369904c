import { readFile, stat } from 'node:fs/promises'
import { Readability } from '@mozilla/readability'
import { parseHTML } from 'linkedom'
import { dateOf, type PaperKind } from '../paper-kind.ts'
import { encodingOfHtml, onlyOwnPictures, readHtmlAs, readMarkup } from './html.ts'

/** A larger page is read as a stream: its tree would take too much memory. */
const TREE_MAX_BYTES = 3 * 1024 * 1024
const MAX_ELEMENTS = 60_000
/** Shortest article: when less is found, the whole page says more. */
const MIN_CHARACTERS = 140

/** Reader of a web page's article; the whole page when no article is recognised. */
export function readArticle(charset: string | null): PaperKind {
  return async (filename, writer, report) => {
    const encoding = await encodingOfHtml(filename, charset)
    const article = (await stat(filename)).size > TREE_MAX_BYTES ? null : await find(filename, encoding)
    if (article === null) return readHtmlAs(encoding)(filename, writer, report)
    const { content, title, byline, siteName, publishedTime, pictureUrl } = article
    await readMarkup(inPieces(content), 'html', onlyOwnPictures(writer))
    report({ title, author: byline, siteName, pictureUrl, createdAt: dateOf(publishedTime) })
  }
}

/** Readability's article of the page; null when it finds none. */
async function find(filename: string, encoding: string) {
  const { document } = parseHTML(new TextDecoder(encoding).decode(await readFile(filename)))
  if (document.documentElement === null) return null
  const named = document.querySelector('meta[property="og:image"], meta[name="og:image"], meta[name="twitter:image"]')
  let article: ReturnType<Readability['parse']>
  try {
    article = new Readability(document as unknown as Document, { maxElemsToParse: MAX_ELEMENTS }).parse()
  } catch {
    // too many elements, or a page that is none
    return null
  }
  const { content, textContent } = article ?? {}
  if (article === null || !content || (textContent ?? '').trim().length < MIN_CHARACTERS) return null
  return { ...article, content, pictureUrl: named?.getAttribute('content') || null }
}

async function* inPieces(text: string): AsyncGenerator<string> {
  yield text
}
