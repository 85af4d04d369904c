import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, expect } from 'vitest'
import type { Av, AvFile, CutFrame } from '../src/parsers/video/av.ts'
import { createFfmpegProcesses, createNodeAvProcesses, findFfmpeg, findNodeAv } from '../src/parsers/video/create-av.ts'
import { programSearchPath } from '../src/platform/lib/find-program.ts'
import { testSandboxing } from './test-sandboxing.ts'
import {
  createThreeSceneVideo,
  createVideo,
  makeRecording,
  type RecordingFormat,
  type Scene,
  type VideoFormat,
} from './videos.ts'

/** FFmpeg's programs; undefined when they aren't installed. */
export const ffmpegPrograms = await findFfmpeg(programSearchPath())
/** Both tools that read videos; tests skip one that isn't installed. */
export const avTools = [
  {
    name: 'node-av',
    isInstalled: findNodeAv() !== undefined,
    create: () => createNodeAvProcesses({ sandboxing: testSandboxing, version: findNodeAv() ?? '' }),
  },
  {
    name: 'ffmpeg',
    isInstalled: ffmpegPrograms !== undefined,
    create: () =>
      createFfmpegProcesses({
        sandboxing: testSandboxing,
        programs: ffmpegPrograms as NonNullable<typeof ffmpegPrograms>,
      }),
  },
]

/** Error for a damaged file. */
export const damagedMediaError = { status: 422, code: 'damaged_media' }

const colours = ['#101010', '#e0e0e0', '#d02020', '#20c040', '#2040d0', '#e0d020']
/** Scenes that each differ in colour from the previous one. */
export const scenesOf = (count: number, seconds: number) =>
  Array.from({ length: count }, (_, n): Scene => ({ seconds, colour: colours[n % colours.length] ?? '#000000' }))

/** Videos and recordings for a test file: each is created once, on first use, and all are removed at the end. */
export function useVideos() {
  let folder = ''
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mira-av-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  const filesByKey = new Map<string, Promise<AvFile>>()
  const once = (key: string, make: () => Promise<AvFile>) => {
    const file = filesByKey.get(key) ?? make()
    filesByKey.set(key, file)
    return file
  }
  return {
    /** Folder of the videos. */
    folder: () => folder,
    once,
    videoOf: (format: VideoFormat) => once(`video ${format}`, () => createThreeSceneVideo(folder, format)),
    recording: (format: RecordingFormat) => once(`recording ${format}`, () => makeRecording(folder, format)),
    async copyOf({ filename, format }: AvFile, name: string, change: (content: Buffer) => Buffer | undefined) {
      const content = await readFile(filename)
      const copy = join(folder, `${name}.${format}`)
      await writeFile(copy, change(content) ?? content)
      return { filename: copy, format }
    },
    /** A video of plain colours. */
    plainVideo: (name: string, framesPerSecond: number, scenes: Scene[], keyFrameEvery?: number) =>
      once(name, async () => {
        const video = { codec: 'libx264', width: 160, height: 90, framesPerSecond, scenes }
        const filename = join(folder, `${name.replaceAll(' ', '-')}.mp4`)
        await createVideo({ filename, muxer: 'mp4', video: { ...video, ...(keyFrameEvery ? { keyFrameEvery } : {}) } })
        return { filename, format: 'mp4' }
      }),
  }
}

/** Calls of a tool in tests; `av` returns the tool, `folder` is writable. */
export function avCallsOf(av: () => Av, folder: () => string) {
  const signal = AbortSignal.timeout(600_000)
  const scratch = () => mkdtemp(join(folder(), 'made-'))
  return {
    signal,
    scratch,
    async framesOf(file: AvFile, options: Partial<Parameters<Av['frames']>[1]> = {}): Promise<CutFrame[]> {
      const { durationSeconds } = await av().probe(file, signal)
      const defaults = { folder: await scratch(), longestSide: 320, max: 200, durationSeconds, signal }
      return av().frames(file, { ...defaults, ...options })
    },
    async stillAt(file: AvFile, startSeconds: number, longestSide?: number): Promise<string | null> {
      const filename = join(await scratch(), 'still.png')
      const options = { startSeconds, filename, signal, ...(longestSide ? { longestSide } : {}) }
      return (await av().still(file, options)) ? filename : null
    },
  }
}

export const startSecondsOf = (frames: CutFrame[]) => frames.map(({ startSeconds }) => startSeconds)

/** Expects an image to be of one colour. */
export async function expectColour(filename: string, expected: [number, number, number]): Promise<void> {
  const { channels } = await sharp(filename).stats()
  for (const [n, { mean }] of channels.entries()) expect(Math.abs(mean - (expected[n] ?? 0))).toBeLessThan(24)
}
