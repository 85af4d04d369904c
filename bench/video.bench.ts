// Cost of extracting frames from a video, compared with the bare tool: with ffmpeg's own command line, and with Mira's code that uses
// ffmpeg and node-av.
//   node bench/video.bench.ts [--seconds 60] [--rounds 5] [--long-hours 4] [--no-write]
// H.264, 1280 × 720, 25 frames a second, a scene every 5 s (in the long video every minute, measured once), to frames of 512 pixels. Mira
// does the same as its processing step: it probes the file, extracts frames, and skips similar ones.
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import type { Av } from '../apps/api/src/parsers/video/av.ts'
import {
  createFfmpegProcesses,
  createNodeAvProcesses,
  findFfmpeg,
  findNodeAv,
} from '../apps/api/src/parsers/video/create-av.ts'
import { programSearchPath } from '../apps/api/src/platform/lib/find-program.ts'
import { noisyImage } from '../apps/api/test/pictures.ts'
import { testSandboxing as sandboxing } from '../apps/api/test/test-sandboxing.ts'
import { createVideo, type Scene } from '../apps/api/test/videos.ts'
import { describeMachine, type FigureTable, percentiles, report } from './support/results.ts'

const LONGEST_SIDE = 512
const MAX_FRAMES = 200
const LONG_SCENE_SECONDS = 60
const TIMEOUT_MS = 600_000

const { values: flags } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    rounds: { type: 'string', default: '5' },
    'long-hours': { type: 'string', default: '4' },
    'no-write': { type: 'boolean', default: false },
  },
})
const execute = promisify(execFile)
const seconds = Number(flags.seconds)
const hours = Number(flags['long-hours'])
const machine = describeMachine()
const folder = mkdtempSync(join(tmpdir(), 'mira-video-bench-'))
const programs = await findFfmpeg(programSearchPath())
const version = findNodeAv()
const tools: { name: string; av: Av }[] = [
  ...(programs ? [{ name: `on ffmpeg ${programs.version}`, av: createFfmpegProcesses({ sandboxing, programs }) }] : []),
  ...(version ? [{ name: `on node-av ${version}`, av: createNodeAvProcesses({ sandboxing, version }) }] : []),
]
try {
  const videos = await makeVideos()
  const tables = [await measureShort(videos.short), await measureLong(videos.long)]
  report('Videos', machine, tables, flags['no-write'])
} finally {
  for (const { av } of tools) await av.close()
  rmSync(folder, { recursive: true, force: true })
}

async function makeVideos(): Promise<{ short: string; long: string }> {
  const pictures = await Promise.all(
    Array.from({ length: 4 }, async () => (await noisyImage({ width: 320, height: 180 })).toString('base64')),
  )
  const scenes = (count: number, each: number) =>
    Array.from({ length: count }, (_, n): Scene => ({ seconds: each, picture: pictures[n % pictures.length] ?? '' }))
  const short = join(folder, 'short.mp4')
  const video = { codec: 'libx264', width: 1280, height: 720, framesPerSecond: 25, scenes: scenes(seconds / 5, 5) }
  await createVideo({ filename: short, muxer: 'mp4', video })
  const long = join(folder, 'long.mp4')
  const minutes = scenes(hours * 60, LONG_SCENE_SECONDS)
  const slow = { codec: 'libx264', width: 160, height: 90, framesPerSecond: 2, keyFrameEvery: 20, scenes: minutes }
  await createVideo({ filename: long, muxer: 'mp4', video: slow })
  return { short, long }
}

async function cut(av: Av, filename: string): Promise<{ ms: number; count: number }> {
  const outputFolder = mkdtempSync(join(folder, 'frames-'))
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const startedAt = performance.now()
  const { durationSeconds } = await av.probe({ filename, format: 'mp4' }, signal)
  const options = { folder: outputFolder, longestSide: LONGEST_SIDE, max: MAX_FRAMES, durationSeconds, signal }
  const frames = await av.frames({ filename, format: 'mp4' }, options)
  return { ms: performance.now() - startedAt, count: frames.length }
}

/** Command as a user would type it. */
async function cutBare(filename: string): Promise<{ ms: number; count: number }> {
  const outputFolder = mkdtempSync(join(folder, 'bare-'))
  mkdirSync(outputFolder, { recursive: true })
  const select = "select='isnan(prev_selected_t)+gt(scene,0.3)*gte(t-prev_selected_t,0.5)+gte(t-prev_selected_t,4)'"
  const startedAt = performance.now()
  const filter = `${select},scale=${LONGEST_SIDE}:-2`
  const quality = ['-fps_mode', 'vfr', '-q:v', '3', join(outputFolder, '%05d.jpg')]
  await execute(programs?.ffmpeg ?? 'ffmpeg', [
    '-nostdin',
    '-threads',
    '2',
    '-i',
    filename,
    '-an',
    '-vf',
    filter,
    ...quality,
  ])
  return { ms: performance.now() - startedAt, count: 0 }
}

async function measureShort(filename: string): Promise<FigureTable> {
  const methods = [
    ...(programs ? [{ name: 'ffmpeg alone', work: () => cutBare(filename) }] : []),
    ...tools.map(({ name, av }) => ({ name: `Mira ${name}`, work: () => cut(av, filename) })),
  ]
  const times = new Map(methods.map(({ name }) => [name, [] as number[]]))
  for (const { work } of methods) await work()
  for (let round = 0; round < Number(flags.rounds); round++) {
    for (const { name, work } of methods) times.get(name)?.push((await work()).ms)
  }
  const ffmpegAloneMs = programs ? percentiles(times.get('ffmpeg alone') ?? []).median : Number.NaN
  const rows = methods.map(({ name }): FigureTable['rows'][number] => {
    const { median } = percentiles(times.get(name) ?? [])
    const faster = `${(seconds / (median / 1000)).toFixed(0)} × as fast as the video`
    const relativeSpeed =
      programs && name !== 'ffmpeg alone' ? `, ${(ffmpegAloneMs / median).toFixed(2)} × the speed of ffmpeg alone` : ''
    return [name, { value: median, comparison: `${faster}${relativeSpeed}` }]
  })
  return { setup: `${seconds} s, 1280 × 720`, metrics: ['frames cut (ms)'], rows }
}

async function measureLong(filename: string): Promise<FigureTable> {
  const rows: FigureTable['rows'] = []
  for (const { name, av } of tools) {
    const { ms, count } = await cut(av, filename)
    rows.push([`Mira ${name}`, ms / 1000, count])
  }
  return { setup: `${hours} h`, metrics: ['frames cut (s)', 'frames'], rows }
}
