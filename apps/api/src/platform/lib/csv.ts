import { stringify } from 'csv-stringify/sync'

/** Rows as CSV (RFC 4180). Cells that a spreadsheet would take for a formula are prefixed with an apostrophe. */
export function csvOf(rows: string[][]): string {
  return stringify(
    rows.map((row) => row.map(withoutFormula)),
    // the library wouldn't quote a cell with only one half of CRLF
    { record_delimiter: 'windows', quoted_match: /[\r\n]/ },
  )
}

/** Escapes formulas, also after whitespace, and in the full-width forms that some programs treat as ASCII. */
function withoutFormula(cell: string): string {
  return /^[\s\p{C}]*[=+\-@＝＋－＠]|^[\t\r\n]/u.test(cell) ? `'${cell}` : cell
}
