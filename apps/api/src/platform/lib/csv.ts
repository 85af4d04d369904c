import { stringify } from 'csv-stringify/sync'

/** Rows as CSV, RFC 4180. What a spreadsheet would take for a formula is led by an apostrophe. */
export function csvOf(rows: string[][]): string {
  return stringify(
    rows.map((row) => row.map(withoutFormula)),
    // it would leave a cell bare that holds half of the delimiter
    { record_delimiter: 'windows', quoted_match: /[\r\n]/ },
  )
}

/** Also after blanks, and in the full-width forms that some programs read as the plain ones. */
function withoutFormula(cell: string): string {
  return /^[\s\p{C}]*[=+\-@＝＋－＠]|^[\t\r\n]/u.test(cell) ? `'${cell}` : cell
}
