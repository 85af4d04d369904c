// Decodes pictures, in a process of its own: what reads formats is native code, and the files are strangers'.
import { writeFile } from 'node:fs/promises'
import sharp from 'sharp'
import { serveTasks } from '../../platform/sandbox/serve-tasks.ts'
import { contrastOf } from '../video/frame-choice.ts'
import { readableCopyOf } from './copies-and-thumbnails.ts'
import { readNewPicture } from './new-picture.ts'
import { PictureProblem } from './phone/picture-problem.ts'
import { createImages, MAX_PIXELS, type ThumbnailOptions } from './picture-reader.ts'
import type { PixelPicture } from './pixel-picture.ts'
import { createPixels } from './pixels.ts'
import { thumbhashOf } from './thumbhash.ts'
import { squareSize, tiffPagesOf } from './tiff-pages.ts'

const TIMEOUT_SECONDS = 30
/** No page is so much higher than wide that it needs more memory than a few. */
const HIGHEST_RATIO = 4

interface PageToDraw {
  filename: string
  /** From 1. */
  page: number
  widthPixels: number
  /** File name of the PNG. */
  into: string
}

/** Draws a page of a TIFF file upright, with square pixels. @throws the library's Error, PictureProblem */
export async function drawTiffPage({ filename, page, widthPixels, into }: PageToDraw) {
  const one = (await tiffPagesOf(filename))[page - 1]
  if (one === undefined) throw new PictureProblem('damaged', 'it has no such page')
  const opened = sharp(filename, { page: one.index, limitInputPixels: MAX_PIXELS, failOn: 'none' })
  const { orientation = 1 } = await opened.metadata()
  const square = squareSize(one)
  const upright = orientation >= 5 ? { width: square.height, height: square.width } : square
  const { width, height } = fitted(upright, widthPixels)
  const info = await opened
    .autoOrient()
    .resize(width, height, { fit: 'fill' })
    .flatten({ background: '#ffffff' })
    .timeout({ seconds: TIMEOUT_SECONDS })
    .png({ compressionLevel: 3 })
    .toFile(into)
  return { page, filename: into, width: info.width, height: info.height }
}

function fitted({ width, height }: { width: number; height: number }, widest: number) {
  const factor = Math.min(1, widest / width, (widest * HIGHEST_RATIO) / height)
  return { width: Math.max(1, Math.round(width * factor)), height: Math.max(1, Math.round(height * factor)) }
}

interface Given {
  source: Uint8Array | string
  options: ThumbnailOptions | undefined
}

const images = createImages()
const pixels = createPixels()

const tasks = {
  readImage: ({ source, options }: Given) => images.readImage(source, options),
  shrinkForModel: ({ source, options }: Given) => images.shrinkForModel(source, options),
  thumbnail: ({ source, options }: Given) => images.thumbnail(source, options),
  newPicture: ({ filename, sizeBytes }: { filename: string; sizeBytes: number }) =>
    readNewPicture(images, filename, sizeBytes),
  readableCopy: ({ filename }: { filename: string }) =>
    images.draw(filename, { toleratesDamage: true }, readableCopyOf),
  tiffPageCount: async ({ filename }: { filename: string }) => (await tiffPagesOf(filename)).length,
  drawTiffPage,
  thumbhash: ({ picture }: { picture: Uint8Array }) => thumbhashOf(picture),
  contrast: ({ filename }: { filename: string }) => contrastOf(filename),
  /** Writes the pixels to a file: there may be 200 MB of them. */
  decode: async ({
    filename,
    into,
    longestSide,
  }: {
    filename: string
    into: string
    longestSide?: number | undefined
  }) => {
    const { data, ...picture } = await pixels.decode(filename, longestSide === undefined ? {} : { longestSide })
    await writeFile(into, data)
    return picture
  },
  preview: (picture: PixelPicture) => pixels.encodePreview(picture),
  convert: ({ filename, format }: { filename: string; format: 'webp' | 'jpeg' | 'avif' }) =>
    pixels.convert(filename, format),
}

export type PictureTasks = typeof tasks

serveTasks(tasks)
