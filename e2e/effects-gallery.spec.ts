import type { EffectsAvailable } from '@mira/shared'
import { drawImage, gallery, listImages, makeImages, tab, waitForImage } from './support/effects.ts'
import { expect, expectAccessible, test } from './support/fixtures.ts'

test('images in the gallery are paginated, downloaded, used again and deleted', async ({
  userPage: page,
  server,
  account,
}) => {
  await page.goto('/effects')
  await tab(page, 'Gallery').click()
  await expect(page).toHaveURL(/tab=gallery/)
  await expect(page.getByRole('heading', { name: 'No images yet' })).toBeVisible()
  await expect(page.getByText('Process some images to see them appear in your gallery')).toBeVisible()
  await expectAccessible(page)
  await gallery(page).getByRole('button', { name: 'Create Effects' }).click()
  await expect(tab(page, 'Create Effects')).toHaveAttribute('aria-selected', 'true')
  await tab(page, 'Gallery').click()

  const effects = Object.keys(
    (await server.call<EffectsAvailable>('GET', '/image-effects/effects/available', { token: account.token })).effects,
  ).filter((name) => !name.startsWith('ai_'))
  const many = [...effects.filter((name) => name !== 'black_and_white').slice(0, 25), 'black_and_white']
  await makeImages(server, account, many, await drawImage(page, { width: 48, height: 32 }))
  await gallery(page).getByRole('button', { name: 'Refresh' }).click()
  const cards = gallery(page).getByRole('listitem')
  await expect(cards).toHaveCount(24)
  await gallery(page).getByRole('button', { name: 'Load more' }).click()
  await expect(cards).toHaveCount(26)
  // Only the first underscore becomes a space.
  const newest = cards.first()
  await expect(newest.getByRole('heading', { name: 'black and_white' })).toBeVisible()
  await expect(newest).toContainText(/0\.\d\d MB/)
  await expect(newest).toContainText(/\w{3} \d{1,2}, 20\d\d/)
  await waitForImage(newest.locator('img'))
  await expectAccessible(page)
  const saved = page.waitForEvent('download')
  await newest.getByRole('button', { name: 'Download', exact: true }).click()
  expect((await saved).suggestedFilename()).toMatch(/^black_and_white_effect_\d{8}-\d{6}\.png$/)

  await newest.getByRole('button', { name: 'Delete image' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click()
  await expect(cards).toHaveCount(26)
  await newest.getByRole('button', { name: 'Delete image' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete image' }).click()
  await expect(cards).toHaveCount(25)
  expect(await listImages(server, account)).toHaveLength(25)

  await cards.first().getByRole('button', { name: 'Use again' }).click()
  await expect(tab(page, 'Create Effects')).toHaveAttribute('aria-selected', 'true')
  await expect(page.locator('[data-effect][aria-pressed=true]')).toHaveCount(1)
})

test('a gallery that fails to load shows an error and can be retried', async ({ userPage: page }) => {
  await page.route('**/effects/gallery*', (route) => route.fulfill({ status: 400, json: { detail: 'No', code: 'no' } }))
  await page.goto('/effects?tab=gallery')
  await expect(page.getByText('Couldn’t load')).toBeVisible()
  await page.unroute('**/effects/gallery*')
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(page.getByRole('heading', { name: 'No images yet' })).toBeVisible()
})
