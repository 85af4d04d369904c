import type { CellObject, WorkSheet } from '@e965/xlsx'
import type { PaperKind } from '../paper-kind.ts'
import type { PaperWriter } from '../paper-writer.ts'
import { lockedDocument, openCompoundFile } from './compound-file.ts'
import { shownNumber, shownText } from './sheet-numbers.ts'

const MAX_COLUMNS = 256
/** Formats that stand for Windows' own, whose order is that of each computer. */
const systemFormats: Record<string, string> = { 'm/d/yy': 'yyyy-mm-dd', 'm/d/yy h:mm': 'yyyy-mm-dd h:mm' }

/** Workbooks of Excel up to 2003, sheet by sheet: what cells show, and comments. */
export const readOldSheets: PaperKind = async (filename, writer, report) => {
  const { bytes, facts } = await openCompoundFile(filename)
  report(facts)
  const [xlsx, codePages] = await Promise.all([import('@e965/xlsx'), import('@e965/xlsx/dist/cpexcel.full.mjs')])
  xlsx.set_cptable(codePages)
  let workbook: ReturnType<typeof xlsx.read>
  try {
    workbook = xlsx.read(bytes, { type: 'buffer', dense: true, cellNF: true, cellFormula: false, cellHTML: false })
  } catch (error) {
    throw error instanceof Error && /password|encrypt/i.test(error.message) ? lockedDocument() : error
  }
  const countsFrom1904 = workbook.Workbook?.WBProps?.date1904 === true
  for (const name of workbook.SheetNames) {
    writer.page(name)
    const sheet = workbook.Sheets[name]
    if (sheet === undefined) continue
    writeSheet(sheet, writer, {
      shown: (cell) => shownValue(cell, countsFrom1904),
      nameOf: (row, column) => xlsx.utils.encode_cell({ r: row, c: column }),
    })
  }
}

function writeSheet(
  sheet: WorkSheet,
  writer: PaperWriter,
  { shown, nameOf }: { shown: (cell: CellObject) => string; nameOf: (row: number, column: number) => string },
): void {
  const comments: string[] = []
  for (const [row, cells] of (sheet['!data'] ?? []).entries()) {
    if (cells === undefined) continue
    writer.row(Array.from(cells.slice(0, MAX_COLUMNS), (cell) => (cell === undefined ? '' : shown(cell))))
    for (const [column, cell] of cells.entries()) {
      for (const { t } of cell?.c ?? []) if (t) comments.push(`${nameOf(row, column)}: ${t}`)
    }
  }
  for (const comment of comments) writer.text(comment)
}

function shownValue({ t, v, w, z }: CellObject, countsFrom1904: boolean): string {
  const format = systemFormats[String(z)] ?? String(z ?? '')
  if (t === 'n') return shownNumber(String(v), format, countsFrom1904)
  return t === 's' ? shownText(String(v), format) : (w ?? '')
}
