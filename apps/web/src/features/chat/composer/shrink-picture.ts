import { IMAGE_MAX_BYTES } from '@mira/shared/constants/limits'

/** No model looks closer than this, so that nothing is lost on it. */
const LONGEST_SIDE = 4096
const QUALITIES = [0.92, 0.8, 0.6]

/**
 * A picture that is larger than a message may carry, drawn again so that it fits, as a JPEG on white; a picture that fits is
 * given back as it is. Null where the browser cannot read it.
 */
export async function shrinkPicture(file: File): Promise<File | null> {
  if (file.size <= IMAGE_MAX_BYTES) return file
  const bitmap = await createImageBitmap(file).catch((error: unknown) => {
    console.warn('A large picture could not be read, so that it stays too large', error)
    return null
  })
  if (bitmap === null) return null
  try {
    for (const quality of QUALITIES) {
      const drawn = await draw(bitmap, quality)
      if (drawn !== null && drawn.size <= IMAGE_MAX_BYTES) {
        return new File([drawn], file.name.replace(/\.[^.]*$/, '.jpg'), { type: drawn.type })
      }
    }
    return null
  } finally {
    bitmap.close()
  }
}

function draw(bitmap: ImageBitmap, quality: number): Promise<Blob | null> {
  const scale = Math.min(1, LONGEST_SIDE / Math.max(bitmap.width, bitmap.height))
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.round(bitmap.width * scale))
  canvas.height = Math.max(1, Math.round(bitmap.height * scale))
  const context = canvas.getContext('2d')
  if (context === null) return Promise.resolve(null)
  context.fillStyle = '#ffffff'
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
  return new Promise((resolve) => canvas.toBlob(resolve, 'image/jpeg', quality))
}
