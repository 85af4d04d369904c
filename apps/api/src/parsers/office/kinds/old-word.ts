import type { PaperKind } from '../paper-kind.ts'
import type { PaperWriter } from '../paper-writer.ts'
import { PaperProblem } from '../papers.ts'
import { decoderOfCodePage, lockedDocument, openCompoundFile } from './compound-file.ts'
import { withoutRepeats } from './word.ts'
import { openWord97 } from './word-97.ts'

/** Version of the header from 97 to 2003. */
const WORD_97 = 0xa5ec
/** Bit of the header's flags. */
const IS_LOCKED = 0x0100
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
export const readOldWord: PaperKind = async (filename, writer, report) => {
  const { stream, facts } = await openCompoundFile(filename)
  const header = stream('WordDocument')
  if (header === null || header.length < 0x20) throw new PaperProblem('damaged_document', 'it holds no document')
  if ((header.readUInt16LE(10) & IS_LOCKED) !== 0) throw lockedDocument()
  report(facts)
  if (header.readUInt16LE(0) === WORD_97) {
    const document = openWord97(header, stream)
    const onEachPage = withoutRepeats(writer)
    document.writeHeaders('headers', onEachPage)
    document.write('body', writer)
    document.write('boxes', writer)
    document.write('headerBoxes', onEachPage)
    document.writeHeaders('footers', onEachPage)
    document.write('footnotes', writer)
    document.write('endnotes', writer)
    document.write('comments', writer)
  } else {
    const text = header.subarray(header.readUInt32LE(0x18), header.readUInt32LE(0x1c))
    const language = header.readUInt16LE(6) & 0xff
    writeText(shownText(decoderOfCodePage(codePages[language] ?? 1252).decode(text)))
  }

  function writeText(text: string, to: PaperWriter = writer): void {
    for (const line of text.split('\n')) {
      if (!line.includes('\t')) to.text(line)
      // a row ends with one more sign than its last cell
      else for (const row of line.split('\t\t')) to.row(row.split('\t'))
    }
  }
}

/** Text of Word 6 and 95 without the instructions of fields; signs of cells and breaks become tabs and lines. */
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
