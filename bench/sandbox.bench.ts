// Cost of a sandbox for reading an untrusted picture: the same thumbnail in the best sandbox of this machine, in a process
// without one, and in this process, alternating. Small: 1280 × 960, large: 4000 × 3000, first: a small one including the
// start of the process.
//   node bench/sandbox.bench.ts [--rounds 20] [--no-write]
import { mkdtempSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createPictureProcesses } from '../apps/api/src/parsers/image/picture-processes.ts'
import { createImages } from '../apps/api/src/parsers/image/picture-reader.ts'
import { createSandboxing, withoutSandbox } from '../apps/api/src/platform/sandbox/sandboxing.ts'
import { noisyImage } from '../apps/api/test/pictures.ts'
import { type Cell, compared, describeMachine, percentiles, report } from './support/results.ts'

const { values: flags } = parseArgs({
  options: { rounds: { type: 'string', default: '20' }, 'no-write': { type: 'boolean', default: false } },
})
const machine = describeMachine()
const folder = mkdtempSync(join(tmpdir(), 'mira-sandbox-bench-'))
const sandboxing = createSandboxing({ dataDir: folder, isOnlyProcess: true })
const { kind } = await sandboxing.choose()
const kinds = {
  [`in a sandbox of ${kind}`]: sandboxing,
  'in a process without a sandbox': withoutSandbox(join(folder, 'open')),
}

const small = join(folder, 'small.jpg')
await writeFile(small, await noisyImage({ width: 1280, height: 960, quality: 80 }))
const large = join(folder, 'large.jpg')
await writeFile(large, await noisyImage({ width: 4000, height: 3000, quality: 80 }))

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}
const times = new Map<string, number[]>()
const record = (name: string, milliseconds: number) => times.set(name, [...(times.get(name) ?? []), milliseconds])

const unsandboxed = createImages()
// a sandboxed process that is ending doesn't keep this one alive
const awake = setInterval(() => {}, 1_000)
for (let round = 0; round < Number(flags.rounds); round++) {
  record('small in this process', await timed(() => unsandboxed.thumbnail(small)))
  record('large in this process', await timed(() => unsandboxed.thumbnail(large)))
  for (const [name, one] of Object.entries(kinds)) {
    const pictures = createPictureProcesses({ sandboxing: one })
    // the first picture waits for the process to start
    record(`first ${name}`, await timed(() => pictures.images.thumbnail(small)))
    record(`small ${name}`, await timed(() => pictures.images.thumbnail(small)))
    record(`large ${name}`, await timed(() => pictures.images.thumbnail(large)))
    await pictures.close()
  }
}
clearInterval(awake)
sandboxing.close()
rmSync(folder, { recursive: true })

const base = { first: 'small in this process', small: 'small in this process', large: 'large in this process' }
const medianOf = (name: string) => percentiles(times.get(name) ?? []).median
const rows = Object.entries(base).flatMap(([size, bareName]) =>
  Object.keys(kinds).map((name): [string, Cell] => {
    const median = medianOf(`${size} ${name}`)
    const comparison = compared(median, medianOf(bareName), 'in this process')
    return [`${size} picture ${name}`, { value: median, comparison }]
  }),
)
const setup = `${kind}, ${flags.rounds} rounds`
report('Sandbox', machine, [{ setup, metrics: ['thumbnail, median (ms)'], rows }], flags['no-write'])
