import { PDFParse } from 'pdf-parse'
import sharp from 'sharp'
import { pdfOptions } from '../src/parsers/pdf/pdf-options.ts'
import { type PageToWrite, writtenPdf } from './pdf-files.ts'

/** A picture with text in it; sizes in pixels. */
export interface PictureToWrite extends Pick<PageToWrite, 'font' | 'ink' | 'paper' | 'picture'> {
  fontSize?: number
  /** By default the size that the lines need. */
  width?: number
  height?: number
  /** Degrees clockwise; corners that become free have the colour of the paper. */
  turnedBy?: number
}

/** Widths of characters are nearly never more than this part of the font's size. */
const WIDEST_CHARACTER = 0.62

/**
 * Writes lines of text into a PNG, with the fonts that come with the reader of PDFs: none of the system are needed. For
 * other formats, noise and the like, go on with sharp.
 */
export async function writtenPicture(lines: string | string[], options: PictureToWrite = {}): Promise<Buffer> {
  const { fontSize = 40, turnedBy = 0, paper = '#ffffff', ...look } = options
  const written = [lines].flat()
  const longest = Math.max(1, ...written.map((line) => line.length))
  const {
    width = Math.ceil(fontSize * (2 + longest * WIDEST_CHARACTER)),
    height = Math.ceil(fontSize * (1.5 + written.length * 1.5)),
  } = options
  const file = await writtenPdf([{ ...look, lines: written, fontSize, width, height, paper }])
  const reader = new PDFParse({ ...pdfOptions, data: new Uint8Array(file) })
  try {
    const drawn = await reader.getScreenshot({ desiredWidth: width, imageDataUrl: false, imageBuffer: true })
    const picture = sharp(drawn.pages[0]?.data).flatten({ background: paper })
    return await (turnedBy === 0 ? picture : picture.rotate(turnedBy, { background: paper })).png().toBuffer()
  } finally {
    await reader.destroy()
  }
}

/** A photo, as a JPEG: a sign before a wall that is not of one colour, with the noise of a camera. */
export async function photographedSign(words: string): Promise<Buffer> {
  const look = { fontSize: 80, ink: '#f8f4e8', paper: '#5b2a1e', font: 'Helvetica-Bold' } as const
  const sign = await writtenPicture(words, look)
  const noise = { type: 'gaussian', mean: 170, sigma: 12 } as const
  return sharp({ create: { width: 1600, height: 1200, channels: 3, background: '#a0a0a0', noise } })
    .composite([{ input: sign, left: 300, top: 420 }])
    .jpeg({ quality: 85 })
    .toBuffer()
}
