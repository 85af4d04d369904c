import { createConversation } from './support/conversations.ts'
import { expect, expectAccessible, test } from './support/fixtures.ts'
import { upload } from './support/library.ts'

test('Ctrl+K leads to pages, conversations and searches from any screen, also while typing', async ({
  userPage,
  account,
  server,
}) => {
  await createConversation(server, account, 'Rhubarb in the garden')
  await userPage.goto('/chat')
  await userPage.getByRole('textbox', { name: 'Message' }).fill('half a sentence')
  await userPage.keyboard.press('Control+k')
  const field = userPage.getByRole('combobox', { name: 'Go to anything' })
  await expect(field).toBeFocused()
  await expectAccessible(userPage)
  await field.fill('gall')
  await expect(userPage.getByRole('option', { name: 'Gallery Page' })).toHaveAttribute('aria-selected', 'true')
  await userPage.keyboard.press('Enter')
  await expect(userPage).toHaveURL(/\/gallery$/)

  await userPage.keyboard.press('Control+k')
  await field.fill('rhubarb')
  await userPage.getByRole('option', { name: /Rhubarb.*Conversation/ }).click()
  await expect(userPage).toHaveURL(/\/chat\?session=/)

  await userPage.keyboard.press('Control+k')
  await field.fill('rhubarb pie')
  await userPage.getByRole('option', { name: 'Search the memory for “rhubarb pie”' }).click()
  await expect(userPage).toHaveURL(/\/memory\?q=rhubarb\+pie/)

  await userPage.keyboard.press('Control+k')
  await userPage.keyboard.press('Escape')
  await expect(field).toHaveCount(0)
})

test('a file opens at the words that were searched for', async ({ userPage, account, server }) => {
  await upload(server, account, 'lease.csv', 'clause,text\nrent,Paid monthly\nnotice,Three months before the end')
  await userPage.goto('/dashboard')
  await expect(userPage.getByRole('heading', { name: 'System Health' })).toBeVisible()
  await userPage.keyboard.press('Control+k')
  await userPage.getByRole('combobox', { name: 'Go to anything' }).fill('three months')
  await userPage.getByRole('option', { name: /lease\.csv/ }).click()
  await expect(userPage).toHaveURL(/\/gallery\/[^?]+\?q=three\+months$/)
  await expect(userPage.getByRole('article').locator('mark').first()).toHaveText('Three')
})

test('Ctrl+K works while a panel is open, and Escape returns to the panel', async ({ userPage, account, server }) => {
  await upload(server, account, 'lease.md', 'The notice period is three months.')
  const field = userPage.getByRole('combobox', { name: 'Go to anything' })
  await userPage.goto('/memory?q=notice+period')
  await userPage.getByRole('link', { name: 'lease.md' }).first().click()
  const panel = userPage.getByRole('dialog', { name: 'lease.md' })
  await expect(panel).toBeVisible()
  await userPage.keyboard.press('Control+k')
  await expect(field).toBeFocused()
  await userPage.keyboard.press('Escape')
  await expect(field).toHaveCount(0)
  await expect(panel).toBeVisible()
  await userPage.keyboard.press('Escape')
  await expect(panel).toHaveCount(0)

  await userPage.getByRole('button', { name: /^Notifications/ }).click()
  await expect(userPage.getByRole('dialog', { name: 'Notifications' })).toBeVisible()
  await userPage.keyboard.press('Control+k')
  await expect(field).toBeFocused()
  await field.fill('gall')
  await userPage.keyboard.press('Enter')
  await expect(userPage).toHaveURL(/\/gallery$/)
  await expect(userPage.getByRole('dialog')).toHaveCount(0)
})

test('a phone without a keyboard opens the command palette from the menu', async ({ openPageAs, account }) => {
  const page = await openPageAs(account, { hasTouch: true, viewport: { width: 390, height: 844 } })
  await page.goto('/dashboard')
  await page.getByRole('button', { name: 'Open menu' }).tap()
  await page.getByRole('button', { name: 'Go to anything' }).tap()
  const field = page.getByRole('combobox', { name: 'Go to anything' })
  await expect(field).toBeFocused()
  await field.fill('gall')
  await page
    .getByRole('option', { name: /Gallery/ })
    .first()
    .tap()
  await expect(page).toHaveURL(/\/gallery$/)
})

test('the command palette leads to settings and scrolls to them', async ({ userPage, adminPage }) => {
  await userPage.goto('/chat')
  await expect(userPage.getByRole('textbox', { name: 'Message' })).toBeVisible()
  await userPage.keyboard.press('Control+k')
  const field = userPage.getByRole('combobox', { name: 'Go to anything' })
  await field.fill('time zone')
  await userPage.getByRole('option', { name: 'Time Zone Settings' }).click()
  await expect(userPage).toHaveURL(/tab=settings#region$/)
  await expect(userPage.getByLabel('Time Zone')).toBeInViewport()
  // only administrators find their settings
  await userPage.keyboard.press('Control+k')
  await field.fill('backups')
  await expect(userPage.getByRole('option', { name: 'Search the memory for “backups”' })).toBeVisible()
  await expect(userPage.getByRole('option', { name: 'Backups Settings' })).toHaveCount(0)

  await adminPage.goto('/dashboard')
  await expect(adminPage.getByRole('heading', { name: 'System Health' })).toBeVisible()
  await adminPage.keyboard.press('Control+k')
  await adminPage.getByRole('combobox', { name: 'Go to anything' }).fill('backups')
  await adminPage.getByRole('option', { name: 'Backups Settings' }).click()
  await expect(adminPage.getByRole('heading', { name: 'Backups', exact: true })).toBeInViewport()
})

test.describe('in German', () => {
  test.use({ locale: 'de-DE' })

  test('agent commands are found by German words', async ({ page, account }) => {
    await page.addInitScript((token) => localStorage.setItem('token', token), account.token)
    await page.goto('/dashboard')
    await expect(page.getByRole('heading', { name: 'Systemstatus' })).toBeVisible()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Überall hinspringen' }).fill('wetter')
    await page.getByRole('option', { name: 'Wetter in Lissabon Agent' }).click()
    await expect(page).toHaveURL(/\/agents\?agent=WeatherAgent$/)
    // the command runs, as from the agent's card, but not again after a reload
    const panel = page.getByRole('dialog', { name: 'WeatherAgent' })
    await expect(panel.getByRole('textbox')).toHaveValue('Wetter in Lissabon')
    await page.reload()
    await expect(panel.getByRole('textbox')).toHaveValue('')
  })
})
