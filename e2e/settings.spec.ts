import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { createConversation, listConversations } from './support/conversations.ts'
import { expect, expectAccessible, test, themesAndWidths } from './support/fixtures.ts'

const address = '/dashboard?tab=settings'

function theme(page: Page) {
  return page.locator('html').getAttribute('data-theme')
}

async function storedSettings(page: Page): Promise<unknown> {
  return JSON.parse((await page.evaluate(() => localStorage.getItem('settings'))) ?? 'null')
}

test('the profile is shown read-only', async ({ userPage, account }) => {
  await userPage.goto(address)
  const fullName = userPage.getByLabel('Full Name')
  await expect(fullName).toHaveValue(account.user.full_name!)
  await expect(fullName).not.toBeEditable()
  await expect(userPage.getByLabel('Email')).toHaveValue(account.user.email)
  await expect(userPage.getByLabel('Email')).not.toBeEditable()
})

test('a chosen theme applies immediately and survives a reload', async ({ userPage }) => {
  await userPage.goto(address)
  await expect(userPage.getByRole('radio', { name: 'Light' })).toBeChecked()
  await userPage.getByRole('radio', { name: 'Dark' }).check()
  expect(await theme(userPage)).toBe('dark')
  await expect(userPage.locator('meta[name=theme-color]')).toHaveAttribute('content', '#1f2937')
  await userPage.reload()
  await expect(userPage.getByRole('radio', { name: 'Dark' })).toBeChecked()
  expect(await theme(userPage)).toBe('dark')

  await userPage.getByRole('button', { name: 'Switch to light', exact: true }).click()
  await expect(userPage.getByRole('radio', { name: 'Light' })).toBeChecked()
  expect(await userPage.evaluate(() => localStorage.getItem('theme'))).toBe('light')
})

test('the theme can follow the system again', async ({ userPage }) => {
  await userPage.goto(address)
  const follow = userPage.getByRole('checkbox', { name: 'Follow the system' })
  await expect(follow).toBeChecked()
  await userPage.getByRole('radio', { name: 'Dark' }).check()
  await expect(follow).not.toBeChecked()

  await follow.check()
  await expect(userPage.getByRole('radio', { name: 'Light' })).toBeChecked()
  expect(await userPage.evaluate(() => localStorage.getItem('theme'))).toBeNull()
  await userPage.emulateMedia({ colorScheme: 'dark' })
  await expect(userPage.getByRole('radio', { name: 'Dark' })).toBeChecked()

  await follow.uncheck()
  expect(await userPage.evaluate(() => localStorage.getItem('theme'))).toBe('dark')
})

const save = (page: Page) => page.getByRole('button', { name: /^(Save Settings|Einstellungen speichern)$/ }).click()

test('a saved change is confirmed for two seconds and survives a reload', async ({ userPage }) => {
  await userPage.goto(address)
  await userPage.getByRole('switch', { name: 'Data Saver Mode' }).check()
  await save(userPage)
  const saved = userPage.getByText('Settings saved')
  await expect(saved).toBeVisible()
  await expect(saved).toHaveCount(0, { timeout: 3000 })
  expect(await storedSettings(userPage)).toEqual({
    notifications: true,
    language: 'en',
    timezone: 'UTC',
    autoSave: true,
    dataSaver: true,
    analytics: true,
    enterSends: true,
  })
  await userPage.reload()
  await expect(userPage.getByRole('switch', { name: 'Data Saver Mode' })).toBeChecked()
})

test('unsaved changes are listed, survive a visit to another tab, and apply with Save Settings', async ({
  userPage,
}) => {
  await userPage.goto(address)
  await userPage.getByLabel('Language').selectOption('German')
  await userPage.getByRole('switch', { name: 'Notifications' }).uncheck()
  await expect(userPage.getByText('You have unsaved changes: Notifications and Language')).toBeVisible()
  await expect(userPage.getByRole('heading', { name: 'Language & Region' })).toBeVisible()
  expect(await storedSettings(userPage)).toBeNull()

  await userPage.getByRole('tab', { name: 'Overview' }).click()
  await userPage.getByRole('tab', { name: 'Settings' }).click()
  await expect(userPage.getByRole('switch', { name: 'Notifications' })).not.toBeChecked()
  await userPage.getByRole('button', { name: 'Discard changes' }).click()
  await expect(userPage.getByRole('switch', { name: 'Notifications' })).toBeChecked()
  await expect(userPage.getByLabel('Language')).toHaveValue('en')

  await userPage.getByLabel('Language').selectOption('German')
  await userPage.getByRole('switch', { name: 'Notifications' }).uncheck()
  await save(userPage)
  await expect(userPage.getByRole('heading', { name: 'Sprache und Region' })).toBeVisible()
  await expect(userPage.getByText('Einstellungen gespeichert')).toBeVisible()
  expect(await storedSettings(userPage)).toMatchObject({ language: 'de', notifications: false })
})

test('a saved language applies immediately everywhere and survives a reload', async ({ userPage }) => {
  await userPage.goto(address)
  const select = userPage.locator('select').first()
  const saveButton = userPage.getByRole('button', {
    name: /^(Save Settings|Guardar ajustes|Enregistrer les paramètres|Einstellungen speichern)$/,
  })
  await expect(select.locator('option')).toHaveText(['English', 'Spanish', 'French', 'German'])
  for (const [language, heading, dashboard] of [
    ['es', 'Idioma y región', 'Panel'],
    ['fr', 'Langue et région', 'Tableau de bord'],
    ['de', 'Sprache und Region', 'Dashboard'],
  ] as const) {
    await select.selectOption(language)
    await saveButton.click()
    await expect(userPage.getByRole('heading', { name: heading })).toBeVisible()
    await expect(userPage.getByRole('navigation').getByRole('link', { name: dashboard, exact: true })).toBeVisible()
    await expect(userPage.locator('html')).toHaveAttribute('lang', language)
  }
  await userPage.reload()
  await expect(userPage.getByRole('heading', { name: 'Sprache und Region' })).toBeVisible()
  await select.selectOption('en')
  await saveButton.click()
  await expect(userPage.getByRole('heading', { name: 'Language & Region' })).toBeVisible()
})

test('times are shown in the chosen time zone, which is sent to the server', async ({ userPage }) => {
  await userPage.goto(address)
  const select = userPage.getByLabel('Time Zone')
  await expect(select.locator('option')).toHaveText([
    'UTC',
    'Eastern Time',
    'Central Time',
    'Mountain Time',
    'Pacific Time',
    'All time zones…',
  ])
  const readSignInTime = async () => {
    await userPage.getByRole('tab', { name: 'Overview' }).click()
    const time = userPage.getByRole('listitem').filter({ hasText: 'You signed in' }).locator('time')
    const [moment, title] = [await time.getAttribute('datetime'), await time.getAttribute('title')]
    return { moment: new Date(moment!), title }
  }
  const format = (moment: Date, timeZone: string) =>
    new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short', timeZone }).format(moment)

  const inUtc = await readSignInTime()
  expect(inUtc.title).toBe(format(inUtc.moment, 'UTC'))

  await userPage.getByRole('tab', { name: 'Settings' }).click()
  await select.selectOption('Pacific Time')
  await save(userPage)
  const request = userPage.waitForRequest('**/api/dashboard/activity*')
  const inPacific = await readSignInTime()
  expect(inPacific.title).toBe(format(inUtc.moment, 'America/Los_Angeles'))
  expect((await request).headers()['x-time-zone']).toBe('America/Los_Angeles')
})

test.describe('a German browser in Berlin', () => {
  test.use({ locale: 'de-DE', timezoneId: 'Europe/Berlin', colorScheme: 'dark' })

  test('starts in its own language', async ({ page }) => {
    await page.goto('/login')
    await expect(page.getByRole('button', { name: 'Anmelden', exact: true })).toBeVisible()
    await expect(page.getByLabel('Sprache')).toHaveValue('de')
  })

  test('starts in its own time zone, stores complete settings, and shows reminders in its time zone', async ({
    page,
    account,
    server,
  }) => {
    await page.addInitScript((token) => localStorage.setItem('token', token), account.token)
    await page.goto('/dashboard?tab=settings')
    await expect(page.getByLabel('Zeitzone')).toHaveValue('Europe/Berlin')
    await page.getByRole('switch', { name: 'Datensparmodus' }).check()
    await save(page)
    expect(await storedSettings(page)).toEqual({
      notifications: true,
      language: 'de',
      timezone: 'Europe/Berlin',
      autoSave: true,
      dataSaver: true,
      analytics: true,
      enterSends: true,
    })
    const dueAt = new Date(Date.now() + (5 * 60 + 39) * 60_000 + 20_000)
    await server.call('POST', '/reminders', {
      token: account.token,
      body: { text: 'Anna anrufen', due_at: dueAt.toISOString(), time_zone: 'Europe/Berlin' },
    })
    await page.goto('/agents?agent=ReminderAgent')
    await expect(page.getByRole('listitem').filter({ hasText: 'Anna anrufen' })).toContainText(
      /\d\d:\d\d Berlin, in 5 h 39 min/,
    )
  })
})

test.describe('a British browser', () => {
  test.use({ locale: 'en-GB', timezoneId: 'Europe/London' })

  test('shows dates and times in the British format', async ({ page, account, server }) => {
    const dueAt = new Date(Date.UTC(new Date().getUTCFullYear() + 1, 5, 5, 14, 5)).toISOString()
    await server.call('POST', '/reminders', {
      token: account.token,
      body: { text: 'Water the fern', due_at: dueAt, time_zone: 'Europe/London' },
    })
    await page.addInitScript((token) => localStorage.setItem('token', token), account.token)
    await page.goto('/agents?agent=ReminderAgent')
    const reminder = page.getByRole('listitem').filter({ hasText: 'Water the fern' })
    await expect(reminder).toContainText(/5 Jun 20\d\d, 15:05 London/)
    await expect(page.locator('html')).toHaveAttribute('lang', 'en')
  })
})

test('language, time zone and theme apply to the account’s other devices, immediately where the app is open', async ({
  userPage,
  account,
  openPageAs,
}) => {
  const other = await openPageAs(account)
  await other.goto('/dashboard')
  await userPage.goto(address)
  await userPage.getByLabel('Time Zone').selectOption('All time zones…')
  const dialog = userPage.getByRole('dialog', { name: 'Choose a time zone' })
  await dialog.getByLabel('Search by city or zone').fill('são pau')
  await expect(dialog.getByRole('listitem')).toHaveCount(1)
  await expectAccessible(userPage)
  await dialog.getByRole('button', { name: /Sao Paulo/ }).click()
  await expect(userPage.getByLabel('Time Zone')).toHaveValue('America/Sao_Paulo')
  await userPage.getByRole('radio', { name: 'Dark' }).check()
  await userPage.locator('select').first().selectOption('fr')
  await save(userPage)
  await expect(other.getByRole('navigation').getByRole('link', { name: 'Tableau de bord', exact: true })).toBeVisible()
  await expect(other.locator('html')).toHaveAttribute('data-theme', 'dark')

  const third = await openPageAs(account)
  await third.goto(address)
  await expect(third.getByLabel('Fuseau horaire')).toHaveValue('America/Sao_Paulo')
  await expect(third.locator('html')).toHaveAttribute('data-theme', 'dark')
  expect(await storedSettings(third)).toMatchObject({ language: 'fr', timezone: 'America/Sao_Paulo', analytics: true })
})

test('turning off Usage Analytics is sent to the server with requests', async ({ userPage }) => {
  await userPage.goto(address)
  await userPage.getByRole('switch', { name: 'Usage Analytics' }).uncheck()
  await save(userPage)
  const request = userPage.waitForRequest('**/api/dashboard/overview')
  await userPage.getByRole('tab', { name: 'Overview' }).click()
  expect((await request).headers()['x-analytics']).toBe('off')
})

test('settings that the browser can’t store are reported as a failure', async ({ userPage }) => {
  await userPage.goto(address)
  await expect(userPage.getByRole('button', { name: 'Save Settings' })).toBeVisible()
  await userPage.evaluate(() => {
    Storage.prototype.setItem = () => {
      throw new DOMException('The quota has been exceeded.', 'QuotaExceededError')
    }
  })
  await userPage.getByRole('button', { name: 'Save Settings' }).click()
  await expect(userPage.getByText('Failed to save settings')).toBeVisible()
  await expect(userPage.getByText('Failed to save settings')).toHaveCount(0, { timeout: 3000 })
})

test('corrupt saved settings are ignored', async ({ userPage }) => {
  for (const corrupt of ['{"language":', '[1]', '{"language":"tlh","timezone":"Mars/Olympus","dataSaver":"yes"}']) {
    await userPage.goto(address)
    await userPage.evaluate((text) => localStorage.setItem('settings', text), corrupt)
    await userPage.reload()
    await expect(userPage.getByLabel('Language')).toHaveValue('en')
    await expect(userPage.getByLabel('Time Zone')).toHaveValue('UTC')
    await expect(userPage.getByRole('switch', { name: 'Data Saver Mode' })).not.toBeChecked()
  }
})

test('Clear All Data asks first, clears this browser and keeps the data on the server', async ({
  server,
  account,
  userPage,
}) => {
  await createConversation(server, account, 'Safe on the server')
  await userPage.goto(address)
  await userPage.evaluate(() => {
    localStorage.setItem('theme', 'dark')
    sessionStorage.setItem('something', 'else')
  })
  const clear = userPage.getByRole('button', { name: 'Clear All Data' })
  const dialog = userPage.getByRole('alertdialog', {
    name: 'Are you sure you want to clear all data? This action cannot be undone.',
  })

  await clear.click()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(dialog).toHaveCount(0)
  expect(await userPage.evaluate(() => localStorage.getItem('theme'))).toBe('dark')

  await clear.click()
  await dialog.getByRole('button', { name: 'Clear All Data' }).click()
  await expect(userPage).toHaveURL(/\/login$/)
  await expect(userPage.getByRole('button', { name: 'Sign in', exact: true })).toBeVisible()
  expect(await userPage.evaluate(() => ({ ...localStorage }))).toEqual({})
  expect(await userPage.evaluate(() => sessionStorage.getItem('something'))).toBeNull()
  expect(await listConversations(server, account)).toHaveLength(1)
})

test('a browser that can’t be cleared is reported, and the page stays', async ({ userPage }) => {
  await userPage.goto(address)
  const clear = userPage.getByRole('button', { name: 'Clear All Data' })
  await expect(clear).toBeVisible()
  await userPage.evaluate(() => {
    Storage.prototype.clear = () => {
      throw new DOMException('The operation is insecure.', 'SecurityError')
    }
  })
  await clear.click()
  await userPage.getByRole('alertdialog').getByRole('button', { name: 'Clear All Data' }).click()
  await expect(userPage.getByText('Not everything could be cleared', { exact: true })).toBeVisible()
  await expect(clear).toBeVisible()
})

test('a user’s data is exported as one file, and deleted after entering the password', async ({
  userPage,
  account,
  server,
}) => {
  await server.call('POST', '/reminders', {
    token: account.token,
    body: { text: 'water the plants', due_at: '2030-01-01T09:00:00Z' },
  })
  await userPage.goto(address)
  const download = userPage.waitForEvent('download')
  await userPage.getByRole('button', { name: 'Export My Data' }).click()
  const file = await download
  expect(file.suggestedFilename()).toMatch(/^mira-export-.*\.zip$/)
  const content = await readFile(await file.path())
  expect(content.subarray(0, 2).toString()).toBe('PK')
  await expect(userPage.getByText('Your export is complete', { exact: true })).toBeVisible()

  await userPage.getByRole('button', { name: 'Delete My Data' }).click()
  const dialog = userPage.getByRole('dialog', { name: 'Delete all your data?' })
  await dialog.getByLabel('Your password').fill('not my password')
  await dialog.getByRole('button', { name: 'Delete My Data' }).click()
  await expect(dialog.getByText('The password is wrong.')).toBeVisible()
  await expectAccessible(userPage)
  await dialog.getByLabel('Your password').fill(account.password)
  await dialog.getByRole('button', { name: 'Delete My Data' }).click()
  const receipt = userPage.getByRole('dialog', { name: 'Your data was deleted' })
  await expect(receipt).toContainText('Reminders')
  await receipt.getByRole('button', { name: 'Done' }).click()
  const remaining = await server.call<{ reminders: unknown[] }>('GET', '/reminders', { token: account.token })
  expect(remaining.reminders).toEqual([])
})

test('the tab has the password, the devices and the API tokens', async ({ userPage }) => {
  await userPage.goto(address)
  for (const name of ['Change Password', 'Signed-in Devices', 'API Tokens']) {
    await expect(userPage.getByRole('heading', { name, exact: true })).toBeVisible()
  }
  await expect(userPage.getByText('This device', { exact: true })).toBeVisible()
})

for (const { colorScheme, width } of themesAndWidths) {
  test.describe(`in the ${colorScheme} theme at ${width} px`, () => {
    test.use({ colorScheme, viewport: { width, height: 800 } })

    test('the settings pass axe and don’t overflow', async ({ userPage }) => {
      await userPage.goto(address)
      await expect(userPage.getByText('This device', { exact: true })).toBeVisible()
      await expectAccessible(userPage)
      expect(await userPage.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
    })
  })
}
