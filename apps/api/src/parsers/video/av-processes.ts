import { join } from 'node:path'
import { UnavailableError } from '../../errors.ts'
import type { Caging } from '../../platform/sandbox/caging.ts'
import type { TaskFolder } from '../../platform/sandbox/lent-folders.ts'
import type { ProcessLog } from '../../platform/sandbox/process-protocol.ts'
import { TaskError } from '../../platform/sandbox/task-error.ts'
import { createTaskProcess, type TaskProcess } from '../../platform/sandbox/task-process.ts'
import { say } from '../../sentences.ts'
import type { Av, AvFile } from './av.ts'
import { asMediaError, damagedMedia, tooSlowMedia } from './av-errors.ts'
import { avLimits, playbackTimeoutMs } from './av-limits.ts'
import { type AvTasks, madeNames } from './serve-av.ts'

export interface AvProcessesOptions {
  caging: Caging
  /** Calls serveAv. */
  module: URL
  /** Shown by the health check. */
  engine: 'ffmpeg' | 'node-av'
  version: string
  environment?: Record<string, string>
  reads?: string[]
  /** Multiple of its own limits that a task may take: tasks that stop by themselves keep their results. */
  patience?: number
  warn?: ProcessLog | undefined
}

/** Decoding an 8K film takes most of it. */
const MEMORY_LIMIT_MB = 1500
const IDLE_MS = 60_000

/** Films and recordings in processes of their own, that see the file they work on and no other. */
export function createAvProcesses({ engine, version, patience = 1, ...options }: AvProcessesOptions): Av {
  const createProcess = (name: string): TaskProcess<AvTasks> =>
    createTaskProcess<AvTasks>({
      ...options,
      name,
      memoryLimitMb: MEMORY_LIMIT_MB,
      keepMb: MEMORY_LIMIT_MB / 3,
      idleMs: IDLE_MS,
    })
  const reading = createProcess('The reader of films')
  // who waits for one picture does not wait for frames of a long film
  const looking = createProcess('The cutter of stills')
  // making a copy takes long: what others wait for goes past it
  const converting = createProcess('The converter of films')
  // a picture is not shown before it is known how it moves
  const moving = createProcess('The converter of motions')
  const limits = (timeoutMs: number, signal: AbortSignal) => ({ timeoutMs: timeoutMs * patience, signal })
  const parts = (onProgress: ((progress: number) => void) | undefined) => (onProgress ? { onPart: onProgress } : {})

  return {
    name: async () => `${engine} ${version}`,
    check: () => ({ state: 'ok', engine, model: version }),

    probe: (file, signal) =>
      withPlainErrors(
        reading.run('probe', async (taskFolder) => ({ file: await provideFile(taskFolder, file) }), {
          ...limits(avLimits.probeTimeoutMs, signal),
          isUrgent: true,
        }),
      ),

    frames: (file, { folder, signal, onProgress, ...options }) =>
      withPlainErrors(
        reading.run('frames', inTaskFolder(file, options), {
          ...limits(avLimits.framesTimeoutMs, signal),
          ...parts(onProgress),
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
        looking.run('still', inTaskFolder(file, options), {
          ...limits(avLimits.stillTimeoutMs, signal),
          collect: (isMade, taskFolder) => takenIf(isMade, taskFolder, madeNames.still, filename),
        }),
      ),

    sound: (file, { filename, signal, ...options }) =>
      withPlainErrors(
        reading.run('sound', inTaskFolder(file, options), {
          ...limits(avLimits.soundTimeoutMs, signal),
          collect: async (seconds, taskFolder) => {
            await takenIf(seconds > 0, taskFolder, madeNames.sound, filename)
            return seconds
          },
        }),
      ),

    playback: (file, { filename, signal, onProgress, isMotion = false, ...options }) =>
      withPlainErrors(
        (isMotion ? moving : converting).run('playback', inTaskFolder(file, options), {
          ...limits(isMotion ? avLimits.motionTimeoutMs : playbackTimeoutMs(options.durationSeconds), signal),
          ...parts(onProgress),
          collect: (_nothing, taskFolder) => taskFolder.take(madeNames.playback, filename),
        }),
      ),

    subtitles: (file, signal) =>
      withPlainErrors(
        reading.run(
          'subtitles',
          async (taskFolder) => ({ file: await provideFile(taskFolder, file) }),
          limits(avLimits.subtitlesTimeoutMs, signal),
        ),
      ),

    cover: (file, { filename, signal }) =>
      withPlainErrors(
        reading.run('cover', inTaskFolder(file, {}), {
          ...limits(avLimits.probeTimeoutMs, signal),
          collect: (isMade, taskFolder) => takenIf(isMade, taskFolder, madeNames.cover, filename),
        }),
      ),

    async close() {
      await Promise.all([reading.close(), looking.close(), converting.close(), moving.close()])
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

async function takenIf(isMade: boolean, taskFolder: TaskFolder, name: string, filename: string): Promise<boolean> {
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
    // only this file makes it crash or grow
    if (error.reason === 'crashed' || error.reason === 'memory') throw damagedMedia(error)
    throw new UnavailableError(say('reading_later', { kind: 'media' }), {
      code: error.reason === 'busy' ? 'busy' : 'no_av',
      cause: error,
    })
  }
}
