import { Buffer } from 'node:buffer'
import type { EffectsAvailable } from '@mira/shared'
import {
  applyButton,
  card,
  drawImage,
  EFFECT_TIMEOUT_MS,
  fileInput,
  gallery,
  listImages,
  openWithPicture,
  preview,
  results,
  sample,
  steps,
  tab,
  uploadPicture,
  waitForImage,
} from './support/effects.ts'
import { expect, expectAccessible, test } from './support/fixtures.ts'

test('an image is chosen and previewed with effects, and one effect is applied, compared and downloaded', async ({
  userPage: page,
  server,
  account,
}) => {
  await page.goto('/effects')
  await expect(page.getByRole('heading', { level: 1, name: 'Image Effects Studio' })).toBeVisible()
  await expect(page.getByText('Transform your images with AI-powered and artistic effects')).toBeVisible()
  await expect(page.getByText('Supports JPEG, PNG, WebP (Max 50MB)')).toBeVisible()
  for (const name of ['Artistic Effects', 'Filter Effects', 'Stylized Effects']) {
    await expect(page.getByRole('heading', { name })).toBeVisible()
  }
  await card(page, 'Sepia').click()
  await expect(applyButton(page)).toBeDisabled()
  await expectAccessible(page)

  const picture = await drawImage(page, { width: 640, height: 480 })
  await fileInput(page).setInputFiles(picture)
  await expect(page.getByText('hill.png', { exact: true })).toBeVisible()
  await expect(page.getByText(`${(picture.buffer.length / 1024 / 1024).toFixed(2)} MB`)).toBeVisible()
  await waitForImage(preview(page, 'thermal'))
  const before = await preview(page, 'sepia').getAttribute('src')
  await page.getByLabel('Intensity', { exact: true }).fill('0.3')
  await expect(page.getByLabel('Intensity', { exact: true })).toHaveAttribute('aria-valuetext', '0.3, Subtle')
  await expect.poll(() => preview(page, 'sepia').getAttribute('src'), { timeout: EFFECT_TIMEOUT_MS }).not.toBe(before)

  await expect(card(page, 'Sepia')).toHaveAttribute('aria-pressed', 'true')
  await applyButton(page).click()
  await expect(page.getByRole('heading', { name: 'Processed Images (1)' })).toBeVisible({ timeout: EFFECT_TIMEOUT_MS })
  await expect(results(page)).toContainText('Sepia')
  await expect(results(page)).toContainText(/\d\.\d\d MB · 640 × 480/)
  await waitForImage(results(page).locator('img'))
  expect(await listImages(server, account)).toMatchObject([{ recipe: [{ effect_name: 'sepia', intensity: 0.3 }] }])

  const slider = page.getByRole('slider', { name: 'Compare before and after' })
  await slider.focus()
  await page.keyboard.press('Home')
  await expect(slider).toHaveAttribute('aria-valuetext', '0% before')
  const box = (await slider.boundingBox())!
  await slider.click({ position: { x: box.width * 0.75, y: box.height / 2 } })
  await expect(slider).toHaveAttribute('aria-valuetext', /7[456]% before/)
  await page.getByRole('button', { name: 'Compare Sepia enlarged' }).click()
  const dialog = page.getByRole('dialog', { name: 'Sepia' })
  await tab(page, 'Side by side').click()
  await waitForImage(dialog.getByRole('img', { name: 'Before' }))
  await waitForImage(dialog.getByRole('img', { name: 'After' }))
  await expectAccessible(page)
  await tab(page, 'Full size').click()
  await expect
    .poll(() => dialog.getByRole('img', { name: 'Sepia' }).evaluate((img) => img.getBoundingClientRect().width))
    .toBe(640)
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()

  const saved = page.waitForEvent('download')
  await results(page).getByRole('button', { name: 'Download', exact: true }).click()
  expect((await saved).suggestedFilename()).toMatch(/^sepia_effect_\d{8}-\d{6}\.png$/)
  const savedWebp = page.waitForEvent('download')
  await results(page).getByRole('button', { name: 'Download Sepia in another format' }).click()
  await page.getByRole('menuitem', { name: 'WebP' }).click()
  expect((await savedWebp).suggestedFilename()).toMatch(/^sepia_effect_\d{8}-\d{6}\.webp$/)
  await expectAccessible(page)

  await fileInput(page).setInputFiles(await drawImage(page, { name: 'other.png', hue: 20 }))
  await expect(page.getByText('other.png', { exact: true })).toBeVisible()
  await expect(results(page)).toHaveCount(0)
  await page.getByRole('button', { name: 'Remove picture' }).click()
  await expect(page.getByText('Supports JPEG, PNG, WebP (Max 50MB)')).toBeVisible()
  await expect(preview(page, 'sepia')).toHaveCount(0)
  await waitForImage(sample(page, 'sepia'))
})

test('several effects are applied in batch mode, and a failure is reported for its effect only', async ({
  userPage: page,
}) => {
  await openWithPicture(page)
  await page.getByLabel('Batch Mode (Multiple Effects)').check()
  await expect(applyButton(page, 'Apply 0 Effects')).toBeDisabled()
  for (const name of ['Sepia', 'Ink', 'Vignette']) await card(page, name).click()
  await card(page, 'Vignette').click()
  await applyButton(page, 'Apply 2 Effects').click()
  await expect(page.getByRole('heading', { name: 'Processed Images (2)' })).toBeVisible({ timeout: EFFECT_TIMEOUT_MS })
  await expect(results(page)).toContainText(['Sepia', 'Ink'])

  await page.route('**/effects/batch', async (route) => {
    const body = (await (await route.fetch()).json()) as { results: object[] }
    body.results[0] = {
      ...body.results[0],
      ...{ thumbnail: null, file_size_mb: null, processed_size: null, download_id: null, url: null },
      error: 'This effect couldn’t be applied.',
    }
    await route.fulfill({ json: body })
  })
  await applyButton(page, 'Apply 2 Effects').click()
  await expect(page.getByText('1 effect couldn’t be applied')).toBeVisible({ timeout: EFFECT_TIMEOUT_MS })
  await expect(page.getByText('Sepia: This effect couldn’t be applied.')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Processed Images (3)' })).toBeVisible()
  await expectAccessible(page)
})

test('effects are stacked, reordered by keyboard, and saved as a recipe, which is reused and deleted', async ({
  userPage: page,
  server,
  account,
}) => {
  await openWithPicture(page)
  await page.getByLabel('Stack effects').check()
  for (const name of ['Sepia', 'Vignette', 'Blur']) await card(page, name).click()
  await expect(steps(page)).toContainText(['Sepia', 'Vignette', 'Blur'])
  await page.getByRole('button', { name: 'Move Blur up' }).focus()
  await page.keyboard.press('Enter')
  await expect(steps(page)).toContainText(['Sepia', 'Blur', 'Vignette'])
  await expect(page.getByRole('button', { name: 'Move Blur up' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(steps(page)).toContainText(['Blur', 'Sepia', 'Vignette'])
  await page.getByLabel('Intensity of Blur').fill('0.5')
  await page.getByRole('button', { name: 'Remove Vignette' }).click()
  await expect(steps(page)).toHaveCount(2)
  await expectAccessible(page)
  await page.getByLabel('Recipe name').fill('Old postcard')
  await page.keyboard.press('Enter')
  await expect(page.getByText('The recipe “Old postcard” was saved', { exact: true })).toBeVisible()
  const { recipes } = await server.call<{ recipes: object[] }>('GET', '/image-effects/recipes', {
    token: account.token,
  })
  const recipe = [
    { effect_name: 'blur', intensity: 0.5 },
    { effect_name: 'sepia', intensity: 1 },
  ]
  expect(recipes).toMatchObject([{ name: 'Old postcard', steps: recipe }])

  await page.getByRole('button', { name: 'Remove Blur' }).click()
  await page.getByRole('button', { name: 'Use the recipe Old postcard' }).click()
  await expect(steps(page)).toContainText(['Blur', 'Sepia'])
  await applyButton(page).click()
  await expect(results(page)).toContainText('Blur + Sepia', { timeout: EFFECT_TIMEOUT_MS })
  expect(await listImages(server, account)).toMatchObject([{ recipe }])

  await page.getByRole('button', { name: 'Delete the recipe Old postcard' }).click()
  await page.getByRole('button', { name: 'Delete recipe', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Saved recipes' })).toBeHidden()
})

test('processing shows its progress, and is cancelled on the page and on the server', async ({
  userPage: page,
  server,
  account,
}) => {
  await openWithPicture(page, { width: 3600, height: 2400 })
  await page.getByLabel('Batch Mode (Multiple Effects)').check()
  const names = ['Oil Painting', 'Watercolor', 'Pencil Sketch', 'Charcoal', 'Stippling', 'Stained Glass', 'Low Poly']
  for (const name of names) await card(page, name).click()
  await applyButton(page, `Apply ${names.length} Effects`).click()
  await expect(applyButton(page, 'Processing...')).toBeDisabled()
  await expect(page.getByRole('progressbar')).toHaveAttribute('aria-valuenow', /[1-9]/, { timeout: EFFECT_TIMEOUT_MS })
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect(applyButton(page, `Apply ${names.length} Effects`)).toBeEnabled()
  await expect(page.getByRole('progressbar')).toHaveCount(0)
  await expect(results(page)).toHaveCount(0)
  // Images are processed one after the other, so the cancelled ones have ended when the next one is done.
  await page.getByLabel('Batch Mode (Multiple Effects)').uncheck()
  await card(page, 'Sepia').click()
  await applyButton(page).click()
  await expect(results(page)).toContainText('Sepia', { timeout: EFFECT_TIMEOUT_MS })
  const [newest, ...cancelled] = await listImages(server, account)
  expect(newest).toMatchObject({ effect_name: 'sepia' })
  expect(cancelled.length).toBeLessThan(names.length)
})

test('the studio works by keyboard', async ({ userPage: page }) => {
  await openWithPicture(page)
  await page.getByLabel('Batch Mode (Multiple Effects)').focus()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await expect(page.getByLabel('Intensity', { exact: true })).toBeFocused()
  await page.keyboard.press('ArrowRight')
  await expect(page.getByLabel('Intensity', { exact: true })).toHaveValue('1.1')
  await page.keyboard.press('Tab')
  await expect(card(page, 'Oil Painting')).toBeFocused()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowDown')
  await expect(card(page, 'Ink')).toBeFocused()
  await page.keyboard.press('End')
  await expect(card(page, 'Thermal')).toBeFocused()
  await page.keyboard.press('Space')
  await expect(card(page, 'Thermal')).toHaveAttribute('aria-pressed', 'true')
  await page.keyboard.press('Shift+Tab')
  await expect(applyButton(page)).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(results(page)).toContainText('Thermal', { timeout: EFFECT_TIMEOUT_MS })
  await tab(page, 'Create Effects').focus()
  await page.keyboard.press('ArrowRight')
  await expect(gallery(page).getByRole('heading', { name: 'thermal' })).toBeVisible()
  await page.keyboard.press('ArrowLeft')
  await expect(results(page)).toHaveCount(1)
})

test('failures show the message of the server, or one of the app', async ({ userPage: page }) => {
  await openWithPicture(page)
  await fileInput(page).setInputFiles({
    name: 'fake.png',
    mimeType: 'image/png',
    buffer: Buffer.from('no picture at all'),
  })
  await expect(
    page.getByText(/The effects couldn’t be shown on your picture: This file isn’t a supported picture/),
  ).toBeVisible({
    timeout: EFFECT_TIMEOUT_MS,
  })
  await card(page, 'Sepia').click()
  await applyButton(page).click()
  const notices = page.getByRole('region', { name: /^Messages/ })
  await expect(notices.getByText('This file isn’t a supported picture. Use JPEG, PNG, WebP or BMP.')).toBeVisible()

  await fileInput(page).setInputFiles(await drawImage(page))
  await page.route('**/effects/apply', (route) => route.abort())
  await applyButton(page).click()
  await expect(notices.getByText('Effect processing failed')).toBeVisible()
  await page.unroute('**/effects/apply')
  await page.route('**/effects/apply', (route) => route.fulfill({ json: { success: false } }))
  await applyButton(page).click()
  await expect(applyButton(page)).toBeEnabled()
  await expect(results(page)).toHaveCount(0)
  await page.unroute('**/effects/apply')
  await applyButton(page).click()
  await expect(results(page)).toHaveCount(1, { timeout: EFFECT_TIMEOUT_MS })
  await page.route('**/effects/download/*', (route) => route.fulfill({ status: 500, body: 'broken' }))
  await results(page).getByRole('button', { name: 'Download', exact: true }).click()
  await expect(notices.getByText('Download failed')).toBeVisible()
})

test('an effect that needs a model says why it is unavailable, and asks for a prompt when it is available', async ({
  userPage: page,
  server,
  account,
}) => {
  await openWithPicture(page)
  await expect(card(page, 'AI Restyle')).toContainText('AI Enhanced')
  // every user sees what is missing, but only administrators see which settings it needs
  await expect(card(page, 'AI Restyle')).toContainText('no model that edits pictures. Ask an administrator.')
  await card(page, 'AI Restyle').click({ force: true })
  await expect(card(page, 'AI Restyle')).toHaveAttribute('aria-pressed', 'false')

  await page.route('**/effects/available', async (route) => {
    const available = (await (await route.fetch()).json()) as EffectsAvailable
    available.effects.ai_restyle.available = true
    await route.fulfill({ json: available })
  })
  // A library image, because the browser doesn't expose the body of a form with a file.
  const item = await uploadPicture(server, account, await drawImage(page, { name: 'valley.png' }))
  await page.goto(`/effects?media=${item.id}`)
  await expect(page.getByRole('img', { name: 'Preview of valley.png' })).toBeVisible()
  await card(page, 'AI Restyle').click()
  await applyButton(page).click()
  const field = page.getByLabel('What should the picture look like?')
  await expect(field).toBeFocused()
  await expect(page.getByText('Describe how the picture should be redrawn.')).toBeVisible()
  await field.fill('A winter evening')
  const sent = page.waitForRequest('**/effects/apply')
  await applyButton(page).click()
  expect((await sent).postDataBuffer()!.toString('latin1')).toContain('name="prompt"\r\n\r\nA winter evening')
})

test('on a phone, everything is in one column, and the button stays in view', async ({ userPage: page }) => {
  await page.setViewportSize({ width: 360, height: 740 })
  await page.emulateMedia({ colorScheme: 'dark' })
  await openWithPicture(page, { name: `${'a-long-name-'.repeat(8)}.png` })
  await waitForImage(preview(page, 'sepia'))
  await card(page, 'Thermal').scrollIntoViewIfNeeded()
  await card(page, 'Thermal').click()
  await expect(applyButton(page)).toBeInViewport()
  await applyButton(page).click()
  await page.getByRole('link', { name: 'Processed Images (1)' }).click({ timeout: EFFECT_TIMEOUT_MS })
  await expect(page.getByRole('heading', { name: 'Processed Images (1)' })).toBeInViewport()
  await page.getByLabel('Stack effects').check()
  await expect(steps(page)).toHaveCount(1)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
  await expectAccessible(page)
  await tab(page, 'Gallery').click()
  await expect(gallery(page).getByRole('listitem')).toHaveCount(1)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
  await expectAccessible(page)
})
