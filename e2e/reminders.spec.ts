import type { NotificationsResponseJson, ReminderJson, RemindersResponseJson } from '@mira/shared'
import type { Page } from '@playwright/test'
import { expect, expectAccessible, test } from './support/fixtures.ts'
import type { Account } from './support/server.ts'

/** Calls the API with the account's token. */
async function call<Json>(page: Page, { token }: Account, path: string, data?: object): Promise<Json> {
  const headers = { authorization: `Bearer ${token}` }
  const response =
    data === undefined
      ? await page.request.get(`/api${path}`, { headers })
      : await page.request.post(`/api${path}`, { headers, data })
  expect(response.ok(), `${path}: ${response.status()}`).toBe(true)
  return (await response.json()) as Json
}

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString()
const bell = (page: Page, unread: number) =>
  page.getByRole('button', { name: unread === 0 ? 'Notifications' : `Notifications, ${unread} unread`, exact: true })

test('a due reminder shows a toast on one device and a notification on each, and is snoozed and completed', async ({
  userPage,
  account,
  openPageAs,
}) => {
  const otherTab = await userPage.context().newPage()
  const otherDevice = await openPageAs(account)
  const tabs = [userPage, otherTab, otherDevice]
  await userPage.goto('/dashboard')
  await otherTab.goto('/gallery')
  await otherDevice.goto('/upload')
  for (const tab of tabs) await expect(bell(tab, 0)).toBeVisible()

  const tea = await call<ReminderJson>(userPage, account, '/reminders', { text: 'Tea is ready', due_at: inSeconds(1) })
  const toasts = (tab: Page) => tab.getByRole('listitem').filter({ hasText: /Tea is ready.*Reminder, due/ })
  const toastCounts = async () => Promise.all(tabs.map((tab) => toasts(tab).count()))
  await expect.poll(async () => (await toastCounts()).toSorted(), { timeout: 60_000 }).toEqual([0, 0, 1])
  for (const tab of tabs) await expect(bell(tab, 1)).toBeVisible()
  // every device has received it by now, and the others still show no toast
  expect((await toastCounts()).toSorted()).toEqual([0, 0, 1])

  const toastTab = tabs[(await toastCounts()).indexOf(1)] as Page
  await toastTab.bringToFront()
  await expectAccessible(toastTab)
  await toasts(toastTab).getByRole('button', { name: '10 min' }).click()
  await expect(toastTab.getByText('You’ll be reminded again').first()).toBeVisible()
  for (const tab of tabs) await expect(bell(tab, 0)).toBeVisible()
  const { reminders } = await call<RemindersResponseJson>(userPage, account, '/reminders')
  expect(reminders.map(({ id, text }) => [id, text])).toEqual([[tea.id, 'Tea is ready']])
  expect(Date.parse(reminders[0]?.due_at ?? '')).toBeGreaterThan(Date.now() + 5 * 60_000)

  const next = userPage.getByRole('list', { name: 'Up next' }).getByRole('listitem')
  await next.getByRole('button', { name: 'More actions for Tea is ready' }).click()
  await userPage.getByRole('menuitem', { name: 'Snooze: 1 hour' }).click()
  const due = async () => {
    const { reminders } = await call<RemindersResponseJson>(userPage, account, '/reminders')
    return Date.parse(reminders[0]?.due_at ?? '')
  }
  await expect.poll(due).toBeGreaterThan(Date.now() + 50 * 60_000)
  await expect(next).toContainText('Tea is ready')
  await next.getByRole('button', { name: 'Done: Tea is ready' }).click()
  await expect(next).toHaveCount(0)
  expect((await call<RemindersResponseJson>(userPage, account, '/reminders')).reminders).toEqual([])
  await otherTab.close()
})

test('a reminder due in the chat doesn’t cover the Send button, on a desktop and on a phone', async ({
  userPage: page,
  account,
}) => {
  for (const [index, width] of [1440, 360].entries()) {
    await page.setViewportSize({ width, height: 800 })
    await page.goto('/chat')
    const message = page.getByRole('textbox', { name: 'Message' })
    await message.fill('One\nTwo\nThree\nFour')
    await call(page, account, '/reminders', { text: `Tea number ${index}`, due_at: inSeconds(1) })
    await expect(page.getByRole('listitem').filter({ hasText: `Tea number ${index}` })).toBeVisible()
    // the click fails if something covers the button
    await page.getByRole('button', { name: 'Send', exact: true }).click({ timeout: 10_000 })
    await expect(page.getByRole('article', { name: 'Answer from Mira' })).toBeVisible()
  }
})

test('reminders due while signed out show one toast at the next sign-in, and are read in the notifications', async ({
  page,
  account,
  openPageAs,
}) => {
  for (const text of ['Call Anna', 'Water the plants']) {
    await call(page, account, '/reminders', { text, due_at: inSeconds(1) })
  }
  const unread = async () => (await call<NotificationsResponseJson>(page, account, '/notifications')).unread_count
  await expect.poll(unread, { timeout: 60_000 }).toBe(2)

  const tab = await openPageAs(account)
  await tab.goto('/dashboard')
  await expect(tab.getByText('2 reminders were due').first()).toBeVisible()
  await tab.getByRole('button', { name: 'Show', exact: true }).click()
  const panel = tab.getByRole('dialog', { name: 'Notifications' })
  const rows = panel.getByRole('list', { name: 'Notifications' }).getByRole('listitem')
  await expect(rows).toHaveCount(2)
  await expect(rows.filter({ hasText: 'Reminder: Call Anna' })).toBeVisible()
  await expectAccessible(tab)
  await rows.filter({ hasText: 'Water the plants' }).getByRole('button', { name: 'Mark as read' }).click()
  await expect(rows.getByRole('button', { name: 'Mark as read' })).toHaveCount(1)
  await panel.getByRole('button', { name: 'Mark all as read' }).click()
  await expect(rows.getByRole('button', { name: 'Mark as read' })).toHaveCount(0)
  await tab.keyboard.press('Escape')
  await expect(bell(tab, 0)).toBeVisible()

  // the toast is shown once, not at every reload
  await tab.reload()
  await expect(bell(tab, 0)).toBeVisible()
  await expect(tab.getByText('2 reminders were due')).toHaveCount(0)
})
