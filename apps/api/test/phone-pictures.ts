import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The pictures in `phone-pictures/`; `make.sh` there says how each was made. */
type PhonePicture =
  | `${'phone' | 'turned' | 'words' | 'large-words' | 'sequence'}.heic`
  | 'av1.heif'
  | `${'phone' | 'plain'}.jxl`
  | `moving.${'gif' | 'webp' | 'avif'}`

/** A small real picture, red on its left and blue on its right unless it moves or has words. */
export function phonePicture(name: PhonePicture): Buffer {
  return readFileSync(join(import.meta.dirname, 'phone-pictures', name))
}
