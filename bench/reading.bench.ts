// Text read in pictures of each kind that users take, and the time it takes, compared with Tesseract alone.
//   node bench/reading.bench.ts [--set judging] [--count 18] [--kinds "busy ground,film title"] [--no-write]
// Pictures are made by apps/api/test/reading/ (the judging set has words and seeds that the reader wasn't built with), English expected, words in
// four languages. A word counts when it's read letter for letter; anything else that's read is invented. Times are medians.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ocrImages, pictureKinds } from '../apps/api/test/reading/reading-pictures.ts'
import { compared, describeMachine, type FigureTable, percentiles, report } from './support/results.ts'

const { values: flags } = parseArgs({
  options: {
    set: { type: 'string', default: 'judging' },
    count: { type: 'string', default: '18' },
    kinds: { type: 'string' },
    'no-write': { type: 'boolean', default: false },
  },
})
const set = flags.set === 'development' ? 'development' : 'judging'
const count = Number(flags.count)
const kinds = pictureKinds.filter((kind) => flags.kinds === undefined || flags.kinds.split(',').includes(kind))
const machine = describeMachine()
const folder = mkdtempSync(join(tmpdir(), 'mira-reading-bench-'))
const data = { folder, codes: ['eng', 'spa', 'fra', 'deu'] }
const pictures = await writePictures()
// imported only now: the reader of untrusted pictures disables SVG in sharp, from which these pictures are made
const { createOcrEngine } = await import('../apps/api/src/parsers/ocr/ocr-engine.ts')
const { readablePixels } = await import('../apps/api/src/parsers/image/readable-pixels.ts')
const { DETECTION_SIDE, READABLE_LONGEST_SIDE } = await import('../apps/api/src/parsers/ocr/ocr.ts')
const { inGrey } = await import('../apps/api/src/parsers/ocr/ocr-picture.ts')
const { gatherOcrData } = await import('../apps/api/src/parsers/ocr/ocr-tesseract.ts')
const { readPage } = await import('../apps/api/src/parsers/ocr/page-reading.ts')
const { findLines, readPicture, readTallPicture } = await import('../apps/api/src/parsers/ocr/choose-reading.ts')
const engine = createOcrEngine()

/** Readers in this process, so that only the reading is timed. */
const readers = {
  mira: async (filename: string) => {
    const overview = await readablePixels(filename, DETECTION_SIDE)
    if (overview.isTall) return (await readTallPicture({ picture: overview, data })).text
    const boxes = await findLines(overview)
    if (boxes?.length === 0) return ''
    const full = await readablePixels(filename, READABLE_LONGEST_SIDE)
    return (await readPicture({ overview, boxes, full, data })).text
  },
  alone: async (filename: string) => {
    const paragraphs = await readPage(engine, await inGrey(await readablePixels(filename, READABLE_LONGEST_SIDE)), data)
    return paragraphs
      .flat(2)
      .map(({ text }) => text)
      .join(' ')
  },
}
type ReaderName = keyof typeof readers

interface Tally {
  found: number
  invented: number
  times: number[]
  processorTimes: number[]
}

try {
  await gatherOcrData(folder)
  const rows: FigureTable['rows'] = []
  for (const kind of kinds) {
    const tallies: Record<ReaderName, Tally> = { mira: emptyTally(), alone: emptyTally() }
    const own = pictures.filter((picture) => picture.kind === kind)
    for (const { filename, words } of own) {
      for (const name of ['mira', 'alone'] as const) await readAndScore(name, filename, words, tallies[name])
    }
    const words = own.reduce((sum, picture) => sum + picture.words.length, 0)
    const row = rowOf(kind, own.length, words, tallies)
    console.info(...row)
    rows.push(row)
  }
  const metrics = ['pictures', 'words', 'read (share)', 'invented words', 'time (s)', 'CPU (s)']
  report('Reading pictures', machine, [{ setup: `${set} set`, metrics, rows }], flags['no-write'])
} finally {
  rmSync(folder, { recursive: true, force: true })
}
// Tesseract's threads would keep the process alive
process.exit()

async function writePictures(): Promise<{ kind: string; filename: string; words: string[] }[]> {
  const written: { kind: string; filename: string; words: string[] }[] = []
  for (const kind of kinds) {
    // a scan has a hundred and fifty words
    for await (const { file, words } of ocrImages(kind, set, kind === 'scan' ? Math.min(4, count) : count)) {
      const filename = join(folder, String(written.length))
      writeFileSync(filename, file)
      written.push({ kind, filename, words })
    }
  }
  return written
}

function emptyTally(): Tally {
  return { found: 0, invented: 0, times: [], processorTimes: [] }
}

async function readAndScore(name: ReaderName, filename: string, words: string[], tally: Tally): Promise<void> {
  const [startedAt, processorBefore] = [performance.now(), process.cpuUsage()]
  const text = await readers[name](filename)
  const { user, system } = process.cpuUsage(processorBefore)
  tally.times.push((performance.now() - startedAt) / 1000)
  tally.processorTimes.push((user + system) / 1e6)
  const readWords = text.split(/\s+/).filter(Boolean)
  for (const word of words) {
    const index = readWords.indexOf(word)
    if (index === -1) continue
    tally.found++
    readWords.splice(index, 1)
  }
  tally.invented += readWords.length
}

function rowOf(kind: string, pictures: number, words: number, { mira, alone }: Record<ReaderName, Tally>) {
  const share = (found: number) => (words === 0 ? Number.NaN : found / words)
  const seconds = (times: number[]) => percentiles(times).median
  const withComparison = (value: number, other: number) => ({
    value,
    comparison: `Tesseract ${Number(other.toFixed(2))}`,
  })
  const processor = [mira, alone].map(({ processorTimes }) => seconds(processorTimes)) as [number, number]
  const row: FigureTable['rows'][number] = [
    kind,
    pictures,
    words,
    withComparison(share(mira.found), share(alone.found)),
    withComparison(mira.invented, alone.invented),
    withComparison(seconds(mira.times), seconds(alone.times)),
    { value: processor[0], comparison: compared(...processor, 'Tesseract') },
  ]
  return row
}
