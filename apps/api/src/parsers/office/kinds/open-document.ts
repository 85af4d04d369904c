import { type DocumentParser, dateOf } from '../document-parser.ts'
import { DocumentError } from '../document-types.ts'
import type { DocumentWriter } from '../document-writer.ts'
import { type Attributes, createTextCollector, readElements } from '../document-xml.ts'
import { type DocumentZip, openDocumentZip } from '../document-zip.ts'
import { localName, textsOf } from './open-xml.ts'

/** Elements that aren't part of the text: deletions, comments, and fields such as page numbers. */
const skippedElements = new Set([
  ...[
    'text:tracked-changes',
    'text:hidden-text',
    'text:ruby-text',
    'text:page-number',
    'text:note-citation',
    'presentation:footer',
    'table:tracked-changes',
  ],
  ...['office:forms', 'office:styles', 'office:automatic-styles', 'presentation:date-time'],
])
/** An empty row or cell may be repeated to the end of the sheet. */
const MAX_REPEATED = 256

/** Reader of OpenDocument texts, spreadsheets and presentations; each table cell of a text document becomes one text. */
export function readOpenDocument(format: 'odt' | 'ods' | 'odp'): DocumentParser {
  return async (filename, writer, report) => {
    const zip = await openDocumentZip(filename, writer.markDamaged)
    try {
      // LibreOffice encrypts either each file or all of them as one
      if (await isEncrypted(zip)) throw new DocumentError('encrypted_document', 'its files are encrypted')
      if (!zip.has('content.xml')) throw new DocumentError('damaged_document', 'it has no content.xml')
      const metadata = await textsOf(zip.pieces('meta.xml'), [
        'title',
        'initial-creator',
        'creator',
        'creation-date',
        'date',
      ])
      report({
        title: metadata.title ?? null,
        author: metadata['initial-creator'] ?? metadata.creator ?? null,
        createdAt: dateOf(metadata['creation-date'] ?? metadata.date),
      })
      const { heads, feet } = format === 'odt' ? await headersAndFooters(zip) : { heads: [], feet: [] }
      for (const text of heads) writer.text(text)
      await readContent(zip, format, writer)
      for (const text of feet) writer.text(text)
    } finally {
      zip.close()
    }
  }
}

/** Headers and footers of a text, each once, however many page styles have them. */
async function headersAndFooters(zip: DocumentZip): Promise<{ heads: Set<string>; feet: Set<string> }> {
  const [heads, feet] = [new Set<string>(), new Set<string>()]
  let target: Set<string> | null = null
  let hiddenDepth = 0
  const paragraph = createTextCollector((text) => target?.add(text))
  await readElements(zip.pieces('styles.xml'), 'xml', {
    open: (element) => {
      if (skippedElements.has(element)) hiddenDepth++
      else if (/^style:header(?:-left|-first)?$/.test(element)) target = heads
      else if (/^style:footer(?:-left|-first)?$/.test(element)) target = feet
      else if (target !== null && (element === 'text:p' || element === 'text:h')) paragraph.begin()
      else if (element === 'text:tab' || element === 'text:s') paragraph.add(' ')
      else if (element === 'text:line-break') paragraph.add('\n')
    },
    text: (text) => {
      if (hiddenDepth === 0) paragraph.add(text.replaceAll(/\s+/g, ' '))
    },
    close: (element) => {
      if (skippedElements.has(element)) hiddenDepth--
      else if (/^style:(?:header|footer)(?:-left|-first)?$/.test(element)) target = null
      else if (element === 'text:p' || element === 'text:h') target?.add(paragraph.end())
    },
  })
  return { heads, feet }
}

async function isEncrypted(zip: DocumentZip): Promise<boolean> {
  let isFound = false
  await readElements(zip.pieces('META-INF/manifest.xml'), 'xml', {
    open: (element) => {
      if (element === 'manifest:encryption-data') isFound = true
    },
  })
  return isFound
}

async function readContent(zip: DocumentZip, format: 'odt' | 'ods' | 'odp', writer: DocumentWriter): Promise<void> {
  let hiddenDepth = 0
  let level = 0
  const interrupted: { text: string; level: number }[] = []
  const hiddenStyles = new Set<string>()
  const spans: boolean[] = []
  let style = ''
  let comments: string[] = []
  let isComment = false
  const objects: string[] = []
  let lists = 0
  let tables = 0
  /** True in boxes on a sheet, outside its cells. */
  let isOnSheet = false
  let placeholder = ''
  let row: string[] = []
  let rowRepeats = 1
  let cell: string[] = []
  let cellRepeats = 1
  let value = ''
  const paragraph = createTextCollector((text) => writer.text(text))
  const comment = createTextCollector((text) => comments.push(text))
  /** Writes the comments of a page after it. */
  const endPage = () => {
    for (const text of comments) writer.text(text)
    comments = []
  }

  const endParagraph = () => {
    const text = paragraph.end()
    if (tables > 0 && !isOnSheet) cell.push(text)
    else if (level > 0) writer.heading(level, text)
    else if (placeholder === 'title') {
      writer.heading(1, text)
      if (text.trim() !== '') writer.name(text)
    } else if (lists > 0) writer.item(text)
    else writer.text(text)
    level = 0
  }
  const endCell = () => {
    const text = shownInCell(cell.filter(Boolean).join('\n'), value)
    for (let times = 0; times < Math.min(cellRepeats, MAX_REPEATED); times++) row.push(text)
    cell = []
    value = ''
  }
  const endRow = () => {
    const isEmpty = row.every((one) => one === '')
    for (let times = 0; !isEmpty && times < Math.min(rowRepeats, MAX_REPEATED); times++) writer.row(row)
  }

  await readElements(zip.pieces('content.xml'), 'xml', {
    open: (element, attributes) => {
      if (element === 'style:style') style = attributes['style:name'] ?? ''
      else if (element === 'style:text-properties' && attributes['text:display'] === 'none') hiddenStyles.add(style)
      else if (element === 'text:span') {
        const isConcealed = hiddenStyles.has(attributes['text:style-name'] ?? '')
        spans.push(isConcealed)
        if (isConcealed) hiddenDepth++
      }
      if (skippedElements.has(element)) hiddenDepth++
      if (hiddenDepth > 0) return
      if (element === 'office:annotation') isComment = true
      if (isComment) {
        if (element === 'text:p') comment.begin()
        return
      }
      if (element === 'text:p' || element === 'text:h') {
        // a box or note with its own text interrupts a paragraph
        if (paragraph.isOpen()) interrupted.push({ text: paragraph.end(), level })
        level = element === 'text:h' ? Number(attributes['text:outline-level'] ?? 1) : 0
        paragraph.begin()
      } else if (element === 'text:s') paragraph.add(' '.repeat(Math.min(100, Number(attributes['text:c'] ?? 1) || 1)))
      else if (element === 'text:tab') paragraph.add('\t')
      else if (element === 'text:line-break') paragraph.add('\n')
      else if (element === 'text:list') lists++
      else if (element === 'table:shapes') isOnSheet = true
      else if (element === 'draw:frame') placeholder = attributes['presentation:class'] ?? ''
      else if (element === 'draw:object') objects.push((attributes['xlink:href'] ?? '').replace(/^\.\//, ''))
      else if (element === 'draw:page') {
        endPage()
        writer.page()
      } else if (element === 'draw:image' && zip.has(attributes['xlink:href'] ?? ''))
        writer.picture(attributes['xlink:href'] ?? '')
      else if (element === 'table:table') {
        tables++
        if (format === 'ods' && tables === 1) {
          endPage()
          writer.page(attributes['table:name'])
        }
      } else if (tables !== 1) return
      else if (element === 'table:table-row') {
        row = []
        rowRepeats = Number(attributes['table:number-rows-repeated'] ?? 1)
      } else if (element === 'table:table-cell' || element === 'table:covered-table-cell') {
        value = valueOfCell(attributes)
        cell = []
        cellRepeats = Number(attributes['table:number-columns-repeated'] ?? 1)
      }
    },
    text: (text) => {
      if (hiddenDepth === 0) (isComment ? comment : paragraph).add(text.replaceAll(/\s+/g, ' '))
    },
    close: (element) => {
      if (skippedElements.has(element) || (element === 'text:span' && spans.pop())) {
        hiddenDepth--
        return
      }
      if (hiddenDepth > 0) return
      if (isComment) {
        if (element === 'text:p') comments.push(comment.end())
        else if (element === 'office:annotation') isComment = false
        return
      }
      if (element === 'text:p' || element === 'text:h') {
        endParagraph()
        const resumed = interrupted.pop()
        if (resumed === undefined) return
        paragraph.begin()
        paragraph.add(resumed.text)
        level = resumed.level
      } else if (element === 'text:list') lists--
      else if (element === 'table:shapes') isOnSheet = false
      else if (element === 'draw:frame') placeholder = ''
      else if (element === 'table:table') tables--
      else if (tables !== 1) return
      else if (element === 'table:table-row') endRow()
      else if (element === 'table:table-cell' || element === 'table:covered-table-cell') endCell()
    },
  })
  for (const name of objects) await readObject(zip, `${name}/content.xml`, writer)
  endPage()
}

/** Writes the text of an embedded equation or chart. */
async function readObject(zip: DocumentZip, name: string, writer: DocumentWriter): Promise<void> {
  let isTerm = false
  const text = createTextCollector((spilled) => writer.text(spilled))
  await readElements(zip.pieces(name), 'xml', {
    open: (element) => {
      const plain = localName(element)
      if (plain === 'math' || element === 'text:p') text.begin()
      isTerm = /^m[iont](?:ext)?$/.test(plain) || element === 'text:p'
    },
    text: (more) => {
      if (isTerm) text.add(more)
    },
    close: (element) => {
      isTerm = false
      if (localName(element) === 'math' || element === 'text:p') writer.text(text.end())
    },
  })
}

function valueOfCell(attributes: Attributes): string {
  const names = [
    'office:value',
    'office:date-value',
    'office:time-value',
    'office:boolean-value',
    'office:string-value',
  ]
  return names.map((name) => attributes[name]).find((value) => value !== undefined) ?? ''
}

/** Text of a cell, or its value when the program stored no text or shortened a long number. */
function shownInCell(text: string, value: string): string {
  const isShortened = /^-?\d(?:[.,]\d+)?E\+\d+$/i.test(text) && /^-?\d+$/.test(value)
  return text === '' || isShortened ? value : text
}
