/** One measured figure. */
export interface ResultRow {
  bench: string
  /** Database, size and the like. */
  setup: string
  case: string
  metric: string
  value: number
  unit: string
  /** ISO date. */
  date: string
  machine: string
  /** Load average of a minute before the bench; null when unknown. */
  load: number | null
  /** Target or yardstick, in words. */
  comparison: string
  note: string
}

export function readRows(): ResultRow[]
export function writeRows(rows: ResultRow[]): void
export function pageProblem(): string | null
export function renderPage(rows: ResultRow[]): string
export function renderTables(rows: ResultRow[]): string
