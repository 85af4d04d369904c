import type { ImageEditor } from '../../../engines/engine-types.ts'
import type { PixelPicture } from '../../../parsers/image/pixel-picture.ts'
import type { Pixels } from '../../../parsers/image/pixels.ts'
import type { Files } from '../../../platform/storage/files.ts'

/** Maximum input size of image models, in pixels. */
const LONGEST_SIDE = 1024

export interface RestyleTools {
  pixels: Pixels
  editor: ImageEditor
  receive: Files['receive']
}

/**
 * Lets a model redraw a picture; the result has the model's output size. Below intensity 1, it's blended with the picture
 * in that size, unless the model returned another aspect ratio.
 * @throws EngineError
 */
export async function restyle(
  tools: RestyleTools,
  picture: PixelPicture,
  { prompt, intensity, signal }: { prompt: string; intensity: number; signal: AbortSignal },
): Promise<PixelPicture> {
  const { pixels, editor } = tools
  const whole = await pixels.encodePng(picture)
  const small = await decode(tools, whole, LONGEST_SIDE)
  // Camera, owner and time are none of the model's business.
  const { picture: editedPng } = await editor.edit(await pixels.encodePng({ ...small, exif: {} }), prompt, signal)
  const result = { ...(await decode(tools, editedPng)), exif: picture.exif }
  if (intensity >= 1) return result
  const original = await decode(tools, whole, Math.max(result.width, result.height))
  if (original.width !== result.width || original.height !== result.height) return result
  for (let p = 0; p < result.data.length; p++) {
    const before = original.data[p] as number
    result.data[p] = before + ((result.data[p] as number) - before) * intensity
  }
  return result
}

/** Decodes a file in memory, which may come from a model, like any uploaded file; in sRGB, which models expect. */
async function decode(
  { pixels, receive }: RestyleTools,
  content: Uint8Array,
  longestSide?: number,
): Promise<PixelPicture> {
  const received = await receive(content)
  try {
    return await pixels.decode(received.filename, { longestSide, inSrgb: true })
  } finally {
    await received.discard()
  }
}
