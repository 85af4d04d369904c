import { PDFParse } from 'pdf-parse'
import sharp from 'sharp'
import { pdfOptions } from '../src/parsers/pdf/pdf-options.ts'
import { type PageToWrite, textPdf } from './pdf-files.ts'

/** An image with text in it; sizes in pixels. */
export interface PictureToWrite extends Pick<PageToWrite, 'font' | 'ink' | 'paper' | 'picture'> {
  fontSize?: number
  /** By default the size that the lines need. */
  width?: number
  height?: number
  /** Degrees clockwise; the new corners have the colour of the paper. */
  turnedBy?: number
}

/** Width of nearly the widest characters, relative to the font size. */
const WIDEST_CHARACTER = 0.62

/**
 * Draws lines of text as a PNG, with the fonts of the PDF library, so that no system fonts are needed. Use sharp on the result
 * for other formats, noise and the like.
 */
export async function textImage(lines: string | string[], options: PictureToWrite = {}): Promise<Buffer> {
  const { fontSize = 40, turnedBy = 0, paper = '#ffffff', ...look } = options
  const textLines = [lines].flat()
  const longest = Math.max(1, ...textLines.map((line) => line.length))
  const {
    width = Math.ceil(fontSize * (2 + longest * WIDEST_CHARACTER)),
    height = Math.ceil(fontSize * (1.5 + textLines.length * 1.5)),
  } = options
  const file = await textPdf([{ ...look, lines: textLines, fontSize, width, height, paper }])
  const reader = new PDFParse({ ...pdfOptions, data: new Uint8Array(file) })
  try {
    const screenshot = await reader.getScreenshot({ desiredWidth: width, imageDataUrl: false, imageBuffer: true })
    const picture = sharp(screenshot.pages[0]?.data).flatten({ background: paper })
    return await (turnedBy === 0 ? picture : picture.rotate(turnedBy, { background: paper })).png().toBuffer()
  } finally {
    await reader.destroy()
  }
}

/** Draws a JPEG like a photo: a sign in front of a wall with the noise of a camera. */
export async function drawSignPhoto(words: string): Promise<Buffer> {
  const look = { fontSize: 80, ink: '#f8f4e8', paper: '#5b2a1e', font: 'Helvetica-Bold' } as const
  const sign = await textImage(words, look)
  const noise = { type: 'gaussian', mean: 170, sigma: 12 } as const
  return sharp({ create: { width: 1600, height: 1200, channels: 3, background: '#a0a0a0', noise } })
    .composite([{ input: sign, left: 300, top: 420 }])
    .jpeg({ quality: 85 })
    .toBuffer()
}
