import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { haveConversation, listConversations } from './support/conversations.ts'
import { expect, expectAccessible, looks, test } from './support/fixtures.ts'

const address = '/dashboard?tab=settings'

function theme(page: Page) {
  return page.locator('html').getAttribute('data-theme')
}

async function storedSettings(page: Page): Promise<unknown> {
  return JSON.parse((await page.evaluate(() => localStorage.getItem('settings'))) ?? 'null')
}

test('the profile is shown and cannot be changed here', async ({ userPage, person }) => {
  await userPage.goto(address)
  const fullName = userPage.getByLabel('Full Name')
  await expect(fullName).toHaveValue(person.user.full_name!)
  await expect(fullName).not.toBeEditable()
  await expect(userPage.getByLabel('Email')).toHaveValue(person.user.email)
  await expect(userPage.getByLabel('Email')).not.toBeEditable()
})

test('the theme follows the choice at once, and holds after a reload', async ({ userPage }) => {
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

test('the theme of the system can be followed again', async ({ userPage }) => {
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

test('a saved change holds, which is told for two seconds', async ({ userPage }) => {
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

test('changes wait for Save Settings, are named meanwhile, and outlast a look elsewhere', async ({ userPage }) => {
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

test('a saved language changes everything at once, and holds after a reload', async ({ userPage }) => {
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

test('times are told in the chosen time zone, also to the server', async ({ userPage }) => {
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
  const signedIn = async () => {
    await userPage.getByRole('tab', { name: 'Overview' }).click()
    const time = userPage.getByRole('listitem').filter({ hasText: 'You signed in' }).locator('time')
    const [moment, title] = [await time.getAttribute('datetime'), await time.getAttribute('title')]
    return { moment: new Date(moment!), title }
  }
  const written = (moment: Date, timeZone: string) =>
    new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short', timeZone }).format(moment)

  const inUtc = await signedIn()
  expect(inUtc.title).toBe(written(inUtc.moment, 'UTC'))

  await userPage.getByRole('tab', { name: 'Settings' }).click()
  await select.selectOption('Pacific Time')
  await save(userPage)
  const request = userPage.waitForRequest('**/api/dashboard/activity*')
  const inPacific = await signedIn()
  expect(inPacific.title).toBe(written(inUtc.moment, 'America/Los_Angeles'))
  expect((await request).headers()['x-time-zone']).toBe('America/Los_Angeles')
})

test.describe('a browser that is German and in Berlin', () => {
  test.use({ locale: 'de-DE', timezoneId: 'Europe/Berlin', colorScheme: 'dark' })

  test('begins in its own language and time zone, the stored settings stay complete', async ({ page }) => {
    await page.goto('/login')
    await expect(page.getByRole('button', { name: 'Anmelden', exact: true })).toBeVisible()
    await expect(page.getByLabel('Sprache')).toHaveValue('de')
  })

  test('is told when a reminder is due, on its own clock', async ({ page, person, server }) => {
    await page.addInitScript((token) => localStorage.setItem('token', token), person.token)
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
      token: person.token,
      body: { text: 'Anna anrufen', due_at: dueAt.toISOString(), time_zone: 'Europe/Berlin' },
    })
    await page.goto('/agents?agent=ReminderAgent')
    await expect(page.getByRole('listitem').filter({ hasText: 'Anna anrufen' })).toContainText(
      /\d\d:\d\d Berlin, in 5 h 39 min/,
    )
  })
})

test.describe('a browser that is English, of Great Britain', () => {
  test.use({ locale: 'en-GB', timezoneId: 'Europe/London' })

  test('tells dates and times as they are written there', async ({ page, person, server }) => {
    const dueAt = new Date(Date.UTC(new Date().getUTCFullYear() + 1, 5, 5, 14, 5)).toISOString()
    await server.call('POST', '/reminders', {
      token: person.token,
      body: { text: 'Water the fern', due_at: dueAt, time_zone: 'Europe/London' },
    })
    await page.addInitScript((token) => localStorage.setItem('token', token), person.token)
    await page.goto('/agents?agent=ReminderAgent')
    const reminder = page.getByRole('listitem').filter({ hasText: 'Water the fern' })
    await expect(reminder).toContainText(/5 Jun 20\d\d, 15:05 London/)
    await expect(page.locator('html')).toHaveAttribute('lang', 'en')
  })
})

test('language, time zone and theme follow the account to another device, at once where it is open', async ({
  userPage,
  person,
  openPageAs,
}) => {
  const other = await openPageAs(person)
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

  const third = await openPageAs(person)
  await third.goto(address)
  await expect(third.getByLabel('Fuseau horaire')).toHaveValue('America/Sao_Paulo')
  await expect(third.locator('html')).toHaveAttribute('data-theme', 'dark')
  expect(await storedSettings(third)).toMatchObject({ language: 'fr', timezone: 'America/Sao_Paulo', analytics: true })
})

test('Usage Analytics off is told to the server with every call', async ({ userPage }) => {
  await userPage.goto(address)
  await userPage.getByRole('switch', { name: 'Usage Analytics' }).uncheck()
  await save(userPage)
  const request = userPage.waitForRequest('**/api/dashboard/overview')
  await userPage.getByRole('tab', { name: 'Overview' }).click()
  expect((await request).headers()['x-analytics']).toBe('off')
})

test('a browser that refuses to store is told as a failure', async ({ userPage }) => {
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

test('Clear All Data asks, empties this browser and leaves the server alone', async ({ server, person, userPage }) => {
  await haveConversation(server, person, 'Safe on the server')
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
  expect(await listConversations(server, person)).toHaveLength(1)
})

test('a browser that refuses to be emptied is told, and the page stays', async ({ userPage }) => {
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

test('everything of a person is exported as one file, and deleted after their password', async ({
  userPage,
  person,
  server,
}) => {
  await server.call('POST', '/reminders', {
    token: person.token,
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
  await dialog.getByLabel('Your password').fill(person.password)
  await dialog.getByRole('button', { name: 'Delete My Data' }).click()
  const receipt = userPage.getByRole('dialog', { name: 'Your data was deleted' })
  await expect(receipt).toContainText('Reminders')
  await receipt.getByRole('button', { name: 'Done' }).click()
  const left = await server.call<{ reminders: unknown[] }>('GET', '/reminders', { token: person.token })
  expect(left.reminders).toEqual([])
})

test('the password, the devices and the API tokens are found here', async ({ userPage }) => {
  await userPage.goto(address)
  for (const name of ['Change Password', 'Signed-in Devices', 'API Tokens']) {
    await expect(userPage.getByRole('heading', { name, exact: true })).toBeVisible()
  }
  await expect(userPage.getByText('This device', { exact: true })).toBeVisible()
})

for (const { colorScheme, width } of looks) {
  test.describe(`in the ${colorScheme} theme at ${width} px`, () => {
    test.use({ colorScheme, viewport: { width, height: 800 } })

    test('axe finds nothing on the settings, and nothing sticks out', async ({ userPage }) => {
      await userPage.goto(address)
      await expect(userPage.getByText('This device', { exact: true })).toBeVisible()
      await expectAccessible(userPage)
      expect(await userPage.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
    })
  })
}
