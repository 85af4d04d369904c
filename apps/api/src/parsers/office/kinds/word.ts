import type { DocumentParser } from '../document-parser.ts'
import type { DocumentWriter } from '../document-writer.ts'
import { createTextCollector, readElements } from '../document-xml.ts'
import { type DocumentZip, openDocumentZip } from '../document-zip.ts'
import { attachEmbedded } from './embedded.ts'
import { readMarkup, withOwnPicturesOnly } from './html.ts'
import { MAX_MAIL_BYTES, readWebArchive } from './mail.ts'
import {
  coreFacts,
  isPicture,
  mainPartPath,
  type Relations,
  readDrawings,
  relationsOf,
  writePicture,
} from './open-xml.ts'

/** Elements that aren't part of the text: deletions, field codes, and the fallback of duplicated content. */
const skippedElements = new Set(['w:delText', 'w:instrText', 'mc:Fallback', 'w:del', 'w:moveFrom', 'w:rt'])
/** Separators between the parts of an equation. */
const equationSigns: Record<string, string> = { 'm:den': '/', 'm:sup': '^', 'm:sub': '_' }

/** Reader of Word documents, with headers, footers and notes. */
export const readWord: DocumentParser = async (filename, writer, report) => {
  const zip = await openDocumentZip(filename, writer.markDamaged)
  try {
    report(await coreFacts(zip))
    const main = await mainPartPath(zip, 'word/document.xml')
    const relations = await relationsOf(zip, main)
    const targets = (relationType: string) =>
      [...relations.values()].filter(({ type }) => type === relationType).map(({ target }) => target)
    const levels = await headingLevels(zip, targets('styles')[0] ?? '')
    const body = async (name: string, to = writer) =>
      readBody(zip, name, { levels, pictures: await relationsOf(zip, name) }, to)
    const onEachPage = withoutRepeats(writer)
    for (const name of targets('header')) await body(name, onEachPage)
    await body(main)
    await readDrawings(zip, relations, writer)
    await attachEmbedded(zip, relations, writer)
    for (const name of targets('footer')) await body(name, onEachPage)
    for (const name of ['footnotes', 'endnotes', 'comments'].flatMap(targets)) await body(name)
    for (const name of new Set(targets('aFChunk'))) {
      if (/\.x?html?$/i.test(name)) await readMarkup(zip.pieces(name), 'html', withOwnPicturesOnly(writer))
      else if (/\.mhtm?l?$/i.test(name)) {
        const content = await zip.embedded(name, MAX_MAIL_BYTES)
        if (content !== null) await readWebArchive(content, writer)
      }
    }
  } finally {
    zip.close()
  }
}

/** Writer of headers and footers without repetitions, since first, left and right pages may have the same ones. */
export function withoutRepeats(writer: DocumentWriter): DocumentWriter {
  const seenTexts = new Set<string>()
  const isNew = (text: string) => {
    const before = seenTexts.size
    return seenTexts.add(text).size > before
  }
  return {
    ...writer,
    heading: (level, text) => {
      if (isNew(text)) writer.heading(level, text)
    },
    text: (text) => {
      if (isNew(text)) writer.text(text)
    },
    item: (text) => {
      if (isNew(text)) writer.item(text)
    },
    row: (cells) => {
      if (isNew(cells.join('\t'))) writer.row(cells)
    },
  }
}

/** Heading styles with their levels. */
async function headingLevels(zip: DocumentZip, name: string): Promise<Map<string, number>> {
  const levels = new Map<string, number>()
  let style = ''
  await readElements(zip.pieces(name), 'xml', {
    open: (element, attributes) => {
      const value = attributes['w:val'] ?? ''
      if (element === 'w:style') style = attributes['w:styleId'] ?? ''
      else if (element === 'w:name' && /^title$/i.test(value)) levels.set(style, 1)
      else if (element === 'w:name' && /^heading [1-6]$/i.test(value)) levels.set(style, Number(value.at(-1)))
      else if (element === 'w:outlineLvl' && Number(value) < 6) levels.set(style, Number(value) + 1)
    },
    close: (element) => {
      if (element === 'w:style') style = ''
    },
  })
  levels.delete('')
  return levels
}

/** Paragraph that a box has interrupted and that continues after it; null when there is none. */
type OuterParagraph = { text: string; level: number | undefined; isItem: boolean } | null

/** True for a toggle of Word, unless its value turns it off. */
function isOn(value: string | undefined): boolean {
  return value === undefined || !/^(?:0|false|off)$/.test(value)
}

/** Writes paragraphs and tables; a cell is one text, including nested tables. */
async function readBody(
  zip: DocumentZip,
  name: string,
  { levels, pictures }: { levels: Map<string, number>; pictures: Relations },
  writer: DocumentWriter,
): Promise<void> {
  let level: number | undefined
  let isItem = false
  let skippedDepth = 0
  let isText = false
  let isRunFormat = false
  let isConcealed = false
  const outer: OuterParagraph[] = []
  let tableDepth = 0
  let row: string[] = []
  let cell: string[] = []
  const paragraph = createTextCollector((text) => writer.text(text))
  const endParagraph = () => {
    const text = paragraph.end()
    if (tableDepth > 0) cell.push(text)
    else if (level !== undefined) writer.heading(level, text)
    else if (isItem) writer.item(text)
    else writer.text(text)
  }
  await readElements(zip.pieces(name), 'xml', {
    open: (element, attributes) => {
      if (skippedElements.has(element)) skippedDepth++
      else if (element === 'w:p') {
        // a box with its own text interrupts a paragraph
        outer.push(paragraph.isOpen() ? { text: paragraph.end(), level, isItem } : null)
        paragraph.begin()
        level = undefined
        isItem = false
      } else if (element === 'w:pStyle') level = levels.get(attributes['w:val'] ?? '')
      else if (element === 'w:numPr') isItem = true
      else if (element === 'w:r') isConcealed = false
      else if (element === 'w:rPr') isRunFormat = true
      else if (element === 'w:pPr') isRunFormat = false
      else if (element === 'w:vanish' && isRunFormat) isConcealed = isOn(attributes['w:val'])
      else if (element === 'w:t' || element === 'm:t') isText = skippedDepth === 0 && !isConcealed
      else if (Object.hasOwn(equationSigns, element)) paragraph.add(equationSigns[element] ?? '')
      else if (isPicture(element) && skippedDepth === 0) writePicture(pictures, attributes, writer)
      else if (element === 'w:tab' || element === 'w:ptab') paragraph.add('\t')
      else if (element === 'w:br' || element === 'w:cr') paragraph.add('\n')
      else if (element === 'w:noBreakHyphen') paragraph.add('-')
      else if (element === 'w:tbl') tableDepth++
      else if (element === 'w:tr' && tableDepth === 1) row = []
      else if (element === 'w:tc' && tableDepth === 1) cell = []
    },
    text: (text) => {
      if (isText) paragraph.add(text)
    },
    close: (element) => {
      if (skippedElements.has(element)) skippedDepth--
      else if (element === 'w:t' || element === 'm:t') isText = false
      else if (element === 'w:rPr') isRunFormat = false
      else if (element === 'w:pPr') isConcealed = false
      else if (element === 'w:p') {
        endParagraph()
        const before = outer.pop() ?? null
        if (before !== null) {
          paragraph.begin()
          paragraph.add(before.text)
          level = before.level
          isItem = before.isItem
        }
      } else if (element === 'w:tc' && tableDepth === 1) row.push(cell.filter(Boolean).join('\n'))
      else if (element === 'w:tr' && tableDepth === 1) writer.row(row)
      else if (element === 'w:tbl') tableDepth--
    },
  })
}
