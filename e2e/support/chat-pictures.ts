import type { Locator, Page } from '@playwright/test'

/** Images attached to the next message. */
export const selectedImages = (page: Page) => page.getByRole('region', { name: 'Selected images' })
/** File input for images. */
export const imageInput = (page: Page) => page.locator('input[type=file]')
/** Natural width of an image in pixels; 0 until it's loaded. */
export const widthOf = (picture: Locator) => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)

/** PNG file drawn by the browser. */
export async function drawImage(page: Page, name: string, colour: string) {
  const base64 = await page.evaluate((fill) => {
    const canvas = document.createElement('canvas')
    canvas.width = 320
    canvas.height = 240
    const context = canvas.getContext('2d')!
    context.fillStyle = fill
    context.fillRect(0, 0, 320, 240)
    context.fillStyle = 'white'
    context.fillRect(40, 40, 120, 80)
    return canvas.toDataURL('image/png').split(',')[1]!
  }, colour)
  return { name, mimeType: 'image/png', buffer: Buffer.from(base64, 'base64') }
}
