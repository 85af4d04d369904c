import type { MediaDetailJson } from '@mira/shared'
import type { EffectInput } from '../../lib/api/effects.ts'

/** Picture to apply effects to; `key` is unique. */
export type PictureSource =
  | { kind: 'file'; key: string; name: string; sizeBytes: number; file: File; previewUrl: string | null }
  | {
      kind: 'item'
      key: string
      name: string
      /** Null for a frame or page, as the item's size isn't the picture's. */
      sizeBytes: number | null
      mediaId: string
      frameNumber: number | null
      previewUrl: string | null
    }

const SMALL_LONGEST_SIDE = 512

/** A picture as input of the API. */
export function inputOf(source: PictureSource): EffectInput {
  return source.kind === 'file'
    ? { file: source.file, name: source.name }
    : { mediaId: source.mediaId, frameNumber: source.frameNumber }
}

/** A picture as input for previews: a small copy, so that 50 MB aren't sent again for each intensity. */
export async function previewInputOf(source: PictureSource): Promise<EffectInput> {
  if (source.kind === 'item') return inputOf(source)
  return { file: await smallCopyOf(source.file), name: source.name }
}

/** Picture of an image, video frame or document page, by default the first frame or page; null if there is none. */
export function sourceOfItem(item: MediaDetailJson, frameNumber: number | null): PictureSource | null {
  const { id, metadata, media_type: type } = item
  const source = { kind: 'item', mediaId: id, name: metadata.original_filename } as const
  if (type === 'image') {
    const picture = { key: id, frameNumber: null, sizeBytes: metadata.size_bytes }
    return { ...source, ...picture, previewUrl: item.preview_url ?? item.thumbnail }
  }
  const parts = [
    ...item.frames.map(({ frame_number: number, thumbnail }) => ({ number, thumbnail })),
    ...item.pages.map(({ page: number, thumbnail }) => ({ number, thumbnail })),
  ]
  const part = frameNumber === null ? parts[0] : parts.find(({ number }) => number === frameNumber)
  if (!part?.thumbnail) return null
  return {
    ...source,
    key: `${id}/${part.number}`,
    frameNumber: part.number,
    sizeBytes: null,
    previewUrl: part.thumbnail,
  }
}

const smallCopies = new WeakMap<File, Promise<Blob>>()

function smallCopyOf(file: File): Promise<Blob> {
  const cachedCopy = smallCopies.get(file)
  if (cachedCopy !== undefined) return cachedCopy
  // A file that can't be shrunk is sent as is, and the server reports any problem.
  const copy = shrink(file).catch(() => file)
  smallCopies.set(file, copy)
  return copy
}

async function shrink(file: File): Promise<Blob> {
  const picture = await createImageBitmap(file)
  try {
    const scale = SMALL_LONGEST_SIDE / Math.max(picture.width, picture.height)
    if (scale >= 1) return file
    const canvas = new OffscreenCanvas(
      Math.max(1, Math.round(picture.width * scale)),
      Math.max(1, Math.round(picture.height * scale)),
    )
    const context = canvas.getContext('2d')
    if (!context) return file
    context.imageSmoothingQuality = 'high'
    context.drawImage(picture, 0, 0, canvas.width, canvas.height)
    // Browsers that can't encode WebP fall back to PNG; both keep transparency.
    return await canvas.convertToBlob({ type: 'image/webp', quality: 0.92 })
  } finally {
    picture.close()
  }
}
