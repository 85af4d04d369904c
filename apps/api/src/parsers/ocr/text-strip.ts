import type { TextBox } from './text-boxes.ts'

/** A picture in colours, three bytes a pixel, rows from the top. */
export interface ColourPicture {
  width: number
  height: number
  data: Buffer
}

/**
 * A line of text, cut out, levelled and scaled to a height.
 * @param pictures the picture in sizes that each halve the previous one.
 */
export function cutStrip(
  pictures: ColourPicture[],
  box: TextBox,
  { height, widest }: { height: number; widest: number },
): ColourPicture {
  const scale = height / box.height
  const width = Math.max(1, Math.min(widest, Math.round(box.width * scale)))
  // a pixel of the strip averages at most two by two
  const level = Math.min(pictures.length - 1, Math.max(0, Math.floor(Math.log2(1 / scale))))
  const from = pictures[level] as ColourPicture
  const shrunk = from.width / (pictures[0] as ColourPicture).width
  const radians = (box.degrees * Math.PI) / 180
  const [cosine, sine] = [Math.cos(radians) * shrunk, Math.sin(radians) * shrunk]
  const data = Buffer.allocUnsafe(width * height * 3)
  for (let row = 0, to = 0; row < height; row++) {
    const below = ((row + 0.5) / height - 0.5) * box.height
    for (let column = 0; column < width; column++, to += 3) {
      const along = ((column + 0.5) / width - 0.5) * box.width
      const x = box.x * shrunk + along * cosine - below * sine - 0.5
      const y = box.y * shrunk + along * sine + below * cosine - 0.5
      blend(from, x, y, data, to)
    }
  }
  return { width, height, data }
}

/** Bilinear interpolation, clamped at the border. */
function blend({ width, height, data }: ColourPicture, x: number, y: number, into: Buffer, to: number): void {
  const [left, top] = [
    Math.min(width - 1, Math.max(0, Math.floor(x))),
    Math.min(height - 1, Math.max(0, Math.floor(y))),
  ]
  const [right, bottom] = [Math.min(width - 1, left + 1), Math.min(height - 1, top + 1)]
  const [across, down] = [Math.min(1, Math.max(0, x - left)), Math.min(1, Math.max(0, y - top))]
  const [a, b, c, d] = [
    (top * width + left) * 3,
    (top * width + right) * 3,
    (bottom * width + left) * 3,
    (bottom * width + right) * 3,
  ]
  for (let channel = 0; channel < 3; channel++) {
    const above = (data[a + channel] as number) * (1 - across) + (data[b + channel] as number) * across
    const under = (data[c + channel] as number) * (1 - across) + (data[d + channel] as number) * across
    into[to + channel] = above * (1 - down) + under * down + 0.5
  }
}
