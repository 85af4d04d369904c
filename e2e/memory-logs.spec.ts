import { readFile } from 'node:fs/promises'
import { sendMessage } from './support/conversations.ts'
import { expect, expectAccessible, test, themesAndWidths } from './support/fixtures.ts'

const address = '/dashboard?tab=memory-logs'

test('a user finds their activity, opens its source, filters it and exports it', async ({
  server,
  account,
  userPage: page,
}) => {
  await page.goto(address)
  const timeline = page.getByRole('tabpanel')
  await expect(timeline.getByRole('heading', { name: 'Activity Timeline (0 items)' })).toBeVisible()
  await expect(timeline.getByRole('heading', { name: 'No logs found' })).toBeVisible()
  await expect(timeline.getByText('Try adjusting your search or filter criteria')).toBeVisible()
  await page.getByRole('button', { name: 'Search Accuracy' }).click()
  await expect(page.getByRole('tooltip', { name: /^Not measured yet: .*where you opened a result/ })).toBeVisible()
  await page.keyboard.press('Escape')

  // activity on another device appears live
  const sessionId = await sendMessage(server, account, '=SUM(1) What is a lighthouse for?')
  await expect(timeline.getByRole('heading', { name: 'Activity Timeline (1 item)' })).toBeVisible()
  await server.call('POST', '/agents/CalculatorAgent/run', { token: account.token, body: { input: '6 * 7' } })
  await server.call('GET', '/media/search?query=harbour%20at%20dawn', account)
  await page.reload()
  await expect(timeline.getByRole('heading', { name: 'Activity Timeline (3 items)' })).toBeVisible()

  const entry = timeline.getByRole('button', { name: /^=SUM\(1\) What is a lighthouse for/ })
  await entry.click()
  await expect(entry).toHaveAttribute('aria-expanded', 'true')
  await expect(timeline.getByText('Processing time')).toBeVisible()
  await expect(timeline.getByRole('link', { name: 'Open conversation' })).toHaveAttribute(
    'href',
    `/chat?session=${sessionId}`,
  )

  await page.getByRole('button', { name: 'Filters' }).click()
  await page.getByLabel('Type', { exact: true }).selectOption({ label: 'Agent' })
  await page.getByLabel('Content Type').selectOption('calculation')
  await page.getByLabel('Date Range').selectOption('today')
  await expect(timeline.getByRole('heading', { name: 'Activity Timeline (1 item)' })).toBeVisible()
  await expect(page).toHaveURL(/type=agent.*range=today/)
  await page.getByLabel('Sentiment').selectOption('negative')
  await expect(timeline.getByRole('heading', { name: 'No logs found' })).toBeVisible()
  await page.getByRole('button', { name: 'Clear All Filters' }).first().click()
  await expect(timeline.getByRole('heading', { name: 'Activity Timeline (3 items)' })).toBeVisible()

  await page.getByPlaceholder('Search memory logs...').fill('HARBOUR')
  await expect(timeline.getByRole('heading', { name: 'Activity Timeline (1 item)' })).toBeVisible()
  await timeline.getByRole('button', { name: /^harbour at dawn/ }).click()
  // searching again adds another activity
  const searchResponse = page.waitForResponse((response) => response.url().includes('/api/media/search?'))
  await timeline.getByRole('link', { name: 'Search again' }).click()
  await expect(page).toHaveURL(/\/memory\?q=harbour/)
  expect((await searchResponse).status()).toBe(200)
  await page.goBack()
  await expect(page.getByPlaceholder('Search memory logs...')).toHaveValue('HARBOUR')
  await page.getByPlaceholder('Search memory logs...').fill('')
  await expect(timeline.getByRole('heading', { name: 'Activity Timeline (4 items)' })).toBeVisible()

  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export', exact: true }).click(),
  ])
  expect(file.suggestedFilename()).toMatch(/^memory_logs_\d{4}-\d\d-\d\d\.csv$/)
  const text = await readFile(await file.path(), 'utf8')
  expect(text.startsWith('\ufeffTimestamp,Type,Content,Response,Processing Time\r\n')).toBe(true)
  expect(text).toContain(`,'=SUM(1) What is a lighthouse for?,`)
})

test('a failure to load is shown and can be retried', async ({ userPage: page }) => {
  const broken = '**/api/memory/logs?**'
  await page.route(broken, (route) => route.abort())
  await page.goto(address)
  await expect(page.getByText('Couldn’t load')).toBeVisible()
  await page.unroute(broken)
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(page.getByRole('heading', { name: 'Activity Timeline (0 items)' })).toBeVisible()
})

for (const { colorScheme, width } of themesAndWidths) {
  test.describe(`in the ${colorScheme} theme at ${width} px`, () => {
    test.use({ colorScheme, viewport: { width, height: 800 } })

    test('the timeline passes axe and doesn’t overflow in any language', async ({
      server,
      account,
      userPage: page,
    }) => {
      await sendMessage(server, account, `A question with a word that is long: ${'x'.repeat(120)}`)
      await page.goto(address)
      await page.getByRole('button', { name: 'Filters' }).click()
      await page.getByRole('button', { name: /^A question with/ }).click()
      await expect(page.getByRole('link', { name: 'Open conversation' })).toBeVisible()
      await expectAccessible(page)
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
      // wide windows have room for every language
      for (const language of width < 400 ? ['es', 'fr', 'de'] : []) {
        await page.evaluate((chosen) => {
          localStorage.setItem(
            'settings',
            JSON.stringify({ ...JSON.parse(localStorage.getItem('settings') ?? '{}'), language: chosen }),
          )
        }, language)
        await page.reload()
        await expect(page.locator('html')).toHaveAttribute('lang', language)
        await expect(page.getByRole('button', { name: /^A question with/ })).toBeVisible()
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
      }
    })
  })
}
