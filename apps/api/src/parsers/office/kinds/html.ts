import { createReadStream } from 'node:fs'
import { appendUncut, cutText } from '@mira/shared/constants/cut-text'
import { encodingOfHtml } from '../../markup-encoding.ts'
import type { DocumentMetadata, DocumentParser } from '../document-parser.ts'
import type { DocumentWriter } from '../document-writer.ts'
import { createTextCollector, readElements } from '../document-xml.ts'
import { headFacts, MAX_TITLE_CHARACTERS, metadataKey } from './page-facts.ts'

/** Elements that aren't for reading; none of their content is run or shown. */
export const skippedElements: ReadonlySet<string> = new Set([
  ...[
    'script',
    'style',
    'noscript',
    'template',
    'svg',
    'annotation',
    'annotation-xml',
    'rt',
    'rp',
    'iframe',
    'object',
    'embed',
    'canvas',
    'audio',
    'video',
  ],
  ...['select', 'button', 'textarea', 'datalist', 'nav', 'en-crypt'],
])
/** Elements that describe a drawing. */
const drawingDescriptions = new Set(['title', 'desc', 'metadata'])
/** Block elements. */
export const blockElements: ReadonlySet<string> = new Set([
  ...['p', 'div', 'section', 'article', 'main', 'header', 'footer', 'aside', 'address', 'blockquote', 'pre', 'figure'],
  ...['figcaption', 'ul', 'ol', 'li', 'dl', 'dt', 'dd', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'hr', 'form', 'fieldset'],
  ...[
    'table',
    'caption',
    'body',
    'details',
    'summary',
    'td',
    'th',
    'center',
    'legend',
    'menu',
    'dir',
    'hgroup',
    'dialog',
  ],
])
/** Checkbox of a note's list item. */
export const checkbox = (isChecked: boolean) => (isChecked ? '☑ ' : '☐ ')
/** Evernote's style of a list item with a checkbox. */
const CHECKED_ITEM = /--en-checked\s*:\s*(true|false)/i
/** Styles of invisible text, as in prompt injections and mail previews, and of Evernote's fallback for tasks in old programs. */
const UNSEEN =
  /(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all|--en-task-group\s*:\s*true)/i
export const isInvisible = (name: string, { hidden, style = '' }: Record<string, string>) =>
  name !== 'body' && name !== 'html' && (hidden !== undefined || UNSEEN.test(style))
/** Key of hidden content that React streams and a script moves to the template with the same key; null for other ids. */
export const streamedKey = (id = '') => /^S:([\da-f]+)$/.exec(id)?.[1] ?? null
/** Key of a template that marks the place of streamed content; null for other ids. */
export const placeKey = (id = '') => /^[BP]:([\da-f]+)$/.exec(id)?.[1] ?? null
const PIECE_CHARACTERS = 64 * 1024

/** A saved web page: its text, without scripts or anything that would have to be loaded. */
export const readHtml: DocumentParser = async (filename, writer, report) =>
  readHtmlAs(await encodingOfHtml(filename))(filename, writer, report)

/** Reader of a whole page in an encoding. */
export function readHtmlAs(encoding: string): DocumentParser {
  return async (filename, writer, report) =>
    report(await readMarkup(createReadStream(filename), 'html', withOwnPicturesOnly(writer), encoding))
}

/** Writer that drops linked pictures: a page comes without other files. */
export function withOwnPicturesOnly(writer: DocumentWriter): DocumentWriter {
  return {
    ...writer,
    picture: (source) => {
      if (typeof source !== 'string') writer.picture(source)
    },
  }
}

/** Writes the text of HTML and returns the metadata of its head. */
export async function readMarkup(
  pieces: AsyncIterable<Uint8Array | string>,
  kind: 'html' | 'xhtml',
  writer: DocumentWriter,
  encoding?: string,
): Promise<DocumentMetadata> {
  let title = ''
  let isTitle = false
  const metadata = new Map<string, string>()
  let language = ''
  /** Keys of the places for content that React streams later. */
  const places = new Set<string | null>()
  let skippedDepth = 0
  /** Depth inside an invisible element; 0 outside. */
  let invisibleDepth = 0
  /** Depth inside a drawing, whose text is only read in books. */
  let drawingDepth = 0
  const isSkipped = (name: string) => skippedElements.has(name) || (drawingDepth > 0 && drawingDescriptions.has(name))
  let isDrawnText = false
  /** Vertical position of the last drawn text, '' when only an element around it states one; null before the first. */
  let drawnY: string | null = null
  let level = 0
  let isItem = false
  /** Checkbox of a list item, until its first text. */
  let pendingCheckbox = ''
  let preDepth = 0
  let tables = 0
  let row: string[] | null = null
  const line = createTextCollector((text) => writer.text(text))
  line.begin()

  const endLine = () => {
    const text = line.end()
    line.begin()
    if (text.trim() === '') return
    const plain =
      preDepth > 0
        ? text
        : pendingCheckbox +
          text
            .replaceAll(/[^\S\n]+/g, ' ')
            .replaceAll(/ ?\n ?/g, '\n')
            .trimStart()
    pendingCheckbox = ''
    if (row !== null) row[row.length - 1] = [row.at(-1), plain.trim()].filter(Boolean).join(' ')
    else if (level > 0) writer.heading(level, plain)
    else if (isItem) writer.item(plain)
    else writer.text(plain)
    isItem = false
  }

  await readElements(
    pieces,
    kind,
    {
      open: (rawName, attributes) => {
        const name = plainName(rawName)
        if (invisibleDepth > 0) {
          invisibleDepth++
          return
        }
        const { hidden: _, ...shown } = attributes
        const key = streamedKey(attributes.id)
        if (isInvisible(name, key !== null && places.has(key) ? shown : attributes)) {
          invisibleDepth = 1
          return
        }
        if (name === 'template') places.add(placeKey(attributes.id))
        if (name === 'html') language = attributes.lang ?? ''
        if (isSkipped(name)) skippedDepth++
        if (name === 'svg') drawingDepth++
        if (drawingDepth > 0 && skippedDepth === drawingDepth) {
          if (name === 'image') notePicture(attributes.href ?? attributes['xlink:href'] ?? '', writer)
          if (name === 'text' && kind === 'xhtml') {
            if (drawnY === null) endLine()
            else line.add(attributes.y === drawnY ? ' ' : '\n')
            isDrawnText = true
            drawnY = attributes.y ?? ''
          } else if (isDrawnText) {
            const { x, y = drawnY, dy = '' } = attributes
            // Text without its own x is only raised or lowered, as in "H₂O".
            if (y !== drawnY || (x !== undefined && Number.parseFloat(dy))) line.add('\n')
            drawnY = y
          }
        }
        if (name === 'title' && skippedDepth === 0) isTitle = true
        if (name === 'meta')
          metadata.set(metadataKey(attributes.property ?? attributes.name ?? ''), attributes.content ?? '')
        if (skippedDepth > 0) return
        if (name === 'br') line.add('\n')
        if (name === 'en-todo') line.add(checkbox(attributes.checked === 'true'))
        if (name === 'img' || name === 'image') {
          const { alt = '' } = attributes
          // texts of neighbouring pictures are separate words; emoji belong to the text around them
          line.add(/\p{L}/u.test(alt) ? ` ${alt} ` : alt)
          notePicture(attributes.src ?? attributes['xlink:href'] ?? '', writer)
        }
        if (name === 'tr' && tables === 1) {
          endLine()
          row = []
        }
        if (!blockElements.has(name)) return
        endLine()
        if (name === 'table') tables++
        else if (name === 'pre') preDepth++
        else if (name === 'li') {
          isItem = true
          const [, checked] = CHECKED_ITEM.exec(attributes.style ?? '') ?? []
          pendingCheckbox = checked === undefined ? '' : checkbox(checked === 'true')
        } else if (/^h[1-6]$/.test(name)) level = Number(name[1])
        else if ((name === 'td' || name === 'th') && tables === 1) row?.push('')
      },
      text: (text) => {
        if (isTitle) title = appendUncut(title, text, MAX_TITLE_CHARACTERS)
        else if ((skippedDepth === 0 || (isDrawnText && skippedDepth === drawingDepth)) && invisibleDepth === 0)
          line.add(preDepth > 0 ? text : text.replaceAll(/\s+/g, ' '))
      },
      close: (rawName) => {
        const name = plainName(rawName)
        if (invisibleDepth > 0) {
          invisibleDepth--
          return
        }
        if (name === 'text') isDrawnText = false
        if (name === 'svg') {
          drawingDepth--
          if (drawnY !== null) endLine()
          drawnY = null
        }
        if (isSkipped(name)) skippedDepth--
        if (name === 'title') isTitle = false
        if (skippedDepth > 0) return
        if (blockElements.has(name)) endLine()
        if (name === 'li') {
          isItem = false
          pendingCheckbox = ''
        }
        if (/^h[1-6]$/.test(name)) level = 0
        else if (name === 'pre') preDepth--
        else if (name === 'tr' && row !== null && tables === 1) {
          endLine()
          const cells = row
          row = null
          writer.row(cells)
        } else if (name === 'table') tables--
      },
    },
    encoding,
  )
  endLine()
  return headFacts(metadata, cutText(title, MAX_TITLE_CHARACTERS), language)
}

export async function* inPieces(text: string): AsyncGenerator<string> {
  for (let start = 0; start < text.length; start += PIECE_CHARACTERS) yield text.slice(start, start + PIECE_CHARACTERS)
}

/** Name of an element without the prefix that books may give to HTML and SVG. */
const plainName = (name: string) => name.replace(/^(?:x?html|h|svg):/, '')

/** Records a picture that is embedded in the page, or in the same book; nothing is fetched. */
function notePicture(source: string, writer: DocumentWriter): void {
  const encoded = /^data:image\/(?:png|jpe?g|gif|bmp|webp|tiff|avif);base64,/i.exec(source)?.[0]
  if (encoded !== undefined) writer.picture(Buffer.from(source.slice(encoded.length), 'base64'))
  else if (source !== '' && !/^data:/i.test(source)) writer.picture(source)
}
