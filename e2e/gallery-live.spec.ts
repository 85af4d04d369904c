import { readFile } from 'node:fs/promises'
import { expect, expectAccessible, test } from './support/fixtures.ts'
import { upload } from './support/library.ts'

test('a picture that a phone took a film with says so, and plays it when asked', async ({
  server,
  person,
  userPage: page,
}) => {
  // a sequence of pictures moves as live photos do
  const sequence = await readFile('apps/api/test/phone-pictures/sequence.heic')
  const item = await upload(server, person, 'IMG_0042.heics', sequence)
  await page.goto('/gallery')
  await expect(page.getByRole('link', { name: /IMG_0042/ })).toContainText('Live photo with motion')
  await expectAccessible(page)
  await page.goto(`/gallery/${item.id}`)
  const films = page.waitForResponse((response) => response.url().includes(`/api/media/${item.id}/motion`))
  await page.getByRole('button', { name: 'Live: play the motion' }).click()
  expect((await films).status()).toBeLessThan(300)
  await expectAccessible(page)
  // it stops by itself
  await expect(page.getByRole('button', { name: 'Live: play the motion' })).toBeVisible()
})
