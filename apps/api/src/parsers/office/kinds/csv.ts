import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CsvError, type Options, parse } from 'csv-parse'
import { withBytes } from '../../file-bytes.ts'
import { texts } from '../../text-decoder.ts'
import type { DocumentParser } from '../document-parser.ts'

const SAMPLE_BYTES = 8 * 1024
const MAX_RECORD_SIZE = 1_000_000

/** Tables in text files, whose separator is detected from their beginning. */
export const readCsv: DocumentParser = async (filename, writer) => {
  const signal = AbortSignal.timeout(60_000)
  const encoding = await texts.encodingOf(filename, signal)
  const beginning = await withBytes(filename, ({ read }) => read(0, SAMPLE_BYTES))
  const shared = {
    bom: true,
    delimiter: delimiterOf(new TextDecoder(encoding).decode(beginning)),
    relaxColumnCount: true,
    relaxQuotes: true,
    skipEmptyLines: true,
    maxRecordSize: MAX_RECORD_SIZE,
  }
  let lastLine = 0
  const read = (options: Options) =>
    pipeline(
      Readable.from(texts.decode(filename, encoding, signal)),
      parse({ ...shared, ...options, info: true }),
      async (records: AsyncIterable<{ record: string[]; info: { lines: number } }>) => {
        for await (const { record, info } of records) {
          if (lastLine > 0 || !/^sep=$/i.test(record[0] ?? '')) writer.row(record)
          lastLine = info.lines
        }
      },
    )
  try {
    await read({})
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    // An unclosed quote would include all that follows, so the rest is read with literal quotes.
    const unquote = (cell: string) => cell.replace(/^"(.*)"$/s, '$1').replaceAll('""', '"')
    await read({ quote: null, fromLine: lastLine + 1, cast: unquote })
  }
}

/** First line that states the separator for Excel. */
const HINT = /^\ufeff?sep=(.)\r?\n/i

/** Separator that most lines have outside quotes; a comma may also be a decimal comma. */
function delimiterOf(beginning: string): string {
  const separator = HINT.exec(beginning)?.[1]
  if (separator !== undefined) return separator
  const lines = beginning
    .replaceAll(/"[^"]*"/g, '')
    .split(/\r?\n/)
    .slice(0, 20)
  const count = (candidate: string) =>
    lines.filter((line) => line.includes(candidate)).length * 1000 + lines.join('').split(candidate).length
  return [';', '\t', ',', '|'].reduce((best, candidate) => (count(candidate) > count(best) ? candidate : best))
}
