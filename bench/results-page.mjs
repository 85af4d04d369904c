// `node bench/results-page.mjs` renders results.md from the measurements in results.json.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const DATA = join(import.meta.dirname, 'results.json')
const PAGE = join(import.meta.dirname, 'results.md')
const INTRO = `# Measurements

Written from \`results.json\` by \`node bench/results-page.mjs\`; a bench writes its rows there unless it's called with \`--no-write\`. How each
figure is taken is at the top of its program in \`bench/\`. What the figures taught: [docs/log/performance.md](../docs/log/performance.md).`

/** @returns {import('./results-page.d.mts').ResultRow[]} */
export const readRows = () => JSON.parse(readFileSync(DATA, 'utf8'))

/** Writes the rows, one per line, and the page. */
export function writeRows(rows) {
  writeFileSync(DATA, `[\n${rows.map((row) => JSON.stringify(row)).join(',\n')}\n]\n`)
  writeFileSync(PAGE, renderPage(rows))
}

/** Error message when the page differs from the rows; null otherwise. */
export function pageProblem() {
  const isCurrent = readFileSync(PAGE, 'utf8') === renderPage(readRows())
  return isCurrent ? null : 'bench/results.md differs from bench/results.json: run node bench/results-page.mjs'
}

export function renderPage(rows) {
  const sections = [...groups(rows, ({ bench }) => bench)].map(([bench, own]) => `## ${bench}\n\n${renderTables(own)}`)
  return `${[INTRO, ...sections].join('\n\n')}\n`
}

/** A Markdown table per setup: a line per case, a column per metric. */
export function renderTables(rows) {
  const shared = sharedBy(rows, conditions)
  const tables = [...groups(rows, (row) => `${row.setup}\n${conditions(row)}`).values()].map((own) =>
    renderSetup(own, shared),
  )
  return [...(shared ? [shared] : []), ...tables].join('\n\n')
}

function renderSetup(rows, sharedConditions) {
  const note = sharedBy(rows, (row) => row.note)
  const about = [`**${rows[0].setup}**`, sharedConditions ? '' : conditions(rows[0]), note].filter(Boolean).join(' · ')
  const columns = [...groups(rows, columnOf).keys()]
  const lines = [...groups(rows, (row) => row.case)].map(([name, own]) => {
    const inColumn = (column) => own.filter((row) => columnOf(row) === column).map((row) => cell(row, note))
    return [name, ...columns.map((column) => inColumn(column).join(', '))]
  })
  return [about, '', ...[['', ...columns], ['', ...columns].map(() => '---'), ...lines].map(tableLine)].join('\n')
}

const conditions = ({ date, machine, load }) =>
  [date, machine, load === null ? '' : `load ${load}`].filter(Boolean).join(' · ')
const columnOf = ({ metric, unit }) => (unit && metric !== 'value' ? `${metric} (${unit})` : metric)
const tableLine = (cells) => `| ${cells.map((one) => one.replaceAll('|', '\\|')).join(' | ')} |`

/** Text shared by all rows, or an empty one. */
const sharedBy = (rows, textOf) => (rows.every((row) => textOf(row) === textOf(rows[0])) ? textOf(rows[0]) : '')

function cell({ metric, value, unit, comparison, note }, sharedNote) {
  const aside = [comparison, note === sharedNote ? '' : note].filter(Boolean).join('; ')
  const figure = value.toLocaleString('en', { maximumFractionDigits: 3 })
  return `${figure}${metric === 'value' && unit ? ` ${unit}` : ''}${aside ? ` (${aside})` : ''}`
}

/** Rows by key, in the order in which keys first occur. */
function groups(rows, keyOf) {
  const byKey = new Map()
  for (const row of rows) byKey.set(keyOf(row), [...(byKey.get(keyOf(row)) ?? []), row])
  return byKey
}

if (process.argv[1] === import.meta.filename) writeRows(readRows())
