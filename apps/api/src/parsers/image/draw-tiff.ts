import { writeFile } from 'node:fs/promises'
import sharp from 'sharp'
import { PictureProblem } from './phone/picture-problem.ts'
import { MAX_PIXELS } from './pixel-picture.ts'
import { squareSize, tiffPagesOf } from './tiff-pages.ts'
import { inSrgb } from './upright-picture.ts'

const TIMEOUT_SECONDS = 30
/** Maximum ratio of height to width that a page is drawn with, to bound the memory. */
const MAX_HEIGHT_PER_WIDTH = 4

interface PageToDraw {
  filename: string
  /** From 1. */
  page: number
  widthPixels: number
  /** File name of the PNG. */
  into: string
}

/** Draws a page of a TIFF file upright, with square pixels. @throws Error of sharp, PictureProblem */
export async function drawTiffPage({ filename, page, widthPixels, into }: PageToDraw) {
  const tiffPage = (await tiffPagesOf(filename))[page - 1]
  if (tiffPage === undefined) throw new PictureProblem('damaged', 'has no such page')
  const opened = sharp(filename, { page: tiffPage.index, limitInputPixels: MAX_PIXELS, failOn: 'none' })
  const metadata = await opened.metadata()
  const { orientation = 1 } = metadata
  const square = squareSize(tiffPage)
  const upright = orientation >= 5 ? { width: square.height, height: square.width } : square
  const { width, height } = fitted(upright, widthPixels)
  const { data, info } = await inSrgb(opened, metadata)
    .autoOrient()
    .resize(width, height, { fit: 'fill' })
    .flatten({ background: '#ffffff' })
    .timeout({ seconds: TIMEOUT_SECONDS })
    .png({ compressionLevel: 3 })
    .toBuffer({ resolveWithObject: true })
  // Not written by sharp, whose error for a full disk isn't recognised as one.
  await writeFile(into, data)
  return { page, filename: into, width: info.width, height: info.height }
}

function fitted({ width, height }: { width: number; height: number }, maxWidth: number) {
  const factor = Math.min(1, maxWidth / width, (maxWidth * MAX_HEIGHT_PER_WIDTH) / height)
  return { width: Math.max(1, Math.round(width * factor)), height: Math.max(1, Math.round(height * factor)) }
}
