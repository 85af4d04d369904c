import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'
import { join } from 'node:path'

const FILE = join(import.meta.dirname, '../results.md')
const TITLE =
  '# Measurements\n\nEach section is written by the program it names; run it again to measure your machine.\n'

/** The values below which half of them lie, and 95 of 100. */
export function percentiles(values: number[]): { median: number; p95: number } {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
  return { median: at(0.5), p95: at(0.95) }
}

/** Machine of the measurement; results of different machines can't be compared. */
export function describeMachine(): string {
  const cores = cpus()
  const load = loadavg()[0]?.toFixed(1)
  const gigabytes = Math.round(totalmem() / 1024 ** 3)
  return `${cores.length} × ${cores[0]?.model.trim()}, ${gigabytes} GB, Node ${process.version.slice(1)}, load before ${load}`
}

/** A table of Markdown. */
export function table(head: string[], rows: (string | number)[][]): string {
  const line = (cells: (string | number)[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

/** Puts a section into results.md, in the place of the one with the same heading. */
export function writeSection(heading: string, body: string): void {
  const before = existsSync(FILE) ? readFileSync(FILE, 'utf8') : TITLE
  const sections = before.split(/^(?=## )/m)
  const section = `## ${heading}\n\n${body.trim()}\n`
  const at = sections.findIndex((one) => one.startsWith(`## ${heading}\n`))
  if (at === -1) sections.push(section)
  else sections[at] = section
  writeFileSync(FILE, `${sections.map((one) => one.trim()).join('\n\n')}\n`)
}
