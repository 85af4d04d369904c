import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError, UnavailableError } from '../../errors.ts'
import { TaskError } from '../process/task-error.ts'
import { createTaskProcess, type ProcessLog, type TaskProcess } from '../process/task-process.ts'
import type { Av, AvFile, CutFrame } from './av.ts'
import { dropAlike } from './av-alike.ts'
import { asMediaError, damagedMedia, missingStream, tooSlowMedia, unknownFormat } from './av-errors.ts'
import { demuxerOf } from './av-formats.ts'
import type { MediaFile } from './av-node-reading.ts'
import type { tasks } from './av-node-tasks.ts'
import { avLimits, type FramePlan, leavesGaps, planFrames, playbackTimeoutMs } from './av-plan.ts'

type Tasks = typeof tasks

/** Decoding an 8K film takes most of it. */
const MEMORY_LIMIT_MB = 1500
const IDLE_MS = 60_000

/** Films and recordings through node-av, in processes that can be killed. */
export function createNodeAv({ version, warn }: { version: string; warn?: ProcessLog }): Av {
  const createProcess = (name: string): TaskProcess<Tasks> =>
    createTaskProcess<Tasks>({
      module: new URL('./av-node-process.ts', import.meta.url),
      name,
      memoryLimitMb: MEMORY_LIMIT_MB,
      keepMb: MEMORY_LIMIT_MB / 3,
      idleMs: IDLE_MS,
      warn,
    })
  const reading = createProcess('The reader of films')
  // who waits for one picture does not wait for frames of a long film
  const looking = createProcess('The cutter of stills')
  // making a copy takes long: what others wait for goes past it
  const converting = createProcess('The converter of films')

  const cut = async (
    file: MediaFile,
    { folder, longestSide, durationSeconds, endSeconds, signal, onProgress }: Parameters<Av['frames']>[1],
    plan: FramePlan,
  ): Promise<CutFrame[] | null> => {
    const input = { file, folder, longestSide, plan, durationSeconds, endSeconds }
    return told(reading.run('frames', input, { ...limits(avLimits.framesTimeoutMs, signal), ...parts(onProgress) }))
  }

  return {
    name: async () => `node-av ${version}`,
    check: () => ({ state: 'ok', engine: 'node-av', model: version }),

    async probe(file, signal) {
      const input = { file: asMediaFile(file) }
      return told(reading.run('probe', input, { ...limits(avLimits.probeTimeoutMs, signal), isUrgent: true }))
    },

    async frames(file, options) {
      const { folder, durationSeconds, endSeconds, signal } = options
      const media = asMediaFile(file)
      const plan = planFrames(options)
      let frames = await cut(media, options, plan)
      if (frames === null) return []
      const starts = frames.map(({ startSeconds }) => startSeconds)
      if (leavesGaps(starts, endSeconds ?? durationSeconds, plan)) {
        for (const name of await readdir(folder)) await rm(join(folder, name), { force: true })
        frames = (await cut(media, options, { ...plan, isKeyFramesOnly: false })) ?? []
      }
      if (frames.length === 0 && endSeconds === undefined) throw damagedMedia()
      return dropAlike(frames, signal)
    },

    async still(file, { signal, ...wanted }) {
      const input = { ...wanted, file: asMediaFile(file) }
      return told(looking.run('still', input, limits(avLimits.stillTimeoutMs, signal)))
    },

    async sound(file, { filename, mostSeconds, signal }) {
      const input = { file: asMediaFile(file), filename, mostSeconds }
      return told(reading.run('sound', input, limits(avLimits.soundTimeoutMs, signal)))
    },

    async playback(file, { kind, filename, durationSeconds, signal, onProgress }) {
      const input = { file: asMediaFile(file), kind, filename, durationSeconds }
      const options = { ...limits(playbackTimeoutMs(durationSeconds), signal), ...parts(onProgress) }
      if (!(await told(converting.run('playback', input, options)))) throw missingStream(kind)
    },

    async cover(file, { filename, signal }) {
      const input = { file: asMediaFile(file), filename }
      return told(reading.run('cover', input, limits(avLimits.probeTimeoutMs, signal)))
    },

    async close() {
      await Promise.all([reading.close(), looking.close(), converting.close()])
    },
  }
}

function asMediaFile({ filename, format }: AvFile): MediaFile {
  const demuxer = demuxerOf(format)
  if (demuxer === undefined) throw unknownFormat(format)
  return { filename, demuxer }
}

function limits(timeoutMs: number, signal: AbortSignal) {
  return { timeoutMs, signal }
}

function parts(onProgress: ((progress: number) => void) | undefined) {
  return onProgress ? { onPart: onProgress } : {}
}

/** What went wrong in the process, as an error for a person. */
async function told<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof TaskError) || error instanceof AppError) throw error
    if (error.reason === 'failed') throw asMediaError(error.message)
    if (error.reason === 'timeout') throw tooSlowMedia()
    // only this file makes it crash or grow
    if (error.reason === 'crashed' || error.reason === 'memory') throw damagedMedia(error)
    throw new UnavailableError('Films and recordings cannot be read right now. Try again in a moment.', {
      code: error.reason === 'busy' ? 'busy' : 'no_av',
      cause: error,
    })
  }
}
