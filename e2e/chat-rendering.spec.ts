import type { Page } from '@playwright/test'
import { answers } from './support/chat-page.ts'
import { expect, test } from './support/fixtures.ts'

const answer = [
  '## Plan\n\nSo **bold words** and `a call()` and [the docs](https://example.com/a) come, ',
  'with \\(x^2 + 1\\) and $y_1 + y_2$ for $5.\n\n',
  '$$\n\\int_0^1 x\\,dx = \\frac{1}{2}\n$$\n\n',
  '```python\ndef area(r):\n    return 3.14 * r ** 2\n```\n\n',
  '| Name | Value |\n| --- | --- |\n| pi | 3.14 |\n| e | 2.72 |\n\n',
  '- [x] written\n- [ ] read\n\nThe end of it.',
].join('')

/** State of the rendered answer after each frame. */
interface Drawing {
  text: string
  counts: Record<string, number>
  hasFirstBlock: boolean
}

/** Records the rendered answer from now on, whenever it changes. */
async function watchDrawings(page: Page): Promise<void> {
  await page.evaluate(() => {
    const drawings: Drawing[] = []
    let first: Element | null = null
    const look = () => {
      const shown = document.querySelector<HTMLElement>('article .markdown')
      first ??= shown?.querySelector('h3') ?? null
      if (shown && drawings.at(-1)?.text !== shown.textContent) {
        const marks = { headings: 'h3', bold: 'strong', code: 'pre', formulas: '.katex', wrong: '.katex-error' }
        const shapes = { ...marks, tables: 'table', rows: 'tr', items: 'li', links: 'a' }
        const count = ([name, selector]: string[]) => [name, shown.querySelectorAll(selector!).length]
        drawings.push({
          text: shown.textContent,
          counts: Object.fromEntries(Object.entries(shapes).map(count)),
          hasFirstBlock: first === null || first.isConnected,
        })
      }
      requestAnimationFrame(look)
    }
    look()
    Object.assign(window, { drawings })
  })
}

test('rich text streams in without half-written markup, disappearing elements, or re-created blocks', async ({
  userPage,
  server,
}) => {
  server.openAi.when('Write richly', { text: answer.match(/[\s\S]{1,3}/g)!, delayMs: 25 })
  await userPage.goto('/chat')
  // The formula renderer is loaded with the first formula.
  server.openAi.when('A formula first', { text: 'It is \\(a + b\\).' })
  const composer = userPage.getByRole('textbox', { name: 'Message' })
  await composer.fill('A formula first')
  await composer.press('Enter')
  await expect(answers(userPage).locator('.katex')).toHaveCount(1)
  await userPage.getByRole('link', { name: 'New chat' }).first().click()
  await expect(answers(userPage)).toHaveCount(0)

  await watchDrawings(userPage)
  await composer.fill('Write richly')
  await composer.press('Enter')
  await expect(answers(userPage)).toContainText('The end of it.')
  const drawings = await userPage.evaluate(() => (window as unknown as { drawings: Drawing[] }).drawings)
  expect(drawings.length).toBeGreaterThan(20)

  const last = drawings.at(-1)!
  expect(last.counts).toMatchObject({
    headings: 1,
    bold: 1,
    code: 1,
    formulas: 3,
    wrong: 0,
    tables: 1,
    rows: 3,
    items: 2,
  })
  for (const [index, { text, counts, hasFirstBlock }] of drawings.entries()) {
    expect(text, 'half-written markup').not.toMatch(/\*\*\w|\]\(|```|\| ?-|\\\(|\\\[|\$y|\$\$|\[ ?\]|^##/m)
    expect(hasFirstBlock, 'the first block is still the same element').toBe(true)
    const before = drawings[index - 1]?.counts ?? {}
    const disappeared = Object.keys(counts).filter((name) => counts[name]! < (before[name] ?? 0))
    expect(disappeared, `elements that disappeared before ${JSON.stringify(text.slice(-40))}`).toEqual([])
  }
})

test('an invalid formula is shown as its source', async ({ userPage, server }) => {
  server.openAi.when('Get it wrong', { text: 'So \\(\\frac{1}{\\) and \\(\\nosuchword x\\), but \\(a + b\\).' })
  await userPage.goto('/chat')
  const composer = userPage.getByRole('textbox', { name: 'Message' })
  await composer.fill('Get it wrong')
  await composer.press('Enter')
  await expect(answers(userPage).locator('.katex')).toHaveCount(1)
  await expect(answers(userPage)).toContainText('So \\frac{1}{ and \\nosuchword x, but')
})

test('HTML entities are decoded, and no other text can become markup or code', async ({
  userPage,
  server,
  pageErrors,
}) => {
  server.openAi.when('Name them', { text: 'Fish &amp; chips &copy; 2026, &notaname; and &lt;b&gt;.' })
  await userPage.goto('/chat')
  const composer = userPage.getByRole('textbox', { name: 'Message' })
  await composer.fill('Name them')
  await composer.press('Enter')
  await expect(answers(userPage)).toContainText('Fish & chips © 2026, &notaname; and <b>.')
  const outcomes = await userPage.evaluate(() =>
    [
      () => document.createElement('p').setHTMLUnsafe('<img src="x" onerror="alert(1)">'),
      () => document.createElement('p').insertAdjacentHTML('beforeend', '<b>bold</b>'),
      () => new Worker('/another.js'),
      () =>
        (
          window as unknown as { trustedTypes: { createPolicy(name: string, rules: object): void } }
        ).trustedTypes.createPolicy('another', {}),
    ].map((act) => {
      try {
        act()
        return 'done'
      } catch (error) {
        return (error as Error).name
      }
    }),
  )
  expect(outcomes).toEqual(['TypeError', 'TypeError', 'TypeError', 'TypeError'])
  // only the violations caused by this test
  expect(pageErrors.splice(0).every((text) => /Trusted/i.test(text))).toBe(true)
})
