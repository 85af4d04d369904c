import { readFile, stat } from 'node:fs/promises'
import type { CellObject, FullProperties, WorkSheet } from '@e965/xlsx'
import { openZip } from '../../../platform/storage/zip.ts'
import { withBytes } from '../../file-bytes.ts'
import type { DocumentMetadata, DocumentParser } from '../document-parser.ts'
import { DocumentError } from '../document-types.ts'
import type { DocumentWriter } from '../document-writer.ts'
import { lockedDocumentError, openCompoundFile } from './compound-file.ts'
import { decryptWithDefaultPassword } from './default-password.ts'
import { shownNumber, shownText } from './sheet-numbers.ts'

const MAX_COLUMNS = 256
/** The whole file is in memory, and its cells a second time. */
const MAX_BYTES = 64 * 1024 * 1024
const COMPOUND_FILE = Buffer.from('d0cf11e0', 'hex')
/** Formats that mean "the system's date format", replaced by an unambiguous one. */
const systemFormats = new Map([
  ['m/d/yy', 'yyyy-mm-dd'],
  ['m/d/yy h:mm', 'yyyy-mm-dd h:mm'],
])

/** Error values of cells by their codes (MS-XLS 2.5.10). */
const errors: Record<number, string> = {
  0: '#NULL!',
  7: '#DIV/0!',
  15: '#VALUE!',
  23: '#REF!',
  29: '#NAME?',
  36: '#NUM!',
  42: '#N/A',
}

/** Workbooks of Excel up to 2003, XML workbooks of that time and XLSB, sheet by sheet: displayed values and comments. */
export const readOldSheets: DocumentParser = async (filename, writer, report) => {
  const { bytes, facts } = await openWorkbook(filename)
  const [xlsx, codePages] = await Promise.all([import('@e965/xlsx'), import('@e965/xlsx/dist/cpexcel.full.mjs')])
  xlsx.set_cptable(codePages)
  let workbook: ReturnType<typeof xlsx.read>
  try {
    const values = { cellNF: true, cellText: false, cellFormula: false, cellHTML: false }
    workbook = xlsx.read(bytes, { type: 'buffer', dense: true, ...values })
  } catch (error) {
    throw error instanceof Error && /password|encrypt/i.test(error.message) ? lockedDocumentError() : error
  }
  report(facts ?? factsOf(workbook.Props))
  const countsFrom1904 = workbook.Workbook?.WBProps?.date1904 === true
  for (const name of workbook.SheetNames) {
    writer.page(name)
    const sheet = workbook.Sheets[name]
    if (sheet === undefined) continue
    // frees memory for what is written
    delete workbook.Sheets[name]
    writeSheet(sheet, writer, {
      shown: (cell) => shownValue(cell, countsFrom1904),
      nameOf: (row, column) => xlsx.utils.encode_cell({ r: row, c: column }),
    })
  }
}

/** Bytes of a workbook, and its metadata if it's a compound file. */
async function openWorkbook(filename: string): Promise<{ bytes: Buffer; facts: DocumentMetadata | null }> {
  const head = await withBytes(filename, ({ read }) => read(0, COMPOUND_FILE.length))
  if (COMPOUND_FILE.equals(head)) {
    const { bytes, stream, facts } = await openCompoundFile(filename)
    const name = stream('Workbook') === null ? 'Book' : 'Workbook'
    const plain = decryptWithDefaultPassword(stream(name) ?? Buffer.alloc(0))
    return { bytes: plain === null ? bytes : await fileOfStream(name, plain), facts }
  }
  const sizeBytes = Buffer.from(head).toString('latin1', 0, 2) === 'PK' ? await unpackedBytes(filename) : 0
  if (sizeBytes + (await stat(filename)).size > MAX_BYTES)
    throw new DocumentError('too_large_document', 'it is too large to be read')
  return { bytes: await readFile(filename), facts: null }
}

async function fileOfStream(name: string, content: Buffer): Promise<Buffer> {
  const { CFB } = await import('@e965/xlsx')
  const file = CFB.utils.cfb_new()
  CFB.utils.cfb_add(file, `/${name}`, content)
  return Buffer.from(CFB.write(file, { type: 'buffer' }) as Uint8Array)
}

/** Unpacked size of an XLSB, as the library unpacks all of it. */
async function unpackedBytes(filename: string): Promise<number> {
  const zip = await openZip(filename, { allowsDuplicateNames: true })
  zip.close()
  return zip.unpackedBytes
}

function factsOf({ Title, Author, CreatedDate }: FullProperties = {}): DocumentMetadata {
  return { title: Title ?? null, author: Author ?? null, createdAt: CreatedDate ? new Date(CreatedDate) : null }
}

function writeSheet(
  sheet: WorkSheet,
  writer: DocumentWriter,
  { shown, nameOf }: { shown: (cell: CellObject) => string; nameOf: (row: number, column: number) => string },
): void {
  const comments: string[] = []
  // a cell may claim to be in the last of billions of rows or columns
  for (const [row, cells] of Object.entries(sheet['!data'] ?? [])) {
    writer.row(Array.from(cells.slice(0, MAX_COLUMNS), (cell) => (cell === undefined ? '' : shown(cell))))
    for (const [column, cell] of Object.entries(cells)) {
      for (const { t } of cell?.c ?? []) if (t) comments.push(`${nameOf(Number(row), Number(column))}: ${t}`)
    }
  }
  for (const comment of comments) writer.text(comment)
}

function shownValue({ t, v, z }: CellObject, countsFrom1904: boolean): string {
  const format = systemFormats.get(String(z)) ?? String(z ?? '')
  if (t === 'n') return shownNumber(String(v), format, countsFrom1904)
  if (t === 'b') return v ? 'TRUE' : 'FALSE'
  return t === 's' ? shownText(String(v), format) : (errors[Number(v)] ?? '')
}
