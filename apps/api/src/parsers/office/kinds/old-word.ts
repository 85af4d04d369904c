import { encodingOfText } from '../../text-decoder.ts'
import type { DocumentParser } from '../document-parser.ts'
import { DocumentError } from '../document-types.ts'
import type { DocumentWriter } from '../document-writer.ts'
import { codePageByCharset, decoderOfCodePage, lockedDocumentError, openCompoundFile } from './compound-file.ts'
import { withoutRepeats } from './word.ts'
import { openWord97, pieceRanges } from './word-97.ts'

/** Version of the header from 97 to 2003. */
const WORD_97 = 0xa5ec
/** Versions of Word 6 and 95 for China, Japan and Korea, which write UTF-16. */
const EAST_ASIAN = new Set([0xa697, 0xa698, 0xa699])
/** Bits of the header's flags. */
const IS_LOCKED = 0x0100
const IS_IN_PIECES = 0x0004
/** Offsets in the header of Word 6 and 95. */
const olderFib = { characterSet: 0x14, fonts: 0xd0, pieces: 0x160 }
/** Character set in the header of a document that was written on a Macintosh. */
const WRITTEN_ON_MACINTOSH = 256
/** Main code pages by the low byte of a language; Western ones are left out. */
const codePages: Record<number, number> = {
  5: 1250,
  8: 1253,
  14: 1250,
  17: 932,
  21: 1250,
  25: 1251,
  26: 1250,
  31: 1254,
  34: 1251,
}

/** Documents of Word up to 2003, with headers, footers, notes, comments and text boxes. */
export const readOldWord: DocumentParser = async (filename, writer, report) => {
  const { stream, facts } = await openCompoundFile(filename)
  const header = stream('WordDocument')
  if (header === null || header.length < 0x20) throw new DocumentError('damaged_document', 'it has no document')
  if ((header.readUInt16LE(10) & IS_LOCKED) !== 0) throw lockedDocumentError()
  report(facts)
  if (header.readUInt16LE(0) === WORD_97) {
    const document = openWord97(header, stream)
    const headerWriter = withoutRepeats(writer)
    document.writeHeaders('headers', headerWriter)
    document.write('body', writer)
    document.write('boxes', writer)
    document.write('headerBoxes', headerWriter)
    document.writeHeaders('footers', headerWriter)
    document.write('footnotes', writer)
    document.write('endnotes', writer)
    document.write('comments', writer)
  } else {
    writeText(shownText(textOfOlder(header)))
  }

  function writeText(text: string, to: DocumentWriter = writer): void {
    for (const line of text.split('\n')) {
      if (!line.includes('\t')) to.text(line)
      // a row ends with one more tab than its last cell
      else for (const row of line.split('\t\t')) to.row(row.split('\t'))
    }
  }
}

function textOfOlder(document: Buffer): string {
  const isWide = EAST_ASIAN.has(document.readUInt16LE(0))
  const text = bytesOfOlder(document, isWide ? 2 : 1)
  if (isWide) return text.toString('utf16le')
  const language = document.readUInt16LE(6) & 0xff
  return decoderOfCodePage(codePages[language] ?? codePageOfFonts(document, text) ?? 1252).decode(text)
}

/** Text of Word 6 and 95: in one piece, or in several since the last quick save. */
function bytesOfOlder(document: Buffer, width: number): Buffer {
  if ((document.readUInt16LE(10) & IS_IN_PIECES) === 0) {
    return document.subarray(document.readUInt32LE(0x18), document.readUInt32LE(0x1c))
  }
  const pieces: Buffer[] = []
  let bytes = 0
  for (const { length, offset } of pieceRanges(partOf(document, olderFib.pieces))) {
    pieces.push(document.subarray(offset, offset + length * width))
    bytes += length * width
    // no program writes pieces that share so much of their text
    if (bytes > document.length) throw new DocumentError('damaged_document', 'its text is longer than the file')
  }
  return Buffer.concat(pieces)
}

function partOf(document: Buffer, offset: number): Buffer {
  const start = document.readUInt32LE(offset)
  return document.subarray(start, start + document.readUInt32LE(offset + 4))
}

/** Character sets that Western versions of Word list without using them. */
const eastAsianCharsets = new Set([128, 129, 134, 136])
/** Character sets of alphabets whose words have no Latin letters. */
const nonLatinCharsets = new Set([161, 177, 178, 204])
const [WESTERN, MACINTOSH] = [0, 77]
/** Code pages by the detected encoding of a text. */
const codePageByEncoding: Record<string, number> = {
  'iso-8859-2': 1250,
  'windows-1250': 1250,
  'iso-8859-9': 1254,
  'windows-1254': 1254,
}

/** Code page by the document's fonts, since Word in any language could write text in another; null for Western text. */
function codePageOfFonts(document: Buffer, text: Buffer): number | null {
  const fonts = partOf(document, olderFib.fonts)
  const nonAscii = text.toString('latin1').match(/[\xc0-\xff]+/g) ?? []
  const countOf = (words: string[]) => words.join('').length
  const isNonLatin = 2 * countOf(nonAscii.filter(({ length }) => length > 1)) > countOf(nonAscii)
  const pageOfText = codePageByEncoding[encodingOfText(text)]
  let isMaybeWestern = false
  // the length of the list is followed by fonts, each with its length
  for (let offset = 2; offset + 4 < fonts.length && fonts[offset] !== 0; offset += 1 + (fonts[offset] ?? 0)) {
    const charset = fonts[offset + 4] ?? 0
    isMaybeWestern ||= charset === WESTERN
    const codePage = eastAsianCharsets.has(charset) ? undefined : codePageByCharset[charset]
    if (codePage === undefined || nonLatinCharsets.has(charset) !== isNonLatin) continue
    if (charset === MACINTOSH) {
      if (document.readUInt16LE(olderFib.characterSet) === WRITTEN_ON_MACINTOSH) return codePage
    } else if (isNonLatin || !isMaybeWestern || codePage === pageOfText) return codePage
  }
  return null
}

/** Text of Word 6 and 95 without field instructions; cell marks and breaks become tabs and lines. */
function shownText(text: string): string {
  let isInstruction = false
  let shown = ''
  for (const character of text) {
    const code = character.charCodeAt(0)
    if (code === 0x13) isInstruction = true
    else if (code === 0x14 || code === 0x15) isInstruction = false
    else if (isInstruction) continue
    else if (code === 0x1e) shown += '-'
    else if (code === 0x07) shown += '\t'
    else if (code >= 0x0b && code <= 0x0d) shown += '\n'
    else if (code >= 0x20 || code === 0x09) shown += character
  }
  return shown
}
