import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CsvError, type Options, parse } from 'csv-parse'
import { texts } from '../../text-decoder.ts'
import type { PaperKind } from '../paper-kind.ts'

const JUDGED_BYTES = 8 * 1024
const LONGEST_RECORD = 1_000_000

/** A table as text: what parts its cells is found out from its beginning. */
export const readCsv: PaperKind = async (filename, writer) => {
  const signal = AbortSignal.timeout(60_000)
  const encoding = await texts.encodingOf(filename, signal)
  const shared = {
    bom: true,
    delimiter: delimiterOf(await beginningOf(filename, encoding)),
    relaxColumnCount: true,
    relaxQuotes: true,
    skipEmptyLines: true,
    maxRecordSize: LONGEST_RECORD,
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
    // an unclosed quote would include all that follows: the rest is read literally
    const bare = (cell: string) => cell.replace(/^"(.*)"$/s, '$1').replaceAll('""', '"')
    await read({ quote: null, fromLine: lastLine + 1, cast: bare })
  }
}

async function beginningOf(filename: string, encoding: string): Promise<string> {
  const handle = await open(filename)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(JUDGED_BYTES), 0, JUDGED_BYTES, 0)
    return new TextDecoder(encoding).decode(buffer.subarray(0, bytesRead))
  } finally {
    await handle.close()
  }
}

/** Line that tells Excel what parts cells. */
const HINT = /^\ufeff?sep=(.)\r?\n/i

/** The sign that most lines have, outside of quotes; commas may be those of decimals. */
function delimiterOf(beginning: string): string {
  const hinted = HINT.exec(beginning)?.[1]
  if (hinted !== undefined) return hinted
  const lines = beginning
    .replaceAll(/"[^"]*"/g, '')
    .split(/\r?\n/)
    .slice(0, 20)
  const count = (sign: string) =>
    lines.filter((line) => line.includes(sign)).length * 1000 + lines.join('').split(sign).length
  return [';', '\t', ',', '|'].reduce((best, sign) => (count(sign) > count(best) ? sign : best))
}
