import type { Page } from '@playwright/test'
import { expect, expectAccessible, test } from './support/fixtures.ts'

const composer = (page: Page) => page.getByRole('textbox', { name: 'Message' })
const answers = (page: Page) => page.getByRole('article', { name: 'Answer from Mira' })

test('what a reasoning model thought is folded away, and stays after a reload', async ({ userPage, server }) => {
  server.openAi.when('Think it over', {
    reasoning: ['First I look at the tide. ', 'Then at the moon.'],
    text: 'It rises.',
  })
  await userPage.goto('/chat')
  await composer(userPage).fill('Think it over')
  await composer(userPage).press('Enter')
  await expect(answers(userPage)).toContainText('It rises.')
  const thoughts = userPage.getByText('First I look at the tide. Then at the moon.')
  await expect(userPage.getByText('Thought for a while')).toBeVisible()
  await expect(thoughts).toBeHidden()
  await userPage.reload()
  await userPage.getByText('Thought for a while').click()
  await expect(thoughts).toBeVisible()
  await expectAccessible(userPage)
})

test('calls of agents have cards with what was asked and what came of it', async ({ userPage }) => {
  const ids = { session_id: '0198c3a0-0000-7000-8000-000000000001', message_id: '0198c3a0-0000-7000-8000-000000000003' }
  const calculator = { type: 'agent', name: 'CalculatorAgent' }
  const events = [
    {
      type: 'session',
      ...ids,
      user_message_id: '0198c3a0-0000-7000-8000-000000000002',
      session_name: 'Sums',
    },
    { ...calculator, call_id: 'one', state: 'started', arguments: { input: '15% of 80' } },
    { ...calculator, call_id: 'two', state: 'started', arguments: '{"input": 1 +' },
    { ...calculator, call_id: 'one', state: 'finished', summary: '15% of 80 = 12', duration_ms: 40 },
    { ...calculator, call_id: 'two', state: 'failed', summary: 'The expression is not complete.' },
    { type: 'chunk', content: 'That makes 12.' },
    {
      type: 'complete',
      ...ids,
      model_used: 'test-model',
      engine: 'remote',
      usage: null,
      duration_ms: 90,
      interrupted: false,
    },
  ]
  const lines = events.map((event, index) => `id: ${index + 1}\ndata: ${JSON.stringify(event)}\n\n`)
  await userPage.route('**/api/chat/message', (route) =>
    route.fulfill({ contentType: 'text/event-stream', body: `${lines.join('')}data: [DONE]\n\n` }),
  )
  await userPage.goto('/chat')
  await composer(userPage).fill('How much is 15% of 80?')
  await composer(userPage).press('Enter')
  await expect(answers(userPage)).toContainText('That makes 12.')
  const cards = userPage.getByRole('list', { name: 'Agent calls' }).getByRole('listitem')
  await expect(cards).toHaveText([/CalculatorAgent.*finished.*15% of 80 = 12/, /CalculatorAgent.*failed.*not complete/])
  await expect(cards.first().getByText('input: 15% of 80')).toBeHidden()
  await cards.first().getByText('What it was asked').click()
  await expect(cards.first().getByText('input: 15% of 80')).toBeVisible()
  await expectAccessible(userPage)
})

test('formulas, coloured code, tables and task lists are drawn as they are meant', async ({ userPage, server }) => {
  server.openAi.when('Show me everything', {
    text: [
      'The sum \\(x^2 + 1\\) costs $5 and $10.\n\n$$\n\\int_0^1 x\\,dx = \\frac{1}{2}\n$$\n\n',
      '```python\ndef area(r):\n    return 3.14 * r ** 2  # a circle\n```\n\n',
      '| Name | Value |\n| --- | --- |\n| pi | 3.14 |\n\n',
      '- [x] written\n- [ ] read\n',
    ],
  })
  await userPage.goto('/chat')
  await composer(userPage).fill('Show me everything')
  await composer(userPage).press('Enter')
  await expect(answers(userPage).locator('.katex')).toHaveCount(2)
  await expect(answers(userPage).locator('.katex-display')).toBeVisible()
  await expect(answers(userPage)).toContainText('costs $5 and $10.')
  await expect(answers(userPage).locator('.hljs-keyword').first()).toHaveText('def')
  await expect(answers(userPage).getByText('python', { exact: true })).toBeVisible()
  await expect(answers(userPage).getByRole('table')).toContainText('pi')
  await expect(answers(userPage).getByRole('img', { name: 'not done' })).toBeVisible()
  const font = await answers(userPage)
    .locator('.katex')
    .first()
    .evaluate(async (formula) => {
      await document.fonts.ready
      return getComputedStyle(formula).fontFamily
    })
  expect(font).toContain('KaTeX_Main')
  await expectAccessible(userPage)
})
