import { Buffer } from 'node:buffer'
import {
  applyButton,
  card,
  drawImage,
  EFFECT_TIMEOUT_MS,
  fileInput,
  gallery,
  openWithPicture,
  preview,
  results,
  tab,
  uploadPicture,
  waitForImage,
} from './support/effects.ts'
import { expect, expectAccessible, test } from './support/fixtures.ts'
import { mockDetail, mockId } from './support/library.ts'

test('images are pasted and dropped, and invalid files are rejected with a message', async ({ userPage: page }) => {
  const first = await openWithPicture(page)
  await fileInput(page).setInputFiles({
    name: 'letter.pdf',
    mimeType: 'application/pdf',
    buffer: Buffer.from('%PDF-1.4'),
  })
  await expect(page.getByText('File type must be jpg, jpeg, png, bmp, webp')).toBeVisible()
  await expect(page.getByText(first.name, { exact: true })).toBeVisible()
  await page.evaluate(() => {
    const transfer = new DataTransfer()
    transfer.items.add(new File([new Uint8Array(52_428_801)], 'huge.png', { type: 'image/png' }))
    document.body.dispatchEvent(new ClipboardEvent('paste', { bubbles: true, clipboardData: transfer }))
  })
  await expect(page.getByText('File is larger than 52428800 bytes')).toBeVisible()
  const base64 = (await drawImage(page, { hue: 90 })).buffer.toString('base64')
  await page.evaluate((content) => {
    const bytes = Uint8Array.from(atob(content), (character) => character.charCodeAt(0))
    const transfer = new DataTransfer()
    transfer.items.add(new File([bytes], 'pasted.png', { type: 'image/png' }))
    document.body.dispatchEvent(new ClipboardEvent('paste', { bubbles: true, clipboardData: transfer }))
  }, base64)
  await expect(page.getByRole('img', { name: 'Preview of pasted.png' })).toBeVisible()
  await expect(page.getByText('File is larger than')).toBeHidden()
  await page.getByRole('img', { name: 'Preview of pasted.png' }).evaluate((image, content) => {
    const bytes = Uint8Array.from(atob(content), (character) => character.charCodeAt(0))
    const transfer = new DataTransfer()
    transfer.items.add(new File([bytes], 'dropped.png', { type: 'image/png' }))
    image.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: transfer }))
  }, base64)
  await expect(page.getByRole('img', { name: 'Preview of dropped.png' })).toBeVisible()
})

test('a library image is chosen, kept in the URL, and restored by “Use again” with its effect', async ({
  userPage: page,
  server,
  account,
}) => {
  await page.goto('/effects')
  const item = await uploadPicture(server, account, await drawImage(page, { name: 'valley.png' }))
  await page.getByRole('button', { name: 'From your library' }).click()
  await expect(page.getByRole('button', { name: 'valley.png' })).toBeVisible()
  await expectAccessible(page)
  await page.getByLabel('Search your library').fill('mountain')
  await expect(page.getByText('Nothing in your library matches.')).toBeVisible()
  await page.getByLabel('Search your library').fill('valley')
  await page.getByRole('button', { name: 'valley.png' }).click()
  await expect(page).toHaveURL(new RegExp(`media=${item.id}`))
  await waitForImage(page.getByRole('img', { name: 'Preview of valley.png' }))
  await page.reload()
  await waitForImage(preview(page, 'sepia'))
  await card(page, 'Duotone').click()
  await applyButton(page).click()
  await expect(results(page)).toContainText('Duotone', { timeout: EFFECT_TIMEOUT_MS })

  await results(page).getByRole('button', { name: 'Save to memory' }).click()
  await expect(page.getByText('Saved to your memory', { exact: true })).toBeVisible()
  await results(page).getByRole('button', { name: 'Open in your memory' }).click()
  await expect(page).toHaveURL(/\/gallery\/[0-9a-f-]{36}/)

  await page.goto('/effects?tab=gallery')
  await gallery(page).getByRole('button', { name: 'Use again' }).click()
  await expect(page).toHaveURL(new RegExp(`media=${item.id}`))
  await waitForImage(page.getByRole('img', { name: 'Preview of valley.png' }))
  await expect(card(page, 'Duotone')).toHaveAttribute('aria-pressed', 'true')
  await page.getByRole('button', { name: 'Remove picture' }).click()
  await expect(page).not.toHaveURL(/media=/)
})

test('a frame of a video is chosen, and can be linked to', async ({ userPage: page }) => {
  const video = mockDetail(3, {
    frames: [1, 2].map((number) => ({
      frame_number: number,
      timestamp_seconds: number * 10,
      thumbnail: '/favicon.svg',
      caption: null,
      extracted_text: null,
    })),
  })
  await page.route('**/api/media/library*', (route) => {
    const isVideos = route.request().url().includes('media_type=video')
    return route.fulfill({ json: { media_items: isVideos ? [video] : [], next_cursor: null, total: isVideos ? 1 : 0 } })
  })
  await page.route(`**/api/media/${mockId(3)}`, (route) => route.fulfill({ json: video }))
  await page.route('**/effects/previews', (route) => route.fulfill({ json: { previews: {} } }))
  await page.goto('/effects')
  await page.getByRole('button', { name: 'From your library' }).click()
  await tab(page, 'Videos').click()
  await page.getByRole('button', { name: 'file-3.mp4' }).click()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Frame 2, 0:20' }).click()
  await expect(page).toHaveURL(new RegExp(`media=${mockId(3)}&frame=2`))
  await expect(page.getByText('No. 2', { exact: true })).toBeVisible()

  await page.goto(`/effects?media=${mockId(3)}&frame=1`)
  await expect(page.getByText('No. 1', { exact: true })).toBeVisible()
  await card(page, 'Sepia').click()
  const sent = page.waitForRequest('**/effects/apply')
  await applyButton(page).click()
  const body = (await sent).postDataBuffer()!.toString('latin1')
  expect(body).toContain(`name="media_id"\r\n\r\n${mockId(3)}`)
  expect(body).toContain('name="frame_number"\r\n\r\n1')
  await page.goto(`/effects?media=${mockId(3)}&frame=9`)
  await expect(page.getByText('There’s no picture for this item.')).toBeVisible()
})
