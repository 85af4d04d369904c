// Decodes pictures in a separate process: native code reads untrusted files.
import { writeFile } from 'node:fs/promises'
import { serveTasks } from '../../platform/sandbox/serve-tasks.ts'
import { contrastOf } from '../video/scene-frames.ts'
import { drawTiffPage } from './draw-tiff.ts'
import { readNewPicture, thumbhashOf } from './new-picture.ts'
import { createImages, type ThumbnailOptions } from './picture-reader.ts'
import type { PixelPicture } from './pixel-picture.ts'
import { createPixels, type DecodeOptions } from './pixels.ts'
import { readablePixels } from './readable-pixels.ts'
import { tiffPagesOf } from './tiff-pages.ts'

interface ReadInput {
  source: Uint8Array | string
  options: ThumbnailOptions | undefined
}

const images = createImages()
const pixels = createPixels()

const tasks = {
  readImage: ({ source, options }: ReadInput) => images.readImage(source, options),
  shrinkForModel: ({ source, options }: ReadInput) => images.shrinkForModel(source, options),
  thumbnail: ({ source, options }: ReadInput) => images.thumbnail(source, options),
  newPicture: ({ filename, sizeBytes }: { filename: string; sizeBytes: number }) =>
    readNewPicture(images, filename, sizeBytes),
  /** Writes the pixels to a file. */
  readablePixels: async ({ filename, into, longestSide }: { filename: string; into: string; longestSide: number }) => {
    const { data, ...size } = await readablePixels(filename, longestSide)
    await writeFile(into, data)
    return size
  },
  tiffPageCount: async ({ filename }: { filename: string }) => (await tiffPagesOf(filename)).length,
  drawTiffPage,
  thumbhash: ({ picture }: { picture: Uint8Array }) => thumbhashOf(picture),
  contrast: ({ filename }: { filename: string }) => contrastOf(filename),
  /** Writes the pixels to a file: there may be 200 MB of them. */
  decode: async ({ filename, into, ...options }: { filename: string; into: string } & DecodeOptions) => {
    const { data, ...picture } = await pixels.decode(filename, options)
    await writeFile(into, data)
    return picture
  },
  preview: (picture: PixelPicture) => pixels.encodePreview(picture),
  convert: ({ filename, format }: { filename: string; format: 'webp' | 'jpeg' | 'avif' }) =>
    pixels.convert(filename, format),
}

export type PictureTasks = typeof tasks

serveTasks(tasks)
