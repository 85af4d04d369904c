import { readFile } from 'node:fs/promises'
import { expect, expectAccessible, test } from './support/fixtures.ts'
import { upload } from './support/library.ts'

test('a live photo is marked, and plays its motion on a click', async ({ server, account, userPage: page }) => {
  // an image sequence counts as a live photo
  const sequence = await readFile('apps/api/test/phone-pictures/sequence.heic')
  const item = await upload(server, account, 'IMG_0042.heics', sequence)
  await page.goto('/gallery')
  await expect(page.getByRole('link', { name: /IMG_0042/ })).toContainText('Live photo with motion')
  await expectAccessible(page)
  await page.goto(`/gallery/${item.id}`)
  const motionResponse = page.waitForResponse((response) => response.url().includes(`/api/media/${item.id}/motion`))
  await page.getByRole('button', { name: 'Live: play the motion' }).click()
  expect((await motionResponse).status()).toBeLessThan(300)
  await expectAccessible(page)
  // it stops automatically
  await expect(page.getByRole('button', { name: 'Live: play the motion' })).toBeVisible()
})
