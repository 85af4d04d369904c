// What a cage costs where a stranger's picture is read: the same work in the best cage of this machine, in a process without
// one, and in this process, by turns.
//   node bench/cage.bench.ts [--rounds 20] [--no-write]
import { mkdtempSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createPictureProcesses } from '../apps/api/src/parsers/image/picture-processes.ts'
import { createImages } from '../apps/api/src/parsers/image/picture-reader.ts'
import { createCaging, withoutCage } from '../apps/api/src/platform/sandbox/caging.ts'
import { noisyPicture } from '../apps/api/test/pictures.ts'
import { describeMachine, percentiles, table, writeSection } from './support/results.ts'

const { values: flags } = parseArgs({
  options: { rounds: { type: 'string', default: '20' }, 'no-write': { type: 'boolean', default: false } },
})
const machine = describeMachine()
const folder = mkdtempSync(join(tmpdir(), 'mira-cage-bench-'))
const caging = createCaging({ dataDir: folder, isOnlyProcess: true })
const { kind } = await caging.decided()
const kinds = { [`in a cage of ${kind}`]: caging, 'in a process without a cage': withoutCage(join(folder, 'open')) }

const small = join(folder, 'small.jpg')
await writeFile(small, await noisyPicture({ width: 1280, height: 960, quality: 80 }))
const large = join(folder, 'large.jpg')
await writeFile(large, await noisyPicture({ width: 4000, height: 3000, quality: 80 }))

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const began = performance.now()
  await work()
  return performance.now() - began
}
const times = new Map<string, number[]>()
const keep = (name: string, milliseconds: number) => times.set(name, [...(times.get(name) ?? []), milliseconds])

const bare = createImages()
// a process of the cage that ends does not keep this one alive until it has
const awake = setInterval(() => {}, 1_000)
for (let round = 0; round < Number(flags.rounds); round++) {
  keep('small in this process', await timed(() => bare.thumbnail(small)))
  keep('large in this process', await timed(() => bare.thumbnail(large)))
  for (const [name, one] of Object.entries(kinds)) {
    const pictures = createPictureProcesses({ caging: one })
    // the first picture waits for the process to start
    keep(`first ${name}`, await timed(() => pictures.images.thumbnail(small)))
    keep(`small ${name}`, await timed(() => pictures.images.thumbnail(small)))
    keep(`large ${name}`, await timed(() => pictures.images.thumbnail(large)))
    await pictures.close()
  }
}
clearInterval(awake)
caging.close()
rmSync(folder, { recursive: true })

const base = { first: 'small in this process', small: 'small in this process', large: 'large in this process' }
const medianOf = (name: string) => percentiles(times.get(name) ?? []).median
const rows = Object.entries(base).flatMap(([size, bareName]) =>
  Object.keys(kinds).map((name) => {
    const median = medianOf(`${size} ${name}`)
    return [
      `${size} picture ${name}`,
      medianOf(bareName).toFixed(1),
      median.toFixed(1),
      (median / medianOf(bareName)).toFixed(2),
    ]
  }),
)
const body = `\`node bench/cage.bench.ts\`: ${machine}, ${flags.rounds} rounds by turns, medians in milliseconds of making a thumbnail
(small: 1280 × 960, large: 4000 × 3000; first: a small one, with the start of the process, which is kept for a minute afterwards).

${table(['', 'in this process', 'there', '×'], rows)}`
process.stdout.write(`${body}\n`)
if (!flags['no-write']) writeSection('A cage', body)
