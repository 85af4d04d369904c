import type { AnalyticsJson } from '@mira/shared'
import { createConversation } from './support/conversations.ts'
import { expect, expectAccessible, test, themesAndWidths } from './support/fixtures.ts'

const address = '/dashboard?tab=analytics'

test('a user without activity sees that nothing was recorded, and no trends', async ({ userPage }) => {
  await userPage.goto(address)
  await expect(userPage.getByRole('heading', { name: 'System Analytics' })).toBeVisible()
  await expect(userPage.getByText('Nothing recorded')).toHaveCount(4)
  await expect(userPage.getByText('Not enough data yet.')).toHaveCount(4)
  await expect(userPage.getByRole('region', { name: 'Summary' })).toContainText('Nothing to compare with yet')
  await expect(userPage.getByRole('combobox', { name: 'Figures for' })).toHaveCount(0)
})

test('a user’s activity is shown in charts and tables, saved as CSV and reached by keyboard', async ({
  server,
  account,
  userPage,
}) => {
  await createConversation(server, account, 'Lighthouses', ['What are they for?', 'Who keeps them?'])
  const { overview } = await server.call<AnalyticsJson>('GET', '/analytics', account)
  expect(overview).toMatchObject({ total_users: 1, active_sessions: 1, chat_messages: 2, agent_calls: 0 })

  await userPage.goto(address)
  const cards = userPage.getByRole('region', { name: 'Summary' })
  for (const card of [/Total Users\s*1/, /Active Sessions\s*1/, /Chat Messages\s*2/, /Agent Calls\s*0/]) {
    await expect(cards).toContainText(card)
  }
  const period = userPage.getByRole('combobox', { name: 'Period' })
  await expect(period.locator('option')).toHaveText(['Last 24 Hours', 'Last 7 Days', 'Last 30 Days', 'Last 3 Months'])
  await expect(period).toHaveValue('week')
  await expect(userPage.getByRole('img', { name: /^Line chart of usage.*Chat 2/ })).toBeVisible()
  await expect(userPage.getByRole('img', { name: /^Pie chart of usage: Chat 100/ })).toBeVisible()
  await expect(userPage.getByText(/^Half of all answers arrive within/)).toBeVisible()
  await expectAccessible(userPage)

  const grid = userPage.getByRole('grid', { name: 'Usage Heatmap' })
  await grid.getByRole('gridcell', { name: /^Monday, 12 AM: \d+ uses?$/ }).focus()
  await userPage.keyboard.press('ArrowDown')
  await userPage.keyboard.press('ArrowRight')
  await expect(grid.getByRole('gridcell', { name: /^Tuesday, 1 AM: \d+ uses?$/ })).toBeFocused()

  await userPage.getByRole('button', { name: 'Show “Usage Trends” as a table' }).click()
  const table = userPage.getByRole('region', { name: 'Usage Trends' })
  await expect(table.getByRole('row')).toHaveCount(8)
  const saved = userPage.waitForEvent('download')
  await userPage.getByRole('button', { name: 'Save “Usage Trends” as CSV' }).click()
  expect((await saved).suggestedFilename()).toBe('usage_trends_week.csv')

  await period.selectOption('Last 24 Hours')
  await expect(table.getByRole('row')).toHaveCount(25)
})

test('an administrator sees all users or one user, in every theme and width', async ({
  server,
  account,
  adminPage,
}) => {
  await createConversation(server, account, 'Harbours', ['Where is one?'])
  await adminPage.goto(address)
  const userSelect = adminPage.getByRole('combobox', { name: 'Figures for' })
  await expect(userSelect).toHaveValue('everyone')
  await userSelect.selectOption({ value: account.user.id })
  await expect(adminPage.getByText('How one person uses')).toBeVisible()
  await expect(adminPage.getByRole('region', { name: 'Summary' })).toContainText(/Chat Messages\s*1/)

  for (const { colorScheme, width } of themesAndWidths) {
    await adminPage.emulateMedia({ colorScheme })
    await adminPage.setViewportSize({ width, height: 900 })
    await expect(adminPage.getByRole('grid')).toBeVisible()
    const overflow = await adminPage.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    expect(overflow, `at ${width} px`).toBeLessThanOrEqual(0)
    await expectAccessible(adminPage)
  }
})
