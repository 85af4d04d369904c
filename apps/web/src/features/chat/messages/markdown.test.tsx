// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { renderPart } from '../../../../test/render-part.tsx'
import { rowsOf } from './artifact.ts'
import { CitedSourcesProvider } from './citation.tsx'
import { MarkdownBody } from './markdown-body.tsx'

// KaTeX checks it when it loads
Object.defineProperty(document, 'compatMode', { value: 'CSS1Compat' })

const textOf = (element: Element | null | undefined) => element?.textContent?.replaceAll('\u00a0', ' ')

async function renderMarkdown(text: string, isStreaming = false): Promise<HTMLElement> {
  await renderPart(<MarkdownBody text={text} isStreaming={isStreaming} />)
  const body = document.querySelector<HTMLElement>('.markdown')
  if (body === null) throw new Error('no Markdown was rendered')
  return body
}

test('single tildes stay as written, double ones strike through', async () => {
  const body = await renderMarkdown('From ~5 to ~7, 0.3~0.8mm and ~0.5~, but ~~gone~~.')
  expect(textOf(body)).toContain('From ~5 to ~7, 0.3~0.8mm and ~0.5~, but gone.')
  expect([...body.querySelectorAll('del')].map((one) => one.textContent)).toEqual(['gone'])
})

test('<br> breaks lines in cells and text, and other HTML is shown as text', async () => {
  const body = await renderMarkdown(
    '| a | b |\n|---|---|\n| one<br>two<br/>three | <b>x</b> |\n\nhere<BR />there\n\n<br>\n\nend',
  )
  expect(body.querySelectorAll('td')[0]?.querySelectorAll('br')).toHaveLength(2)
  expect(textOf(body.querySelectorAll('td')[0])).toBe('one\ntwo\nthree')
  expect(textOf(body.querySelectorAll('td')[1])).toContain('<b>x</b>')
  expect(body.textContent).not.toContain('<br')
  expect(body.textContent).not.toContain('<BR')
})

test('right-to-left text gets its direction automatically, code doesn’t', async () => {
  const body = await renderMarkdown(
    '# כותרת\n\nשלום עולם\n\n- אחד\n- שניים\n\n| א | ב |\n|---|---|\n| ג | ד |\n\n```js\nx = 1\n```',
  )
  for (const selector of ['h3', 'p', 'ul', 'table']) {
    expect(body.querySelector(selector)?.getAttribute('dir')).toBe('auto')
  }
  expect(body.querySelector('pre')?.closest('[dir=auto]')).toBeNull()
})

test('URLs with or in brackets are linked correctly', async () => {
  await renderMarkdown(
    'See https://en.wikipedia.org/wiki/Mira_(star), (https://example.org/a) and https://example.org/b.',
  )
  expect(screen.getAllByRole('link').map((link) => link.getAttribute('href'))).toEqual([
    'https://en.wikipedia.org/wiki/Mira_(star)',
    'https://example.org/a',
    'https://example.org/b',
  ])
})

test('renders entities, tables without outer pipes, task lists and continued numbering', async () => {
  const body = await renderMarkdown(
    'a &lt; b &amp; c&nbsp;d\n\nName | Value\n--- | ---\npi | 3.14\n\n- [x] done\n- [ ] open\n\n1. one\n  - inner\n2. two\n   - deeper',
  )
  expect(textOf(body)).toContain('a < b & c d')
  expect(body.querySelectorAll('td')).toHaveLength(2)
  expect(screen.getAllByRole('img')).toHaveLength(2)
  const starts = [...body.querySelectorAll('ol')].map((list) => list.getAttribute('start') ?? '1')
  expect(starts).toEqual(['1', '2'])
})

test('a footnote links to its note and back, with labels', async () => {
  const body = await renderMarkdown('Told by him.[^1]\n\n[^1]: On Monday.')
  expect(textOf(body)).toContain('On Monday.')
  const mark = screen.getByRole('link', { name: '1' })
  const note = document.getElementById(mark.getAttribute('href')?.slice(1) ?? '')
  expect(textOf(note)).toContain('On Monday.')
  const back = screen.getByRole('link', { name: 'Back to footnote 1' })
  expect(document.getElementById(back.getAttribute('href')?.slice(1) ?? '')).toBe(mark)
})

test('an unfinished code block is rendered as code while streaming', async () => {
  const body = await renderMarkdown('So:\n\n```python\nprint("a")\n\nprint("$x$ ~b~")', true)
  expect(textOf(body.querySelector('pre'))).toContain('print("$x$ ~b~")')
})

test('prices and variable names stay as they are, formulas are rendered', async () => {
  const body = await renderMarkdown(
    '| Price ($) | Cost (A$) |\n|---|---|\n| $5–$10 | $HOME/$USER |\n\nBut \\(x^2\\) and $y^2$.',
  )
  await expect.poll(() => body.querySelectorAll('.katex').length).toBe(2)
  expect(textOf(body.querySelector('table'))).toContain('Price ($)Cost (A$)$5–$10$HOME/$USER')
})

test.each([
  '\\left\\{\\begin{array}\\\\ w=\\alpha t & 0\\le t \\\\ \\end{array}\\right.',
  '\\begin{ aligned } x \\end{ aligned }',
  '\\begin{array}{\\bf l} x \\end{array}',
  `${'2^{'.repeat(20_000)}x${'}'.repeat(20_000)}`,
  '\\frac{1}',
])('shows the source of the invalid formula %.40j, and the text beside it', async (formula) => {
  vi.spyOn(console, 'warn').mockReturnValue()
  const body = await renderMarkdown(`Before \\(x^2\\).\n\n$$\n${formula}\n$$\n\nAfter.`)
  await expect.poll(() => body.querySelectorAll('.katex').length).toBe(1)
  expect(body.textContent).toContain(formula)
  expect(textOf(body)).toContain('After.')
})

test('shows text that the parser fails on as it’s written', async () => {
  vi.spyOn(console, 'error').mockReturnValue()
  const nested = `${'> '.repeat(2_500)}deep`
  const body = await renderMarkdown(`${nested}\n\nAfter **it**.`)
  expect(body.textContent).toContain(nested)
  expect(body.querySelector('strong')?.textContent).toBe('it')
})

test('formulas stay in their lists, quotes and cells', async () => {
  const body = await renderMarkdown(
    '1. a\n   - b:\n     \\[\n     x \\\\[4pt]\n     \\]\n     for \\(x\\).\n\n> \\[\n> y = 1\n> \\]\n\n| a | \\[|z|\\] |\n|---|---|\n| 1 | 2 |',
  )
  await expect.poll(() => body.querySelectorAll('.katex').length).toBe(4)
  expect(body.querySelectorAll('ol ul li .katex')).toHaveLength(2)
  expect(textOf(body.querySelector('ol ul li'))).toContain('for')
  expect(body.querySelectorAll('blockquote .katex-display')).toHaveLength(1)
  expect(body.querySelectorAll('th')).toHaveLength(2)
  expect(body.querySelectorAll('th .katex')).toHaveLength(1)
  expect(body.querySelector('pre')).toBeNull()
})

test('a table’s rows have figures without citations, formulas once, and links without addresses', async () => {
  const source = { n: 1, media_id: 'm1', title: 'Lease', url: '/media/m1', snippet: '' }
  await renderPart(
    <CitedSourcesProvider value={[source as never]}>
      <MarkdownBody
        text={'| Rent | €1200[1] |\n|---|---|\n| [docs](https://example.com) | $x^2$ |\n| 1200 [1] | see [7] |'}
        isStreaming={false}
      />
    </CitedSourcesProvider>,
  )
  await expect.poll(() => document.querySelectorAll('.katex').length).toBe(1)
  const table = document.querySelector('table')
  expect(table === null ? null : rowsOf(table)).toEqual([
    ['Rent', '€1200'],
    ['docs', 'x^2'],
    ['1200', 'see [7]'],
  ])
})
