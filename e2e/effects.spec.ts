import { Buffer } from 'node:buffer'
import type { EffectsAvailable, EffectsGalleryItemJson, MediaItemJson } from '@mira/shared'
import type { Locator, Page } from '@playwright/test'
import { expect, expectAccessible, test } from './support/fixtures.ts'
import { pretendedDetail, pretendedId } from './support/library.ts'
import type { Account, TestServer } from './support/server.ts'

const SLOW_MS = 30_000

const input = (page: Page) => page.locator('input[type=file]')
const card = (page: Page, name: string) =>
  page.locator('[data-effect]').filter({ has: page.getByText(name, { exact: true }) })
const preview = (page: Page, effect: string) => page.locator(`[data-effect=${effect}] img`)
const applyButton = (page: Page, name: string | RegExp = 'Apply Effect') =>
  page.getByRole('button', { name, exact: true })
const results = (page: Page) => page.getByRole('region', { name: /^Processed Images/ }).getByRole('listitem')
const tab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true })
const gallery = (page: Page) => page.getByRole('region', { name: 'Effects Gallery' })
const steps = (page: Page) => page.getByRole('list', { name: 'Steps of the recipe' }).getByRole('listitem')
const isDrawn = (image: Locator) =>
  expect
    .poll(() => image.evaluate((img: HTMLImageElement) => img.naturalWidth), { timeout: SLOW_MS })
    .toBeGreaterThan(0)

/** A hill under a sun, drawn by the browser itself. */
async function drawPicture(page: Page, { width = 320, height = 240, name = 'hill.png', hue = 210 } = {}) {
  const base64 = await page.evaluate(
    ([w, h, colour]) => {
      const canvas = document.createElement('canvas')
      canvas.width = w!
      canvas.height = h!
      const context = canvas.getContext('2d')!
      const sky = context.createLinearGradient(0, 0, 0, h!)
      sky.addColorStop(0, `hsl(${colour} 80% 45%)`)
      sky.addColorStop(1, `hsl(${colour} 60% 85%)`)
      context.fillStyle = sky
      context.fillRect(0, 0, w!, h!)
      context.fillStyle = 'gold'
      context.beginPath()
      context.arc(w! * 0.7, h! * 0.3, h! * 0.12, 0, 7)
      context.fill()
      context.fillStyle = 'seagreen'
      context.beginPath()
      context.ellipse(w! * 0.4, h!, w! * 0.6, h! * 0.45, 0, 0, 7)
      context.fill()
      return canvas.toDataURL('image/png').split(',')[1]!
    },
    [width, height, hue],
  )
  return { name, mimeType: 'image/png', buffer: Buffer.from(base64, 'base64') }
}

/** Opens the studio with a picture chosen. */
async function openWithPicture(page: Page, options?: Parameters<typeof drawPicture>[1]) {
  await page.goto('/effects')
  await expect(card(page, 'Sepia')).toBeVisible()
  const picture = await drawPicture(page, options)
  await input(page).setInputFiles(picture)
  await expect(page.getByRole('img', { name: `Preview of ${picture.name}` })).toBeVisible()
  return picture
}

/** Makes pictures as a script would. */
async function makeImages(
  server: TestServer,
  { token }: Account,
  effects: string[],
  picture: { buffer: Buffer; name: string },
) {
  const form = new FormData()
  for (const effect of effects) form.append('effect_names', effect)
  form.append('file', new Blob([Uint8Array.from(picture.buffer)]), picture.name)
  const response = await fetch(`${server.url}/api/image-effects/effects/batch`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: form,
  })
  expect(response.status).toBe(200)
}

/** What the server has in the gallery, the newest first. */
async function listImages(server: TestServer, { token }: Account): Promise<EffectsGalleryItemJson[]> {
  const path = '/image-effects/effects/gallery?limit=200'
  return (await server.call<{ images: EffectsGalleryItemJson[] }>('GET', path, { token })).images
}

async function uploadPicture(server: TestServer, { token }: Account, picture: { buffer: Buffer; name: string }) {
  const form = new FormData()
  form.append('file', new Blob([Uint8Array.from(picture.buffer)]), picture.name)
  const response = await fetch(`${server.url}/api/media/upload`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: form,
  })
  expect(response.ok).toBe(true)
  return (await response.json()) as MediaItemJson
}

test('a picture is chosen, every effect is seen on it, and one is applied, compared and downloaded', async ({
  userPage: page,
  server,
  person,
}) => {
  test.setTimeout(90_000)
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

  const picture = await drawPicture(page, { width: 640, height: 480 })
  await input(page).setInputFiles(picture)
  await expect(page.getByText('hill.png', { exact: true })).toBeVisible()
  await expect(page.getByText(`${(picture.buffer.length / 1024 / 1024).toFixed(2)} MB`)).toBeVisible()
  await isDrawn(preview(page, 'thermal'))
  const before = await preview(page, 'sepia').getAttribute('src')
  await page.getByLabel('Intensity', { exact: true }).fill('0.3')
  await expect(page.getByLabel('Intensity', { exact: true })).toHaveAttribute('aria-valuetext', '0.3, Subtle')
  await expect.poll(() => preview(page, 'sepia').getAttribute('src'), { timeout: SLOW_MS }).not.toBe(before)

  await expect(card(page, 'Sepia')).toHaveAttribute('aria-pressed', 'true')
  await applyButton(page).click()
  await expect(page.getByRole('heading', { name: 'Processed Images (1)' })).toBeVisible({ timeout: SLOW_MS })
  await expect(results(page)).toContainText('Sepia')
  await expect(results(page)).toContainText(/\d\.\d\d MB · 640 × 480/)
  await isDrawn(results(page).locator('img'))
  expect(await listImages(server, person)).toMatchObject([{ recipe: [{ effect_name: 'sepia', intensity: 0.3 }] }])

  const slider = page.getByRole('slider', { name: 'Compare before and after' })
  await slider.focus()
  await page.keyboard.press('Home')
  await expect(slider).toHaveAttribute('aria-valuetext', '0% before')
  const box = (await slider.boundingBox())!
  await slider.click({ position: { x: box.width * 0.75, y: box.height / 2 } })
  await expect(slider).toHaveAttribute('aria-valuetext', /7[456]% before/)
  await page.getByRole('button', { name: 'Compare Sepia large' }).click()
  const dialog = page.getByRole('dialog', { name: 'Sepia' })
  await tab(page, 'Side by side').click()
  await isDrawn(dialog.getByRole('img', { name: 'Before' }))
  await isDrawn(dialog.getByRole('img', { name: 'After' }))
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

  await input(page).setInputFiles(await drawPicture(page, { name: 'other.png', hue: 20 }))
  await expect(page.getByText('other.png', { exact: true })).toBeVisible()
  await expect(results(page)).toHaveCount(0)
  await page.getByRole('button', { name: 'Remove picture' }).click()
  await expect(page.getByText('Supports JPEG, PNG, WebP (Max 50MB)')).toBeVisible()
  await expect(preview(page, 'sepia')).toHaveCount(0)
})

test('several effects are applied in batch mode, and one that fails says so alone', async ({ userPage: page }) => {
  await openWithPicture(page)
  await page.getByLabel('Batch Mode (Multiple Effects)').check()
  await expect(applyButton(page, 'Apply 0 Effects')).toBeDisabled()
  for (const name of ['Sepia', 'Ink', 'Vignette']) await card(page, name).click()
  await card(page, 'Vignette').click()
  await applyButton(page, 'Apply 2 Effects').click()
  await expect(page.getByRole('heading', { name: 'Processed Images (2)' })).toBeVisible({ timeout: SLOW_MS })
  await expect(results(page)).toContainText(['Sepia', 'Ink'])

  await page.route('**/effects/batch', async (route) => {
    const answer = (await (await route.fetch()).json()) as { results: object[] }
    answer.results[0] = {
      ...answer.results[0],
      ...{ thumbnail: null, file_size_mb: null, processed_size: null, download_id: null, url: null },
      error: 'This effect could not be made.',
    }
    await route.fulfill({ json: answer })
  })
  await applyButton(page, 'Apply 2 Effects').click()
  await expect(page.getByText('1 effect could not be applied')).toBeVisible({ timeout: SLOW_MS })
  await expect(page.getByText('Sepia: This effect could not be made.')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Processed Images (3)' })).toBeVisible()
  await expectAccessible(page)
})

test('effects are stacked, ordered by keyboard, kept as a recipe, used again and deleted', async ({
  userPage: page,
  server,
  person,
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
  await page.getByLabel('Name of the recipe').fill('Old postcard')
  await page.keyboard.press('Enter')
  await expect(page.getByText('The recipe “Old postcard” was saved', { exact: true })).toBeVisible()
  const { recipes } = await server.call<{ recipes: object[] }>('GET', '/image-effects/recipes', { token: person.token })
  const recipe = [
    { effect_name: 'blur', intensity: 0.5 },
    { effect_name: 'sepia', intensity: 1 },
  ]
  expect(recipes).toMatchObject([{ name: 'Old postcard', steps: recipe }])

  await page.getByRole('button', { name: 'Remove Blur' }).click()
  await page.getByRole('button', { name: 'Use the recipe Old postcard' }).click()
  await expect(steps(page)).toContainText(['Blur', 'Sepia'])
  await applyButton(page).click()
  await expect(results(page)).toContainText('Blur + Sepia', { timeout: SLOW_MS })
  expect(await listImages(server, person)).toMatchObject([{ recipe }])

  await page.getByRole('button', { name: 'Delete the recipe Old postcard' }).click()
  await page.getByRole('button', { name: 'Delete recipe', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Saved recipes' })).toBeHidden()
})

test('work shows how far it is, and is stopped here and on the server', async ({ userPage: page, server, person }) => {
  test.setTimeout(90_000)
  await openWithPicture(page, { width: 3600, height: 2400 })
  await page.getByLabel('Batch Mode (Multiple Effects)').check()
  const names = ['Oil Painting', 'Watercolor', 'Pencil Sketch', 'Charcoal', 'Stippling', 'Stained Glass', 'Low Poly']
  for (const name of names) await card(page, name).click()
  await applyButton(page, `Apply ${names.length} Effects`).click()
  await expect(applyButton(page, 'Processing...')).toBeDisabled()
  await expect(page.getByRole('progressbar')).toHaveAttribute('aria-valuenow', /[1-9]/, { timeout: SLOW_MS })
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect(applyButton(page, `Apply ${names.length} Effects`)).toBeEnabled()
  await expect(page.getByRole('progressbar')).toHaveCount(0)
  await expect(results(page)).toHaveCount(0)
  // What was being made when it was stopped may still be stored; then nothing more comes.
  await page.waitForTimeout(1500)
  const { length: count } = await listImages(server, person)
  expect(count).toBeLessThan(names.length)
  await page.waitForTimeout(1500)
  expect(await listImages(server, person)).toHaveLength(count)
})

test('everything works by keyboard', async ({ userPage: page }) => {
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
  await expect(results(page)).toContainText('Thermal', { timeout: SLOW_MS })
  await tab(page, 'Create Effects').focus()
  await page.keyboard.press('ArrowRight')
  await expect(gallery(page).getByRole('heading', { name: 'thermal' })).toBeVisible()
  await page.keyboard.press('ArrowLeft')
  await expect(results(page)).toHaveCount(1)
})

test('pictures are pasted and dropped, and files that are none are refused quietly', async ({ userPage: page }) => {
  const first = await openWithPicture(page)
  await input(page).setInputFiles({ name: 'letter.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4') })
  await expect(page.getByText('File type must be jpg, jpeg, png, bmp, webp')).toBeVisible()
  await expect(page.getByText(first.name, { exact: true })).toBeVisible()
  await page.evaluate(() => {
    const transfer = new DataTransfer()
    transfer.items.add(new File([new Uint8Array(52_428_801)], 'huge.png', { type: 'image/png' }))
    document.body.dispatchEvent(new ClipboardEvent('paste', { bubbles: true, clipboardData: transfer }))
  })
  await expect(page.getByText('File is larger than 52428800 bytes')).toBeVisible()
  const base64 = (await drawPicture(page, { hue: 90 })).buffer.toString('base64')
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

test('what fails is said in the words of the server, or in our own', async ({ userPage: page }) => {
  await openWithPicture(page)
  await input(page).setInputFiles({ name: 'fake.png', mimeType: 'image/png', buffer: Buffer.from('no picture at all') })
  await expect(
    page.getByText(/The effects could not be shown on your picture: This file is not a picture/),
  ).toBeVisible({
    timeout: SLOW_MS,
  })
  await card(page, 'Sepia').click()
  await applyButton(page).click()
  const notices = page.getByRole('region', { name: /^Messages/ })
  await expect(
    notices.getByText('This file is not a picture that can be read. Use JPEG, PNG, WebP or BMP.'),
  ).toBeVisible()

  await input(page).setInputFiles(await drawPicture(page))
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
  await expect(results(page)).toHaveCount(1, { timeout: SLOW_MS })
  await page.route('**/effects/download/*', (route) => route.fulfill({ status: 500, body: 'broken' }))
  await results(page).getByRole('button', { name: 'Download', exact: true }).click()
  await expect(notices.getByText('Download failed')).toBeVisible()
})

test('an effect that needs a model says why it is off, and asks what is wanted when it is on', async ({
  userPage: page,
  server,
  person,
}) => {
  await openWithPicture(page)
  await expect(card(page, 'AI Restyle')).toContainText('AI Enhanced')
  await expect(card(page, 'AI Restyle')).toContainText('IMAGE_MODEL')
  await card(page, 'AI Restyle').click({ force: true })
  await expect(card(page, 'AI Restyle')).toHaveAttribute('aria-pressed', 'false')

  await page.route('**/effects/available', async (route) => {
    const available = (await (await route.fetch()).json()) as EffectsAvailable
    available.effects.ai_restyle.available = true
    await route.fulfill({ json: available })
  })
  // A picture of the memory: of a form with a file the browser does not tell what is in it.
  const item = await uploadPicture(server, person, await drawPicture(page, { name: 'valley.png' }))
  await page.goto(`/effects?media=${item.id}`)
  await expect(page.getByRole('img', { name: 'Preview of valley.png' })).toBeVisible()
  await card(page, 'AI Restyle').click()
  await applyButton(page).click()
  const field = page.getByLabel('What should the picture look like?')
  await expect(field).toBeFocused()
  await expect(page.getByText('Say how the picture is to be redrawn.')).toBeVisible()
  await field.fill('A winter evening')
  const sent = page.waitForRequest('**/effects/apply')
  await applyButton(page).click()
  expect((await sent).postDataBuffer()!.toString('latin1')).toContain('name="prompt"\r\n\r\nA winter evening')
})

test('the gallery keeps what was made: paging, downloading, using again and deleting', async ({
  userPage: page,
  server,
  person,
}) => {
  await page.goto('/effects')
  await tab(page, 'Gallery').click()
  await expect(page).toHaveURL(/tab=gallery/)
  await expect(page.getByRole('heading', { name: 'No images yet' })).toBeVisible()
  await expect(page.getByText('Process some images to see them appear in your gallery')).toBeVisible()
  await expectAccessible(page)

  const effects = Object.keys(
    (await server.call<EffectsAvailable>('GET', '/image-effects/effects/available', { token: person.token })).effects,
  ).filter((name) => !name.startsWith('ai_'))
  const many = [...effects.filter((name) => name !== 'black_and_white').slice(0, 25), 'black_and_white']
  await makeImages(server, person, many, await drawPicture(page, { width: 48, height: 32 }))
  await gallery(page).getByRole('button', { name: 'Refresh' }).click()
  const cards = gallery(page).getByRole('listitem')
  await expect(cards).toHaveCount(24)
  await gallery(page).getByRole('button', { name: 'Load more' }).click()
  await expect(cards).toHaveCount(26)
  // Only the first underscore becomes a space (spec §2.11).
  const newest = cards.first()
  await expect(newest.getByRole('heading', { name: 'black and_white' })).toBeVisible()
  await expect(newest).toContainText(/0\.\d\d MB/)
  await expect(newest).toContainText(/\w{3} \d{1,2}, 20\d\d/)
  await isDrawn(newest.locator('img'))
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
  expect(await listImages(server, person)).toHaveLength(25)

  await cards.first().getByRole('button', { name: 'Use again' }).click()
  await expect(tab(page, 'Create Effects')).toHaveAttribute('aria-selected', 'true')
  await expect(page.locator('[data-effect][aria-pressed=true]')).toHaveCount(1)
})

test('a gallery that cannot be loaded says so and is loaded again', async ({ userPage: page }) => {
  await page.route('**/effects/gallery*', (route) => route.fulfill({ status: 400, json: { detail: 'No', code: 'no' } }))
  await page.goto('/effects?tab=gallery')
  await expect(page.getByText('Could not load')).toBeVisible()
  await page.unroute('**/effects/gallery*')
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(page.getByRole('heading', { name: 'No images yet' })).toBeVisible()
})

test('a picture of the memory is chosen, kept in the address, and comes back with what was made of it', async ({
  userPage: page,
  server,
  person,
}) => {
  await page.goto('/effects')
  const item = await uploadPicture(server, person, await drawPicture(page, { name: 'valley.png' }))
  await page.getByRole('button', { name: 'From your library' }).click()
  await expect(page.getByRole('button', { name: 'valley.png' })).toBeVisible()
  await expectAccessible(page)
  await page.getByLabel('Search your library').fill('mountain')
  await expect(page.getByText('Nothing in your library matches this.')).toBeVisible()
  await page.getByLabel('Search your library').fill('valley')
  await page.getByRole('button', { name: 'valley.png' }).click()
  await expect(page).toHaveURL(new RegExp(`media=${item.id}`))
  await isDrawn(page.getByRole('img', { name: 'Preview of valley.png' }))
  await page.reload()
  await isDrawn(preview(page, 'sepia'))
  await card(page, 'Duotone').click()
  await applyButton(page).click()
  await expect(results(page)).toContainText('Duotone', { timeout: SLOW_MS })

  await results(page).getByRole('button', { name: 'Keep in memory' }).click()
  await expect(page.getByText('Kept in your memory', { exact: true })).toBeVisible()
  await results(page).getByRole('button', { name: 'Open in your memory' }).click()
  await expect(page).toHaveURL(/\/gallery\/[0-9a-f-]{36}/)

  await page.goto('/effects?tab=gallery')
  await gallery(page).getByRole('button', { name: 'Use again' }).click()
  await expect(page).toHaveURL(new RegExp(`media=${item.id}`))
  await isDrawn(page.getByRole('img', { name: 'Preview of valley.png' }))
  await expect(card(page, 'Duotone')).toHaveAttribute('aria-pressed', 'true')
  await page.getByRole('button', { name: 'Remove picture' }).click()
  await expect(page).not.toHaveURL(/media=/)
})

test('a frame of a film is chosen, and a link leads to it', async ({ userPage: page }) => {
  const film = pretendedDetail(3, {
    frames: [1, 2].map((number) => ({
      frame_number: number,
      timestamp_seconds: number * 10,
      thumbnail: '/favicon.svg',
      caption: null,
      extracted_text: null,
    })),
  })
  await page.route('**/api/media/library*', (route) => {
    const isFilms = route.request().url().includes('media_type=video')
    return route.fulfill({ json: { media_items: isFilms ? [film] : [], next_cursor: null, total: isFilms ? 1 : 0 } })
  })
  await page.route(`**/api/media/${pretendedId(3)}`, (route) => route.fulfill({ json: film }))
  await page.route('**/effects/previews', (route) => route.fulfill({ json: { previews: {} } }))
  await page.goto('/effects')
  await page.getByRole('button', { name: 'From your library' }).click()
  await tab(page, 'Films').click()
  await page.getByRole('button', { name: 'file-3.mp4' }).click()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Frame 2, 0:20' }).click()
  await expect(page).toHaveURL(new RegExp(`media=${pretendedId(3)}&frame=2`))
  await expect(page.getByText('No. 2', { exact: true })).toBeVisible()

  await page.goto(`/effects?media=${pretendedId(3)}&frame=1`)
  await expect(page.getByText('No. 1', { exact: true })).toBeVisible()
  await card(page, 'Sepia').click()
  const sent = page.waitForRequest('**/effects/apply')
  await applyButton(page).click()
  const body = (await sent).postDataBuffer()!.toString('latin1')
  expect(body).toContain(`name="media_id"\r\n\r\n${pretendedId(3)}`)
  expect(body).toContain('name="frame_number"\r\n\r\n1')
  await page.goto(`/effects?media=${pretendedId(3)}&frame=9`)
  await expect(page.getByText('There is no picture of this item.')).toBeVisible()
})

test('on a phone everything is in one column, and the button stays at hand', async ({ userPage: page }) => {
  await page.setViewportSize({ width: 360, height: 740 })
  await page.emulateMedia({ colorScheme: 'dark' })
  await openWithPicture(page, { name: `${'a-long-name-'.repeat(8)}.png` })
  await isDrawn(preview(page, 'sepia'))
  await card(page, 'Thermal').scrollIntoViewIfNeeded()
  await card(page, 'Thermal').click()
  await expect(applyButton(page)).toBeInViewport()
  await applyButton(page).click()
  await page.getByRole('link', { name: 'Processed Images (1)' }).click({ timeout: SLOW_MS })
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
