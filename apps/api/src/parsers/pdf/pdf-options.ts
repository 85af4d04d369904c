import { createRequire } from 'node:module'
import { dirname, sep } from 'node:path'

// pdfjs-dist is a package of pdf-parse, not one of ours: it is found from there
const fromHere = createRequire(import.meta.url)
const fromReader = createRequire(fromHere.resolve('pdf-parse'))
const folder = dirname(fromReader.resolve('pdfjs-dist/package.json'))
const at = (name: string) => `${folder}${sep}${name}${sep}`

/** Options for opening PDFs: fonts, character maps and decoders from the local disk; nothing is run or fetched. */
export const pdfOptions = {
  standardFontDataUrl: at('standard_fonts'),
  cMapUrl: at('cmaps'),
  cMapPacked: true,
  wasmUrl: at('wasm'),
  iccUrl: at('iccs'),
  /** Glyph programs and functions in a file are interpreted, never compiled. */
  isEvalSupported: false,
  enableXfa: true,
  /** System fonts differ between machines, and a page should look the same on all of them. */
  useSystemFonts: false,
  /** Pictures in it with more pixels are left out. */
  maxImageSize: 100_000_000,
  /** Errors only. */
  verbosity: 0,
}
