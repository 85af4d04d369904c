import type { LibraryJson, MediaItemJson } from '@mira/shared'
import type { Page } from '@playwright/test'
import { plainImage } from '../apps/api/test/pictures.ts'
import { expect, expectAccessible, test, themesAndWidths } from './support/fixtures.ts'
import { upload } from './support/library.ts'
import type { Account, TestServer } from './support/server.ts'

const uploadPhoto = async (server: TestServer, account: Account, name: string, taken: string) =>
  upload(server, account, name, Buffer.from(await plainImage({ taken })))
const listItems = async (server: TestServer, { token }: Account): Promise<MediaItemJson[]> => {
  const headers = { authorization: `Bearer ${token}` }
  return ((await (await fetch(`${server.url}/api/media/library`, { headers })).json()) as LibraryJson).media_items
}
const row = (page: Page, name: string) =>
  page.locator('dl > div').filter({ has: page.getByText(name, { exact: true }) })

test('the date and location of an item are corrected and reset', async ({ userPage: page, server, account }) => {
  const item = await uploadPhoto(server, account, 'eve.jpg', '2024:12:31 23:30:00')
  await page.goto(`/gallery/${item.id}`)
  await page.getByRole('tab', { name: 'Details' }).click()
  await expect(row(page, 'Taken')).toContainText('Dec 31, 2024, 11:30')

  await page.getByRole('button', { name: 'Edit: Taken' }).click()
  const date = page.getByRole('dialog', { name: 'Change date and time' })
  await date.getByLabel('Date and time').fill('2023-07-14T09:28:00')
  await expectAccessible(page)
  await date.getByRole('button', { name: 'Save' }).click()
  await expect(row(page, 'Taken')).toContainText('Jul 14, 2023, 9:28')
  await page.getByRole('button', { name: 'Use the date from the file' }).click()
  await expect(row(page, 'Taken')).toContainText('Dec 31, 2024, 11:30')

  await page.getByRole('button', { name: 'Edit: Location' }).click()
  const place = page.getByRole('dialog', { name: 'Change location' })
  await place.getByLabel('Coordinates or map link').fill('Bilbao')
  await place.getByRole('button', { name: 'Save' }).click()
  await expect(place.getByText('No coordinates found.')).toBeVisible()
  await place.getByLabel('Coordinates or map link').fill('https://www.openstreetmap.org/#map=15/43.26/-2.92')
  await expectAccessible(page)
  await place.getByRole('button', { name: 'Save' }).click()
  const link = row(page, 'Location').getByRole('link')
  await expect(link).toContainText('43.26000, -2.92000')
  await expect(link).toHaveAttribute('href', /^https:\/\/www\.openstreetmap\.org\//)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Use the location from the file' }).click()
  await expect(row(page, 'Location')).toContainText('Unknown')
})

test('the dates of several items are shifted, with a preview, and the shift is undone', async ({
  openPageAs,
  server,
  account,
}) => {
  await uploadPhoto(server, account, 'first.jpg', '2024:07:14 09:28:00')
  await uploadPhoto(server, account, 'second.jpg', '2024:07:14 10:00:00')
  for (const { colorScheme, width } of themesAndWidths) {
    const page = await openPageAs(account, {
      colorScheme,
      viewport: { width, height: 900 },
      timezoneId: 'Pacific/Auckland',
    })
    await page.goto('/gallery')
    await page.getByRole('grid').getByRole('link').first().focus()
    await page.keyboard.press('Control+a')
    await page.getByRole('button', { name: 'Change date…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Change the date of 2 items' })
    await dialog.getByRole('radio', { name: 'Shift by' }).check()
    await dialog.getByLabel('Hours').fill('15')
    await expect(dialog.getByText('second.jpg: Jul 14, 2024, 10:00 AM becomes Jul 15, 2024, 1:00 AM.')).toBeVisible()
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByText('2 items changed', { exact: true })).toBeVisible()
    const clocks = async () => (await listItems(server, account)).map(({ metadata }) => metadata.taken_local)
    expect(await clocks()).toEqual(['2024-07-15T01:00:00', '2024-07-15T00:28:00'])
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(clocks).toEqual(['2024-07-14T10:00:00', '2024-07-14T09:28:00'])
  }
})
