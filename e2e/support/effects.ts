import { Buffer } from 'node:buffer'
import type { EffectsGalleryItemJson, MediaItemJson } from '@mira/shared'
import { expect, type Locator, type Page } from '@playwright/test'
import type { Account, TestServer } from './server.ts'

/** Timeout for applying effects on a busy machine. */
export const EFFECT_TIMEOUT_MS = 30_000

/** File input of the studio. */
export const fileInput = (page: Page) => page.locator('input[type=file]')
/** Card of an effect, by its displayed name. */
export const card = (page: Page, name: string) =>
  page.locator('[data-effect]').filter({ has: page.getByText(name, { exact: true }) })
/** Preview of the user's image on the card of an effect, by its API name. */
export const preview = (page: Page, effect: string) => page.locator(`[data-effect=${effect}] img[src^="data:"]`)
/** Sample image on the card of an effect, shown until the user chooses an image. */
export const sample = (page: Page, effect: string) => page.locator(`[data-effect=${effect}] img[src^="/assets/"]`)
/** Button that applies the selected effects. */
export const applyButton = (page: Page, name: string | RegExp = 'Apply Effect') =>
  page.getByRole('button', { name, exact: true })
/** Results for the chosen picture. */
export const results = (page: Page) => page.getByRole('region', { name: /^Processed Images/ }).getByRole('listitem')
/** A tab of the studio or of a dialog in it. */
export const tab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true })
/** Gallery of all images made with effects. */
export const gallery = (page: Page) => page.getByRole('region', { name: 'Effects Gallery' })
/** Steps of the recipe being built. */
export const steps = (page: Page) => page.getByRole('list', { name: 'Recipe steps' }).getByRole('listitem')
/** Waits until an image has loaded. */
export const waitForImage = (image: Locator) =>
  expect
    .poll(() => image.evaluate((img: HTMLImageElement) => img.naturalWidth), { timeout: EFFECT_TIMEOUT_MS })
    .toBeGreaterThan(0)

/** PNG file of a hill under the sun, drawn by the browser. */
export async function drawImage(page: Page, { width = 320, height = 240, name = 'hill.png', hue = 210 } = {}) {
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

/** Opens the studio and chooses an image. */
export async function openWithPicture(page: Page, options?: Parameters<typeof drawImage>[1]) {
  await page.goto('/effects')
  await expect(card(page, 'Sepia')).toBeVisible()
  const picture = await drawImage(page, options)
  await fileInput(page).setInputFiles(picture)
  await expect(page.getByRole('img', { name: `Preview of ${picture.name}` })).toBeVisible()
  return picture
}

/** Applies effects through the API. */
export async function makeImages(
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

/** Images in the server's gallery, newest first. */
export async function listImages(server: TestServer, { token }: Account): Promise<EffectsGalleryItemJson[]> {
  const path = '/image-effects/effects/gallery?limit=200'
  return (await server.call<{ images: EffectsGalleryItemJson[] }>('GET', path, { token })).images
}

/** Uploads an image to the library. */
export async function uploadPicture(server: TestServer, { token }: Account, picture: { buffer: Buffer; name: string }) {
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
