import sharp from 'sharp'
import { expect, test } from 'vitest'
import { textImage } from './written-pictures.ts'

/** Mean darkness of an image, 0 to 255. */
async function darkness(picture: Buffer): Promise<number> {
  const { channels } = await sharp(picture).greyscale().stats()
  return 255 - (channels[0]?.mean ?? Number.NaN)
}

test('draws text in ink on paper, in the given size', async () => {
  const empty = await textImage('', { width: 600, height: 120 })
  expect(await darkness(empty)).toBe(0)
  const picture = await textImage('Grüße, señor élève', { width: 600, height: 120 })
  expect(await sharp(picture).metadata()).toMatchObject({ format: 'png', width: 600, height: 120 })
  expect(await darkness(picture)).toBeGreaterThan(5)
  const light = await textImage('Grüße', { width: 600, height: 120, ink: '#ffffff', paper: '#000000' })
  expect(await darkness(light)).toBeLessThan(252)
  expect(await darkness(light)).toBeGreaterThan(200)
})

test('swaps width and height when turned by 90 degrees', async () => {
  const { width, height } = await sharp(await textImage(['One', 'Two'], { turnedBy: 90 })).metadata()
  expect(await sharp(await textImage(['One', 'Two'])).metadata()).toMatchObject({ width: height, height: width })
})
