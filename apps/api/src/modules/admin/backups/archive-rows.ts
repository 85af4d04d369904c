import type { ArchivedTable } from '../../../platform/database/load-snapshot.ts'
import type { OpenedZip } from '../../../platform/storage/unzip.ts'
import { type Manifest, tableFile } from './archive.ts'

const ROWS_AT_ONCE = 500
const CHARACTERS_AT_ONCE = 2 * 1024 * 1024

/** The tables of an archive, each read when its turn comes; `onRows` is told how many rows have been used. */
export function archivedTables(zip: OpenedZip, manifest: Manifest, onRows: (count: number) => void): ArchivedTable[] {
  return Object.keys(manifest.tables).map((name) => ({
    name,
    async *pieces() {
      for await (const rows of linesOf(zip, tableFile(name))) {
        yield rows
        onRows(rows.length)
      }
    },
  }))
}

async function* linesOf(zip: OpenedZip, name: string): AsyncGenerator<string[]> {
  let rows: string[] = []
  let characters = 0
  let rest = ''
  // readline would also end lines at characters that stand inside of rows
  for await (const piece of (await zip.open(name)).setEncoding('utf8')) {
    const lines = `${rest}${piece}`.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      rows.push(line)
      characters += line.length
      if (rows.length < ROWS_AT_ONCE && characters < CHARACTERS_AT_ONCE) continue
      yield rows
      rows = []
      characters = 0
    }
  }
  if (rows.length > 0) yield rows
}
