import { cpus, loadavg, totalmem } from 'node:os'
import { type ResultRow, readRows, renderTables, writeRows } from '../results-page.mjs'
import { targetOf } from './targets.ts'

export function percentiles(values: number[]): { median: number; p95: number; p99: number } {
  const sorted = values.toSorted((a, b) => a - b)
  const valueAt = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
  return { median: valueAt(0.5), p95: valueAt(0.95), p99: valueAt(0.99) }
}

export interface Machine {
  machine: string
  load: number
}

/** Machine of the measurement; results of different machines can't be compared. */
export function describeMachine(): Machine {
  const cores = cpus()
  const gigabytes = Math.round(totalmem() / 1024 ** 3)
  return {
    machine: `${cores.length} × ${cores[0]?.model.trim()}, ${gigabytes} GB, Node ${process.version.slice(1)}`,
    load: Number(loadavg()[0]?.toFixed(1)),
  }
}

/** A figure, with an optional comparison or note; null or NaN when it wasn't measured. */
export type Cell = number | null | { value: number; unit?: string; comparison?: string; note?: string }

export interface FigureTable {
  setup: string
  /** Metrics, each with its unit in brackets at its end: "median (ms)". */
  metrics: string[]
  /** Name of the case, then a figure per metric. */
  rows: [string, ...Cell[]][]
  note?: string
}

/** A ratio as a comparison: "1.76 × bare". */
export const compared = (value: number, yardstick: number, name: string) =>
  `${(value / yardstick).toFixed(2)} × ${name}`

/** Prints a bench's tables and, unless it's a dry run, replaces its earlier results of the same setups. */
export function report(bench: string, machine: Machine, tables: FigureTable[], isDry: boolean): void {
  const date = new Date().toISOString().slice(0, 10)
  const rows = tables
    .flatMap((table) => rowsOf(bench, table))
    .map(({ comparison, note, ...row }): ResultRow => ({ ...row, date, ...machine, comparison, note }))
  console.info(`\n## ${bench}\n\n${renderTables(rows)}\n`)
  if (isDry) return
  const setups = new Set(tables.map(({ setup }) => setup))
  const all = readRows()
  const isOwn = (row: ResultRow) => row.bench === bench
  const earlier = all.filter((row) => isOwn(row) && !setups.has(row.setup))
  const position = all.some(isOwn) ? all.findIndex(isOwn) : all.length
  const others = (part: ResultRow[]) => part.filter((row) => !isOwn(row))
  writeRows([...others(all.slice(0, position)), ...rows, ...earlier, ...others(all.slice(position))])
}

function rowsOf(bench: string, { setup, metrics, rows, note: shared = '' }: FigureTable) {
  return rows.flatMap(([name, ...cells]) =>
    cells.flatMap((cell, index) => {
      const figure = typeof cell === 'object' ? cell : { value: cell }
      if (figure === null || Number.isNaN(figure.value)) return []
      const [, metric = '', unit = ''] = /^(.*?)(?: \((.*)\))?$/.exec(metrics[index] ?? '') ?? []
      const row = { bench, setup, case: name, metric, value: rounded(figure.value), unit: figure.unit ?? unit }
      const comparison = [figure.comparison, targetOf(row)].filter(Boolean).join(', ')
      return [{ ...row, comparison, note: figure.note ?? shared }]
    }),
  )
}

/** Rounds to three significant digits; large figures keep all digits before the point. */
function rounded(value: number): number {
  const size = Math.abs(value)
  return Number(value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3))
}
