import { expect, test } from 'vitest'
import { renderPage } from '../bench/results-page.mjs'

const row = (figure) => ({
  ...{ bench: 'Search', setup: 'embedded', date: '2026-11-26', machine: 'a machine', load: 1.5, unit: 'ms' },
  ...{ comparison: '', note: '', ...figure },
})

test('shows a line per case and a column per metric, with the comparison of a figure', () => {
  const page = renderPage([
    row({ case: 'one word', metric: 'median', value: 19.6, comparison: '1.76 × bare' }),
    row({ case: 'one word', metric: 'p95', value: 25.3 }),
    row({ case: 'phrase', metric: 'p95', value: 1234.5, note: 'once' }),
  ])
  expect(page).toContain('## Search\n\n2026-11-26 · a machine · load 1.5\n\n**embedded**\n')
  expect(page).toContain('|  | median (ms) | p95 (ms) |')
  expect(page).toContain('| one word | 19.6 (1.76 × bare) | 25.3 |')
  expect(page).toContain('| phrase |  | 1,234.5 (once) |')
})

test('separates runs of different days', () => {
  const page = renderPage([
    row({ case: 'one word', metric: 'median', value: 1 }),
    row({ case: 'one word', metric: 'median', value: 2, date: '2026-11-27', setup: 'PostgreSQL' }),
  ])
  expect(page).toContain('**embedded** · 2026-11-26 · a machine')
  expect(page).toContain('**PostgreSQL** · 2026-11-27 · a machine')
})
