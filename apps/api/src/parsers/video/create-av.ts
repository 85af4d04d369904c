import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { UnavailableError } from '../../errors.ts'
import { findProgram, programSearchPath } from '../../platform/lib/find-program.ts'
import type { ProcessLog } from '../../platform/sandbox/process-protocol.ts'
import type { Sandboxing } from '../../platform/sandbox/sandboxing.ts'
import { TaskError } from '../../platform/sandbox/task-error.ts'
import type { TaskFolder } from '../../platform/sandbox/task-folder.ts'
import { createTaskPool, type TaskPool } from '../../platform/sandbox/task-pool.ts'
import { asReason, say } from '../../sentences.ts'
import { type Av, type AvFile, asMediaError, avLimits, damagedMedia, playbackTimeoutMs, tooSlowMedia } from './av.ts'
import { type FfmpegPrograms, minimalEnvironment, withDeathSignal } from './ffmpeg/ffmpeg-programs.ts'
import { type AvTasks, outputNames } from './serve-av.ts'

interface AvProcessesOptions {
  sandboxing: Sandboxing
  /** Module of the process, which calls `serveAv`. */
  module: URL
  /** Shown by the health check. */
  engine: 'ffmpeg' | 'node-av'
  version: string
  environment?: Record<string, string>
  reads?: string[]
  /** Factor on the time limits, for processes that apply the limits themselves and still return what they have. */
  timeoutFactor?: number
  warn?: ProcessLog | undefined
}

/** Decoding an 8K video takes most of this. */
const MEMORY_LIMIT_MB = 1500

/** An `Av` that works in separate processes, which only see the file they work on. */
function createAvProcesses({ engine, version, timeoutFactor = 1, ...options }: AvProcessesOptions): Av {
  const createPool = (name: string): TaskPool<AvTasks> =>
    createTaskPool<AvTasks>({
      size: 1,
      ...options,
      name,
      memoryLimitMb: MEMORY_LIMIT_MB,
      keepMb: MEMORY_LIMIT_MB / 3,
    })
  const readingPool = createPool('The video reader')
  // a still doesn't wait for the frames of a long video
  const stillPool = createPool('The still extractor')
  // playback copies take long, so nothing else waits for them
  const copyPool = createPool('The video converter')
  // a live photo isn't shown before its video is converted
  const livePhotoPool = createPool('The live photo converter')
  const limits = (timeoutMs: number, signal: AbortSignal) => ({ timeoutMs: timeoutMs * timeoutFactor, signal })
  const progressOptions = (onProgress: ((progress: number) => void) | undefined) =>
    onProgress ? { onPart: onProgress } : {}

  return {
    name: async () => `${engine} ${version}`,
    check: () => ({ state: 'ok', engine, model: version }),

    probe: (file, signal) =>
      withPlainErrors(
        readingPool.run('probe', async (taskFolder) => ({ file: await provideFile(taskFolder, file) }), {
          ...limits(avLimits.probeTimeoutMs, signal),
          isUrgent: true,
        }),
      ),

    frames: (file, { folder, signal, onProgress, ...options }) =>
      withPlainErrors(
        readingPool.run('frames', inTaskFolder(file, options), {
          ...limits(avLimits.framesTimeoutMs, signal),
          ...progressOptions(onProgress),
          collect: async (frames, taskFolder) => {
            const frameFiles = frames.map(({ startSeconds }, n) => ({
              filename: join(folder, `frame-${String(n + 1).padStart(5, '0')}.jpg`),
              startSeconds,
            }))
            for (const [n, { filename }] of frameFiles.entries())
              await taskFolder.take(frames[n]?.filename ?? '', filename)
            return frameFiles
          },
        }),
      ),

    still: (file, { filename, signal, ...options }) =>
      withPlainErrors(
        stillPool.run('still', inTaskFolder(file, options), {
          ...limits(avLimits.stillTimeoutMs, signal),
          collect: (isMade, taskFolder) => takeIfMade(isMade, taskFolder, outputNames.still, filename),
        }),
      ),

    sound: (file, { filename, signal, ...options }) =>
      withPlainErrors(
        readingPool.run('sound', inTaskFolder(file, options), {
          ...limits(avLimits.soundTimeoutMs, signal),
          collect: async (seconds, taskFolder) => {
            await takeIfMade(seconds > 0, taskFolder, outputNames.sound, filename)
            return seconds
          },
        }),
      ),

    playback: (file, { filename, signal, onProgress, isMotion = false, ...options }) =>
      withPlainErrors(
        (isMotion ? livePhotoPool : copyPool).run('playback', inTaskFolder(file, options), {
          ...limits(isMotion ? avLimits.motionTimeoutMs : playbackTimeoutMs(options.durationSeconds), signal),
          ...progressOptions(onProgress),
          collect: (_nothing, taskFolder) => taskFolder.take(outputNames.playback, filename),
        }),
      ),

    subtitles: (file, signal) =>
      withPlainErrors(
        readingPool.run(
          'subtitles',
          async (taskFolder) => ({ file: await provideFile(taskFolder, file) }),
          limits(avLimits.subtitlesTimeoutMs, signal),
        ),
      ),

    cover: (file, { filename, signal }) =>
      withPlainErrors(
        readingPool.run('cover', inTaskFolder(file, {}), {
          ...limits(avLimits.probeTimeoutMs, signal),
          collect: (isMade, taskFolder) => takeIfMade(isMade, taskFolder, outputNames.cover, filename),
        }),
      ),

    async close() {
      await Promise.all([readingPool.close(), stillPool.close(), copyPool.close(), livePhotoPool.close()])
    },
  }
}

async function provideFile(taskFolder: TaskFolder, { filename, format }: AvFile): Promise<AvFile> {
  return { filename: await taskFolder.provide(filename), format }
}

function inTaskFolder<Wanted>(file: AvFile, options: Wanted) {
  return async (taskFolder: TaskFolder) => ({
    ...options,
    file: await provideFile(taskFolder, file),
    folder: taskFolder.outputFolder,
  })
}

async function takeIfMade(isMade: boolean, taskFolder: TaskFolder, name: string, filename: string): Promise<boolean> {
  if (isMade) await taskFolder.take(name, filename)
  return isMade
}

/** Converts errors of the process into errors for the user. */
async function withPlainErrors<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof TaskError)) throw error
    if (error.reason === 'failed') throw asMediaError(error.message)
    if (error.reason === 'timeout') throw tooSlowMedia()
    // the file is to blame for a crash or too much memory
    if (error.reason === 'crashed' || error.reason === 'memory') throw damagedMedia(error)
    throw new UnavailableError(say('reading_later', { kind: 'media' }), {
      code: error.reason === 'busy' ? 'busy' : 'no_av',
      cause: error,
    })
  }
}

const MIN_MAJOR = 5
const CHECK_TIMEOUT_MS = 10_000
/** Encoders that playback copies require. */
const requiredEncoders = ['libx264', 'aac', 'libmp3lame', 'mjpeg']
/** Without these the colours of HDR videos stay pale. */
const toneMappingFilters = ['zscale', 'tonemap']

interface AvOptions {
  sandboxing: Sandboxing
  /** Folders searched for ffmpeg, in PATH's format. */
  searchPath?: string
  warn?: ProcessLog
}

const execute = promisify(execFile)

/**
 * Uses the machine's ffmpeg if it's good enough, otherwise node-av. With neither, methods that read a file throw the
 * reason. The choice is made at first use, so that startup doesn't wait for it.
 */
export function createAv({ sandboxing, searchPath = programSearchPath(), warn }: AvOptions): Av {
  let choice: Promise<Av> | undefined
  let current: Av | undefined
  const choose = async () => {
    const programs = await findFfmpeg(searchPath)
    const version = programs ? undefined : findNodeAv()
    if (programs) current = createFfmpegProcesses({ sandboxing, programs, warn })
    else current = version === undefined ? createNoAv() : createNodeAvProcesses({ sandboxing, version, warn })
    return current
  }
  const use = () => {
    choice ??= choose()
    return choice
  }
  return {
    name: async () => (await use()).name(),
    check: () => current?.check() ?? { state: 'ok' },
    probe: async (...args) => (await use()).probe(...args),
    frames: async (...args) => (await use()).frames(...args),
    still: async (...args) => (await use()).still(...args),
    sound: async (...args) => (await use()).sound(...args),
    playback: async (...args) => (await use()).playback(...args),
    subtitles: async (...args) => (await use()).subtitles(...args),
    cover: async (...args) => (await use()).cover(...args),
    close: async () => (await choice)?.close(),
  }
}

/** Sandbox and log for processes. */
type ProcessTools = Pick<AvOptions, 'sandboxing'> & { warn?: ProcessLog | undefined }

/** An `Av` that runs the installed ffmpeg in separate processes. */
export function createFfmpegProcesses({ programs, ...tools }: ProcessTools & { programs: FfmpegPrograms }): Av {
  return createAvProcesses({
    ...tools,
    module: new URL('./ffmpeg/ffmpeg-process.ts', import.meta.url),
    engine: 'ffmpeg',
    version: programs.version,
    environment: { FFMPEG_PROGRAMS: JSON.stringify(programs) },
    reads: [programs.ffmpeg, programs.ffprobe],
    // The process applies the limits itself, and may analyse a video twice.
    timeoutFactor: 3,
  })
}

/** An `Av` that runs node-av in separate processes. */
export function createNodeAvProcesses({ version, ...tools }: ProcessTools & { version: string }): Av {
  return createAvProcesses({
    ...tools,
    module: new URL('./node-av/node-av-process.ts', import.meta.url),
    engine: 'node-av',
    version,
    environment: { NODE_AV_VERSION: version },
  })
}

/**
 * ffmpeg and ffprobe in a search path; undefined unless ffmpeg is recent and has the encoders of playback copies.
 * @param searchPath folders in the format of PATH.
 */
export async function findFfmpeg(searchPath: string): Promise<FfmpegPrograms | undefined> {
  const [ffmpeg, ffprobe] = await Promise.all(['ffmpeg', 'ffprobe'].map((name) => findProgram(name, searchPath)))
  if (ffmpeg === undefined || ffprobe === undefined) return undefined
  const [versionText, encoders, filters, probe] = await Promise.all([
    outputOf(ffmpeg, '-version'),
    outputOf(ffmpeg, '-hide_banner', '-encoders'),
    outputOf(ffmpeg, '-hide_banner', '-filters'),
    outputOf(ffprobe, '-version'),
  ])
  const version = /^ffmpeg version (\S+)/.exec(versionText)?.[1]
  if (version === undefined || !probe.startsWith('ffprobe version') || !isRecent(version)) return undefined
  if (!requiredEncoders.every((name) => encoders.includes(` ${name} `))) return undefined
  const hasToneMapping = toneMappingFilters.every((name) => filters.includes(` ${name} `))
  const setpriv = await findSetpriv(searchPath, ffmpeg)
  return { ffmpeg, ffprobe, version, hasToneMapping, ...(setpriv === undefined ? {} : { setpriv }) }
}

/** Path of setpriv, unless its version lacks the option to have programs killed together with this process. */
async function findSetpriv(searchPath: string, ffmpeg: string): Promise<string | undefined> {
  const setpriv = process.platform === 'linux' ? await findProgram('setpriv', searchPath) : undefined
  if (setpriv === undefined) return undefined
  const { program, before } = withDeathSignal(ffmpeg, setpriv)
  return (await outputOf(program, ...before, '-version')).startsWith('ffmpeg version') ? setpriv : undefined
}

/** Version of node-av; undefined when it isn't installed or has no binary for this machine. */
export function findNodeAv(): string | undefined {
  try {
    const require = createRequire(import.meta.url)
    const main = require.resolve('node-av')
    createRequire(main).resolve(`@seydx/node-av-${process.platform}-${process.arch}/package.json`)
    return (require(join(dirname(main), '..', 'package.json')) as { version: string }).version
  } catch {
    return undefined
  }
}

/** True for a recent version; nightly builds have a commit number or a date, and count as recent. */
function isRecent(version: string): boolean {
  const major = Number(/^n?(\d+)\./.exec(version)?.[1])
  return major >= MIN_MAJOR || /^(N-|git-|20\d\d)/.test(version)
}

async function outputOf(program: string, ...args: string[]): Promise<string> {
  try {
    const { stdout } = await execute(program, args, {
      env: minimalEnvironment(),
      timeout: CHECK_TIMEOUT_MS,
      killSignal: 'SIGKILL',
      maxBuffer: 4_000_000,
    })
    return stdout
  } catch {
    // a program that can't be started counts as missing
    return ''
  }
}

function createNoAv(): Av {
  const sentence = say('no_films', {})
  const refuse = async (): Promise<never> => {
    throw new UnavailableError(sentence, { code: 'no_av' })
  }
  return {
    name: async () => 'none',
    check: () => ({ state: 'off', ...asReason(sentence) }),
    probe: refuse,
    frames: refuse,
    still: refuse,
    sound: refuse,
    playback: refuse,
    subtitles: refuse,
    cover: refuse,
    async close() {},
  }
}
