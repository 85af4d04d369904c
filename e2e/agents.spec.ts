import type { Page } from '@playwright/test'
import { rssFeed, startFeedServer } from '../apps/api/test/feed-server.ts'
import { startWeatherServer } from '../apps/api/test/weather-server.ts'
import { test as base, expect, expectAccessible } from './support/fixtures.ts'
import type { TestServer } from './support/server.ts'

/** Local weather and news sources, and no language model, so that the built-in engine answers. */
const test = base.extend<object, { sources: { weatherUrl: string; feedUrl: string; hosts: string } }>({
  sources: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's needs from this pattern
    async ({}, use) => {
      const [weather, feeds] = [await startWeatherServer(), await startFeedServer()]
      const items = [
        { title: 'A probe lands on a comet', link: 'https://example.org/comet', summary: 'After ten years.', age: 5 },
        { title: 'Bread gets cheaper', age: 50 },
      ]
      feeds.responders['/feed.xml'] = feeds.send('application/rss+xml', rssFeed(items, new Date()))
      const hosts = `${weather.host},${feeds.host}`
      await use({ weatherUrl: weather.url, feedUrl: `${feeds.url}/feed.xml`, hosts })
      weather.close()
      feeds.close()
    },
    { scope: 'worker' },
  ],
  serverEnvironment: [
    async ({ sources: { weatherUrl, hosts } }, use) =>
      use({
        OPENAI_BASE_URL: '',
        OPENAI_API_KEY: '',
        CHAT_MODEL: '',
        WEATHER_URL: weatherUrl,
        GEOCODING_URL: weatherUrl,
        FETCH_ALLOWED_HOSTS: hosts,
      }),
    { scope: 'worker' },
  ],
})

const card = (page: Page, name: string) =>
  page.getByRole('listitem').filter({ has: page.getByRole('heading', { name }) })
const panel = (page: Page) => page.getByRole('dialog')
const result = (page: Page) => page.getByRole('region', { name: /^Result of/ })

async function run(page: Page, name: string, input: string) {
  await page.goto(`/agents?agent=${name}`)
  await panel(page)
    .getByRole('textbox', { name: `Command for ${name}` })
    .fill(input)
  await panel(page).getByRole('button', { name: 'Run', exact: true }).click()
}

async function listFeed(server: TestServer, feedUrl: string) {
  const { token } = server.admin
  const settings = await server.call<{ settings?: object }>('GET', '/admin/settings', { token })
  const body = { ...(settings.settings ?? settings), news_feeds: [{ title: 'Paper', url: feedUrl, language: 'en' }] }
  await server.call('PUT', '/admin/settings', { token, body })
}

test.beforeAll(async ({ server, sources }) => listFeed(server, sources.feedUrl))

test('each agent renders its result in its own way, and its calls stay in a history until they are deleted', async ({
  userPage: page,
}) => {
  await page.goto('/agents')
  await expect(card(page, 'WeatherAgent')).toContainText('Active')
  await expect(page.getByRole('heading', { name: 'Agent system status' })).toHaveCount(0)
  await expectAccessible(page)

  // a command on a card runs immediately
  const commands = card(page, 'CalculatorAgent').getByRole('list').last().getByRole('button')
  await expect(commands).toHaveCount(3)
  await commands.first().click()
  await expect(result(page)).toBeVisible()
  const history = panel(page).getByRole('region', { name: 'Your calls' }).locator('> ul > li')
  await expect(history).toHaveCount(1)
  await run(page, 'CalculatorAgent', 'the meaning of life')
  await expect(panel(page).getByText('This didn’t work')).toBeVisible()
  await expect(history).toHaveCount(2)
  await expect(history.first()).toContainText('Failed')
  await history.last().getByRole('button', { expanded: false }).click()
  await history
    .first()
    .getByRole('button', { name: /^Delete/ })
    .click()
  await expect(history).toHaveCount(1)
  await history.getByRole('button', { name: /^Run/ }).click()
  await expect(history).toHaveCount(2)
  // the tooltip of the hovered button may cover its neighbour
  await page.mouse.move(0, 0)
  await panel(page).getByRole('button', { name: 'Delete all' }).click()
  await page.getByRole('button', { name: 'Delete history' }).click()
  await expect(panel(page).getByText('No calls yet.')).toBeVisible()

  await run(page, 'WeatherAgent', 'What is the weather in Lyon?')
  await expect(result(page).getByRole('heading', { name: 'Lyon' })).toBeVisible()
  await expect(result(page)).toContainText('7 °C')
  await expect(result(page).getByRole('list', { name: 'The next days' })).toBeVisible()
  await run(page, 'NewsAgent', 'Latest news')
  await expect(result(page).getByRole('link', { name: 'A probe lands on a comet' })).toHaveAttribute('target', '_blank')
  await expectAccessible(page)
  await run(page, 'ReminderAgent', 'Remind me tomorrow at 9 to call Ana')
  await expect(result(page)).toContainText('Reminder set')
  await expect(panel(page).getByRole('region', { name: 'Your reminders' })).toContainText('call Ana')
})

test('the intended agent answers, and the page says so when the intent is unclear', async ({ userPage: page }) => {
  await page.goto('/agents')
  const box = page.getByRole('textbox', { name: 'What should an agent do?' })
  await box.fill('What is the weather in Madrid?')
  await box.press('Enter')
  await expect(result(page)).toContainText('WeatherAgent')
  await expect(result(page)).toContainText(/\d+% sure you mean this agent/)
  await box.fill('Thank you very much')
  await box.press('Enter')
  await expect(page.getByText('Not sure which agent you mean')).toBeVisible()
  await box.fill('7 + 8')
  await page.getByRole('button', { name: 'Ask' }).click()
  await expect(result(page)).toContainText('15')
})

test('in a chat without a language model, agents answer and the logs count their calls', async ({ userPage: page }) => {
  await page.goto('/dashboard?tab=agents-logs')
  await expect(page.getByRole('heading', { name: 'No agent calls yet' })).toBeVisible()
  await page.goto('/chat')
  const answers = page.getByRole('article', { name: 'Answer from Mira' })
  for (const [question, agent, words] of [
    ['What is the weather in Lyon?', 'WeatherAgent', '7 °C'],
    ['15% of 80', 'CalculatorAgent', '12'],
    ['Show me the latest news', 'NewsAgent', 'A probe lands on a comet'],
    ['Remind me tomorrow at 9 to water the plants', 'ReminderAgent', 'water the plants'],
  ] as const) {
    await page.getByRole('textbox', { name: 'Message' }).fill(question)
    await page.getByRole('textbox', { name: 'Message' }).press('Enter')
    await expect(answers.last().getByRole('list', { name: 'Agent calls' })).toContainText(`${agent}`)
    await expect(answers.last()).toContainText(words)
    await expect(page.getByRole('textbox', { name: 'Message' })).toBeEnabled()
  }

  await page.goto('/dashboard?tab=agents-logs')
  const rows = page.getByRole('table').getByRole('row')
  await expect(rows.first()).toHaveText(/Agent.*Calls.*Success Rate.*Response Time.*Status.*Last Used/)
  await expect(rows.filter({ hasText: 'WeatherAgent' })).toContainText(/1.*100(\.0)?%.*Active/)
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Manage Agents' }).click()
  await expect(page).toHaveURL(/\/agents$/)
})

test('an administrator sees the system status on a phone, in dark and in German, and a message without agents', async ({
  adminPage: page,
}) => {
  await page.setViewportSize({ width: 360, height: 740 })
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.addInitScript(() => localStorage.setItem('settings', JSON.stringify({ language: 'de' })))
  await page.goto('/agents')
  await expect(page.getByRole('region', { name: 'Status des Agentensystems' })).toContainText('Anfragen')
  await expect(card(page, 'WeatherAgent')).toContainText('Regnet es morgen in Berlin?')
  await expectAccessible(page)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
  await page.route('**/api/agents/available', (route) => route.fulfill({ json: [] }))
  await page.goto('/agents')
  await expect(page.getByRole('heading', { name: 'Keine Agenten verfügbar' })).toBeVisible()
})
