import sharp from 'sharp'
import { findBoxes, type TextBox } from './text-boxes.ts'
import type { TextModels } from './text-models.ts'
import type { ColourPicture } from './text-strip.ts'

/** The network halves a picture five times. */
const STEP = 32
/** Blue, green and red as its authors trained it: their mean and how far they lie apart. */
const MEANS = [0.485, 0.456, 0.406]
const SPREADS = [0.229, 0.224, 0.225]

/** Looks where text is. Letters should be ten pixels high or more. @returns boxes in pixels of the picture */
export async function findText(models: TextModels, picture: ColourPicture): Promise<TextBox[]> {
  const width = Math.max(STEP, Math.round(picture.width / STEP) * STEP)
  const height = Math.max(STEP, Math.round(picture.height / STEP) * STEP)
  const { data } = await sharp(picture.data, { raw: { width: picture.width, height: picture.height, channels: 3 } })
    .resize(width, height, { fit: 'fill', kernel: 'linear' })
    .raw()
    .toBuffer({ resolveWithObject: true })
  const area = width * height
  const input = new Float32Array(3 * area)
  for (let channel = 0; channel < 3; channel++) {
    const [mean, spread] = [MEANS[channel] as number, SPREADS[channel] as number]
    for (let at = 0, from = 2 - channel, to = channel * area; at < area; at++, from += 3, to++) {
      input[to] = ((data[from] as number) / 255 - mean) / spread
    }
  }
  const map = await models.find(input, [1, 3, height, width])
  const [across, down] = [picture.width / width, picture.height / height]
  // the little that rounding to whole steps distorts does not turn boxes visibly
  return findBoxes({ width, height, data: map.data }).map((box) => ({
    ...box,
    x: box.x * across,
    y: box.y * down,
    width: box.width * across,
    height: box.height * down,
  }))
}
