import { readFile } from 'node:fs/promises'
import { expect, expectAccessible, test, themesAndWidths } from './support/fixtures.ts'

// separate server, because its name and limits are changed
test.use({ serverEnvironment: { ASSISTANT_NAME: 'Ada' } })

const address = '/admin?tab=settings'

test('an administrator changes the name and limits, sees invalid values, and tests an engine', async ({
  adminPage: page,
}) => {
  await page.goto(address)
  const save = page.getByRole('button', { name: 'Save', exact: true })
  await expect(save).toBeDisabled()

  await page.getByLabel('Name of the assistant').fill('Grace')
  await page.getByLabel('Notifications (days)').fill('0')
  await save.click()
  await expect(page.getByText('Enter a whole number from 1 to 365.')).toBeVisible()
  await expect(page.getByLabel('Notifications (days)')).toBeFocused()
  await page.getByLabel('Notifications (days)').fill('30')
  await page.getByRole('button', { name: 'Add feed' }).click()
  await page.keyboard.type('Example')
  await page
    .getByLabel(/Address of feed/)
    .last()
    .fill('nowhere')
  await expect(page.getByText('Enter an address that begins with http:// or https://.')).toBeVisible()
  await page.getByRole('button', { name: 'Remove feed Example' }).click()

  // unsaved changes survive a visit to another tab
  await page.getByRole('tab', { name: 'User Management' }).click()
  await expect(page.getByLabel('Search users')).toBeVisible()
  await page.getByRole('tab', { name: 'Settings' }).click()
  await expect(page.getByLabel('Name of the assistant')).toHaveValue('Grace')
  await expect(page.getByText('You have unsaved changes.')).toBeVisible()
  await save.click()
  await expect(page.getByText('Saved', { exact: true })).toBeVisible()
  await page.reload()
  await expect(page.locator('meta[name=mira-assistant-name]')).toHaveAttribute('content', 'Grace')
  await expect(page.getByLabel('Name of the assistant')).toHaveValue('Grace')
  await expect(page.getByText('Set here. The server’s environment has “Ada”.')).toBeVisible()
  await expect(page.getByLabel('Notifications (days)')).toHaveValue('30')

  await page.getByRole('button', { name: 'Test: Chat', exact: true }).click()
  await expect(page.getByText(/^Works: model server, test-model/)).toBeVisible({ timeout: 30_000 })
  await page.getByRole('button', { name: 'Test: Visual search' }).click()
  await expect(page.getByText(/^Doesn’t work: —, —/)).toBeVisible({ timeout: 30_000 })

  await page.getByLabel('Engine for Text in pictures').selectOption('off')
  await save.click()
  await expect(page.getByText('An administrator has turned this off in the settings.')).toBeVisible()
  await page.getByLabel('Engine for Text in pictures').selectOption('auto')
  await page.getByRole('button', { name: 'Discard' }).click()
  await expect(page.getByLabel('Engine for Text in pictures')).toHaveValue('off')
})

for (const { colorScheme, width } of themesAndWidths) {
  test.describe(`in the ${colorScheme} theme at ${width} px`, () => {
    test.use({ colorScheme, viewport: { width, height: 800 } })

    test('the server settings pass axe and don’t overflow', async ({ adminPage: page }) => {
      await page.goto(address)
      await expect(page.getByLabel('Name of the assistant')).toBeVisible()
      await expect(page.getByText('Nothing is ready for search by meaning yet.')).toBeVisible()
      await expectAccessible(page)
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
    })
  })
}

test('an administrator creates a backup, downloads the archive and deletes it', async ({ adminPage: page }) => {
  await page.goto(address)
  await expect(page.getByText('There’s no backup yet.')).toBeVisible()
  await page.getByRole('button', { name: 'Back up now' }).click()
  const download = page.getByRole('button', { name: /^Download mira-backup-/ })
  await expect(download).toBeVisible({ timeout: 60_000 })
  const downloading = page.waitForEvent('download')
  await download.click()
  const archive = await downloading
  expect(archive.suggestedFilename()).toMatch(/^mira-backup-\d{8}-\d{6}\.zip$/)
  expect((await readFile(await archive.path())).subarray(0, 2).toString()).toBe('PK')
  await expectAccessible(page)

  await page.getByRole('button', { name: /^Delete mira-backup-/ }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByText('There’s no backup yet.')).toBeVisible()
})
