import { PERSONA_PICTURE_MAX_CHARACTERS } from '@mira/shared/constants/limits'

/** Sharp enough on screens of twice the density. */
const SIDE = 128
const QUALITIES = [0.85, 0.6, 0.4]

/** The middle of a picture, small and square, as a data URL. @throws Error when the browser cannot read it. */
export async function smallPicture(file: File): Promise<string> {
  const bitmap = await createImageBitmap(file)
  try {
    const canvas = document.createElement('canvas')
    canvas.width = SIDE
    canvas.height = SIDE
    const context = canvas.getContext('2d')
    if (context === null) throw new Error('This browser draws no pictures')
    context.fillStyle = '#ffffff'
    context.fillRect(0, 0, SIDE, SIDE)
    const part = Math.min(bitmap.width, bitmap.height)
    const [left, top] = [(bitmap.width - part) / 2, (bitmap.height - part) / 2]
    context.drawImage(bitmap, left, top, part, part, 0, 0, SIDE, SIDE)
    for (const quality of QUALITIES) {
      const url = canvas.toDataURL('image/jpeg', quality)
      if (url.length <= PERSONA_PICTURE_MAX_CHARACTERS) return url
    }
    throw new Error('The picture stays too large')
  } finally {
    bitmap.close()
  }
}
