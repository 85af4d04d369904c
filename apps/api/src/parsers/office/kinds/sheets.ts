import type { DocumentParser } from '../document-parser.ts'
import { DocumentFullError, type DocumentWriter } from '../document-writer.ts'
import { createTextCollector, readElements } from '../document-xml.ts'
import { type DocumentZip, openDocumentZip } from '../document-zip.ts'
import { attachEmbedded } from './embedded.ts'
import { coreFacts, mainPartPath, readDrawings, readDrawnText, relationsOf } from './open-xml.ts'
import { cellFormats, shownDate, shownNumber, shownText } from './sheet-numbers.ts'

/** Limit of the texts that cells share. */
const MAX_SHARED_CHARACTERS = 20_000_000
const MAX_COLUMNS = 256

interface Workbook {
  sheets: { name: string; target: string }[]
  countsFrom1904: boolean
}

/** Workbooks of Excel, sheet by sheet: displayed values, not formulas. */
export const readSheets: DocumentParser = async (filename, writer, report) => {
  const zip = await openDocumentZip(filename, writer.markDamaged)
  try {
    report(await coreFacts(zip))
    const main = await mainPartPath(zip, 'xl/workbook.xml')
    const relations = await relationsOf(zip, main)
    const target = (relationType: string) =>
      [...relations.values()].find(({ type }) => type === relationType)?.target ?? ''
    const { sheets, countsFrom1904 } = await readWorkbook(zip, main, relations)
    const shared = await sharedTexts(zip, target('sharedStrings'))
    const formats = await cellFormats(zip, target('styles'))
    for (const { name, target } of sheets) {
      writer.page(name)
      await readSheet(zip, target, { shared, formats, countsFrom1904 }, writer)
      const relationsOfSheet = await relationsOf(zip, target)
      await attachEmbedded(zip, relationsOfSheet, writer)
      for (const { type, target: relatedPart } of relationsOfSheet.values()) {
        if (type === 'comments') await readComments(zip, relatedPart, writer)
        if (type !== 'drawing') continue
        await readDrawnText(zip, relatedPart, writer)
        const drawingRelations = await relationsOf(zip, relatedPart)
        await readDrawings(zip, drawingRelations, writer)
        for (const { type, target } of drawingRelations.values()) if (type === 'image') writer.picture(target)
      }
    }
  } finally {
    zip.close()
  }
}

/** Comments on cells, each with the name of its cell. */
async function readComments(zip: DocumentZip, name: string, writer: DocumentWriter): Promise<void> {
  let cell = ''
  let isText = false
  const comment = createTextCollector((text) => writer.text(text))
  await readElements(zip.pieces(name), 'xml', {
    open: (element, { ref }) => {
      if (element === 'comment') {
        cell = ref ?? ''
        comment.begin()
      } else if (element === 't') isText = true
    },
    text: (text) => {
      if (isText) comment.add(text)
    },
    close: (element) => {
      if (element === 't') isText = false
      else if (element === 'comment') writer.text(`${cell}: ${unescapeText(comment.end())}`)
    },
  })
}

async function readWorkbook(
  zip: DocumentZip,
  name: string,
  relations: Map<string, { target: string; type: string }>,
): Promise<Workbook> {
  const book: Workbook = { sheets: [], countsFrom1904: false }
  await readElements(zip.pieces(name), 'xml', {
    open: (element, attributes) => {
      if (element === 'workbookPr') book.countsFrom1904 = ['1', 'true'].includes(attributes.date1904 ?? '')
      if (element !== 'sheet') return
      const relation = relations.get(attributes['r:id'] ?? '')
      if (relation !== undefined) book.sheets.push({ name: attributes.name ?? '', target: relation.target })
    },
  })
  return book
}

async function sharedTexts(zip: DocumentZip, name: string): Promise<string[]> {
  const texts: string[] = []
  let text = ''
  let isText = false
  let isPhonetic = false
  let characters = 0
  await readElements(zip.pieces(name), 'xml', {
    open: (element) => {
      if (element === 'si') text = ''
      else if (element === 'rPh') isPhonetic = true
      else if (element === 't') isText = !isPhonetic
    },
    text: (more) => {
      if (!isText) return
      text += more
      characters += more.length
      if (characters > MAX_SHARED_CHARACTERS) throw new DocumentFullError('its cells share too much text')
    },
    close: (element) => {
      if (element === 't') isText = false
      else if (element === 'rPh') isPhonetic = false
      else if (element === 'si') texts.push(unescapeText(text))
    },
  })
  return texts
}

interface CellTools {
  shared: string[]
  /** Format codes by the cells' style. */
  formats: string[]
  countsFrom1904: boolean
}

async function readSheet(zip: DocumentZip, name: string, tools: CellTools, writer: DocumentWriter): Promise<void> {
  let cells: string[] = []
  let cell = { column: 0, type: '', style: 0 }
  let column = 0
  let isPhonetic = false
  const value = createTextCollector(() => {
    throw new DocumentFullError('a cell has too much text')
  })
  await readElements(zip.pieces(name), 'xml', {
    open: (element, attributes) => {
      if (element === 'row') {
        cells = []
        column = 0
      } else if (element === 'c') {
        column = attributes.r === undefined ? column + 1 : columnOf(attributes.r)
        cell = { column, type: attributes.t ?? 'n', style: Number(attributes.s ?? 0) }
      } else if (element === 'rPh') isPhonetic = true
      else if (element === 'v' || (element === 't' && cell.type === 'inlineStr' && !isPhonetic)) value.begin()
    },
    text: (text) => value.add(text),
    close: (element) => {
      if (element === 'v' || element === 't') {
        if (!value.isOpen()) return
        const text = shownValue(value.end(), cell, tools)
        if (cell.column < 1 || cell.column > MAX_COLUMNS) return
        while (cells.length < cell.column) cells.push('')
        cells[cell.column - 1] += text
      } else if (element === 'rPh') isPhonetic = false
      else if (element === 'row') writer.row(cells)
    },
  })
}

function shownValue(
  rawValue: string,
  { type, style }: { type: string; style: number },
  { shared, formats, countsFrom1904 }: CellTools,
): string {
  const format = formats[style] ?? ''
  if (type === 's') return shownText(shared[Number(rawValue)] ?? '', format)
  if (type === 'b') return rawValue === '1' ? 'TRUE' : 'FALSE'
  if (type === 'n') return shownNumber(rawValue, format, countsFrom1904)
  if (type === 'd') return shownDate(rawValue, format)
  return type === 'str' || type === 'inlineStr' ? shownText(unescapeText(rawValue), format) : rawValue
}

/** Decodes the numbers of characters that XML can't contain, such as line ends (ECMA-376 Part 1, 22.9.2.19). */
function unescapeText(text: string): string {
  return text.replaceAll(/_x([\da-f]{4})_/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
}

/** B7 → 2 */
function columnOf(reference: string): number {
  let column = 0
  for (const letter of /^[A-Z]{1,3}/.exec(reference)?.[0] ?? '') column = column * 26 + letter.charCodeAt(0) - 64
  return column
}
