import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, expect } from 'vitest'
import type { Av, AvFile, CutFrame } from '../src/parsers/video/av.ts'
import { createFfmpegProcesses, createNodeAvProcesses, findFfmpeg, findNodeAv } from '../src/parsers/video/create-av.ts'
import { programSearchPath } from '../src/platform/lib/find-program.ts'
import { type FilmFormat, makeFilm, makeRecording, makeThreeScenes, type RecordingFormat, type Scene } from './films.ts'
import { testSandboxing } from './test-sandboxing.ts'

/** The programs of FFmpeg, where they are installed. */
export const ffmpegPrograms = await findFfmpeg(programSearchPath())
/** Both tools that read films; a test says nothing of one that is not here. */
export const avTools = [
  {
    name: 'node-av',
    isHere: findNodeAv() !== undefined,
    create: () => createNodeAvProcesses({ sandboxing: testSandboxing, version: findNodeAv() ?? '' }),
  },
  {
    name: 'ffmpeg',
    isHere: ffmpegPrograms !== undefined,
    create: () =>
      createFfmpegProcesses({
        sandboxing: testSandboxing,
        programs: ffmpegPrograms as NonNullable<typeof ffmpegPrograms>,
      }),
  },
]

/** Error for a damaged file. */
export const damaged = { status: 422, code: 'damaged_media' }

const colours = ['#101010', '#e0e0e0', '#d02020', '#20c040', '#2040d0', '#e0d020']
/** So many scenes, each of another colour than the one before. */
export const scenesOf = (count: number, seconds: number) =>
  Array.from({ length: count }, (_, n): Scene => ({ seconds, colour: colours[n % colours.length] ?? '#000000' }))

/** The films and recordings of a file of tests: each is made once, when it is first wanted, and all are removed in the end. */
export function useFilms() {
  let folder = ''
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mira-av-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  const made = new Map<string, Promise<AvFile>>()
  const once = (key: string, make: () => Promise<AvFile>) => {
    const file = made.get(key) ?? make()
    made.set(key, file)
    return file
  }
  return {
    /** Folder of the films. */
    folder: () => folder,
    once,
    film: (format: FilmFormat) => once(`film ${format}`, () => makeThreeScenes(folder, format)),
    recording: (format: RecordingFormat) => once(`recording ${format}`, () => makeRecording(folder, format)),
    async copyOf({ filename, format }: AvFile, name: string, change: (content: Buffer) => Buffer | undefined) {
      const content = await readFile(filename)
      const copy = join(folder, `${name}.${format}`)
      await writeFile(copy, change(content) ?? content)
      return { filename: copy, format }
    },
    /** A film of plain colours, so many frames in a second. */
    plain: (name: string, framesPerSecond: number, scenes: Scene[], keyFrameEvery?: number) =>
      once(name, async () => {
        const video = { codec: 'libx264', width: 160, height: 90, framesPerSecond, scenes }
        const filename = join(folder, `${name.replaceAll(' ', '-')}.mp4`)
        await makeFilm({ filename, muxer: 'mp4', video: { ...video, ...(keyFrameEvery ? { keyFrameEvery } : {}) } })
        return { filename, format: 'mp4' }
      }),
  }
}

/** Calls of one of the tools for tests; `av` returns it, `folder` is writable. */
export function cuttingWith(av: () => Av, folder: () => string) {
  const signal = AbortSignal.timeout(600_000)
  const scratch = () => mkdtemp(join(folder(), 'made-'))
  return {
    signal,
    scratch,
    async framesOf(file: AvFile, options: Partial<Parameters<Av['frames']>[1]> = {}): Promise<CutFrame[]> {
      const { durationSeconds } = await av().probe(file, signal)
      const usual = { folder: await scratch(), longestSide: 320, max: 200, durationSeconds, signal }
      return av().frames(file, { ...usual, ...options })
    },
    async stillAt(file: AvFile, startSeconds: number, longestSide?: number): Promise<string | null> {
      const filename = join(await scratch(), 'still.png')
      const options = { startSeconds, filename, signal, ...(longestSide ? { longestSide } : {}) }
      return (await av().still(file, options)) ? filename : null
    },
  }
}

export const startsOf = (frames: CutFrame[]) => frames.map(({ startSeconds }) => startSeconds)

/** Expects a picture to be of one colour. */
export async function expectColour(filename: string, expected: [number, number, number]): Promise<void> {
  const { channels } = await sharp(filename).stats()
  for (const [n, { mean }] of channels.entries()) expect(Math.abs(mean - (expected[n] ?? 0))).toBeLessThan(24)
}
