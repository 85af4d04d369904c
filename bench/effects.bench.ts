// Cost of effects on a photo of 12 megapixels, compared with the closest operation of ImageMagick: seconds and peak memory, each in a
// separate process, including decoding and writing a PNG.
//   node bench/effects.bench.ts [--rounds 3] [--megapixels 12] [--effects sepia,blur] [--no-write]
// Each at intensity 1, including its start; ImageMagick 6 alternates with it. "Without start" leaves out starting Node and loading the
// program, which a server has done once; "second time" is in one process, as in a server at work.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { catalogue, type PixelEffectName } from '../apps/api/src/modules/studio/effects/catalogue.ts'
import { createEffectPool } from '../apps/api/src/modules/studio/effects/effect-pool.ts'
import { createPixels } from '../apps/api/src/parsers/image/pixels.ts'
import { largePhoto } from '../apps/api/test/effect-pictures.ts'
import { compared, describeMachine, type FigureTable, percentiles, report } from './support/results.ts'

const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    megapixels: { type: 'string', default: '12' },
    effects: { type: 'string' },
    'no-write': { type: 'boolean', default: false },
    /** Used by the bench itself: applies one effect in a separate process. */
    one: { type: 'string' },
    /** Applies the effect a second time in that process, timed separately. */
    again: { type: 'boolean', default: false },
    input: { type: 'string' },
    output: { type: 'string' },
  },
})

/** Closest operation of ImageMagick, with radii of the same size in the picture. */
const nearest: Partial<Record<PixelEffectName, string[]>> = {
  oil_painting: ['-paint', '12'],
  charcoal: ['-charcoal', '5'],
  pencil_sketch: ['-colorspace', 'Gray', '-sketch', '0x12+120'],
  black_and_white: ['-colorspace', 'Gray'],
  sepia: ['-sepia-tone', '80%'],
  blur: ['-blur', '0x20'],
  sharpen: ['-unsharp', '0x4+1.5+0.01'],
  vignette: ['-background', 'black', '-vignette', '0x200'],
  film_grain: ['-attenuate', '0.4', '+noise', 'Gaussian'],
  duotone: ['-colorspace', 'Gray', '+level-colors', '#1a105c,#ffc494'],
  posterize: ['-posterize', '6'],
  emboss: ['-colorspace', 'Gray', '-emboss', '0x3'],
  neon_edges: ['-edge', '3'],
  pixel_art: ['-scale', '2.5%', '-scale', '4000%'],
  vivid: ['-modulate', '100,150,100'],
}

if (flags.one !== undefined) await applyOne(flags.one as PixelEffectName, flags.input as string, flags.output as string)
else await compare()

/** Runs in a separate process, so that its memory can be measured. Reports the load time of the program, which a server has behind it. */
async function applyOne(effect: PixelEffectName, input: string, output: string): Promise<void> {
  const startedMs = performance.now()
  const pixels = createPixels()
  const pool = createEffectPool()
  const make = async () => {
    const makeStartedMs = performance.now()
    const picture = await pixels.decode(input)
    const rows = await pool.applyAndCompress(picture, effect, { intensity: 1, signal: new AbortController().signal })
    await writeFile(output, await pixels.joinPng(picture, rows))
    return performance.now() - makeStartedMs
  }
  await make()
  const againMs = flags.again ? await make() : 0
  await pool.close()
  process.send?.({ startedMs, againMs })
}

async function compare(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'mira-effects-bench-'))
  try {
    const input = join(folder, 'photo.jpg')
    await writeFile(input, await largePhoto(Number(flags.megapixels)))
    const convert = await run('convert', ['-version']).then(
      () => true,
      () => false,
    )
    const wanted = flags.effects?.split(',') ?? Object.keys(catalogue)
    const rows: FigureTable['rows'] = []
    const machine = describeMachine()
    for (const effect of Object.keys(catalogue) as PixelEffectName[]) {
      if (!wanted.includes(effect)) continue
      const output = join(folder, 'made.png')
      const own = fileURLToPath(import.meta.url)
      const ours: Measured[] = []
      const again: Measured[] = []
      const theirs: Measured[] = []
      const nearestWords = nearest[effect]
      // alternate, so that a busy moment of the machine affects both
      for (let round = 0; round < Number(flags.rounds); round++) {
        const args = ['--one', effect, '--input', input, '--output', output]
        ours.push(await run(process.execPath, [own, ...args]))
        again.push(await run(process.execPath, [own, ...args, '--again']))
        if (convert && nearestWords) theirs.push(await run('convert', [input, ...nearestWords, output]))
      }
      const [seconds, theirSeconds] = [ours, theirs].map((all) => median(all.map((one) => one.seconds)))
      const [megabytes, theirMegabytes] = [ours, theirs].map((all) => median(all.map((one) => one.megabytes)))
      const [whole, start] = [seconds ?? 0, median(ours.map((one) => one.startSeconds))]
      const againSeconds = median(again.map((one) => one.againSeconds))
      const yardstick = theirs.length > 0 ? (theirSeconds ?? Number.NaN) : Number.NaN
      const withComparison = (value: number, other: number | undefined, name: string) =>
        theirs.length > 0 ? { value, comparison: compared(value, other ?? Number.NaN, name) } : value
      rows.push([
        effect,
        withComparison(whole, theirSeconds, `ImageMagick ${nearestWords?.join(' ')}`),
        withComparison(megabytes ?? 0, theirMegabytes, 'ImageMagick'),
        (whole - start) / yardstick,
        againSeconds / yardstick,
      ])
      console.info(effect, whole, megabytes)
    }
    const relative = ['without start', 'second time'].map((name) => `${name} (× ImageMagick)`)
    const metrics = ['time (s)', 'memory (MB)', ...relative]
    const setup = `${flags.megapixels} megapixels`
    report('Effects', machine, [{ setup, metrics, rows }], flags['no-write'])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Measured {
  seconds: number
  /** Startup time within it, when the program reports that. */
  startSeconds: number
  /** Time of a second run, when requested. */
  againSeconds: number
  megabytes: number
}

/** Runs a program and samples its peak memory. @throws when it fails. */
function run(program: string, words: string[]): Promise<Measured> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now()
    // our own program reports its load time; others have no channel for that
    const channel: 'ipc' | 'ignore' = program === process.execPath ? 'ipc' : 'ignore'
    const child = spawn(program, words, { stdio: ['ignore', 'ignore', 'inherit', channel] })
    let megabytes = 0
    let startSeconds = 0
    let againSeconds = 0
    child.on('message', (message) => {
      const { startedMs, againMs } = message as { startedMs: number; againMs: number }
      startSeconds = startedMs / 1000
      againSeconds = againMs / 1000
    })
    const sampling = setInterval(() => {
      try {
        const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
        const [, kilobytes = '0'] = /VmHWM:\s+(\d+)/.exec(status) ?? []
        megabytes = Math.max(megabytes, Number(kilobytes) / 1000)
      } catch {
        // it has just ended
      }
    }, 20)
    child.on('error', reject)
    child.on('close', (code) => {
      clearInterval(sampling)
      const seconds = (performance.now() - startedAt) / 1000
      if (code === 0) resolve({ seconds, startSeconds, againSeconds, megabytes })
      else reject(new Error(`${program} ended with ${code}`))
    })
  })
}

function median(values: number[]): number {
  return percentiles(values).median
}
