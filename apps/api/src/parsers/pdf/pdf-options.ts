import { createRequire } from 'node:module'
import { dirname, sep } from 'node:path'

// pdfjs-dist is a dependency of pdf-parse, not ours: it's resolved from there
const fromHere = createRequire(import.meta.url)
const fromPdfParse = createRequire(fromHere.resolve('pdf-parse'))
const folder = dirname(fromPdfParse.resolve('pdfjs-dist/package.json'))
const pathOf = (name: string) => `${folder}${sep}${name}${sep}`

/** Options for opening PDFs: fonts, character maps and decoders from the local disk; nothing is run or fetched. */
export const pdfOptions = {
  standardFontDataUrl: pathOf('standard_fonts'),
  cMapUrl: pathOf('cmaps'),
  cMapPacked: true,
  wasmUrl: pathOf('wasm'),
  iccUrl: pathOf('iccs'),
  /** Glyph programs and functions in a file are interpreted, never compiled. */
  isEvalSupported: false,
  enableXfa: true,
  /** System fonts differ between machines, and a page should look the same on all of them. */
  useSystemFonts: false,
  /** Embedded pictures with more pixels are left out. */
  maxImageSize: 100_000_000,
  /** Errors only. */
  verbosity: 0,
}
