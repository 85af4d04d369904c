/** A cell of a table: what stands in it, or nothing. */
export type CsvCell = string | number | null

/**
 * Rows as a file that spreadsheets open (RFC 4180, UTF-8 with the mark by which they know it). A text that a spreadsheet
 * would take for a formula is made a text by an apostrophe.
 */
export function csvText(rows: readonly (readonly CsvCell[])[]): string {
  return `\uFEFF${rows.map((row) => row.map(cellText).join(',')).join('\r\n')}\r\n`
}

function cellText(cell: CsvCell): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return String(cell)
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
