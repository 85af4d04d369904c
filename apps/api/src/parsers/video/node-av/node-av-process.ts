// Process that reads videos and recordings with node-av.

import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { type Av, type AvFile, type CutFrame, damagedMedia, demuxerOf, missingStream, unknownFormat } from '../av.ts'
import { type FramePlan, leavesGaps, planFrames, selectInformative } from '../scene-frames.ts'
import { serveAv } from '../serve-av.ts'
import type { MediaFile } from './media-input.ts'
import { tasks } from './tasks.ts'

/** Context whose progress reports yield to the event loop, so that messages are handled during the work. */
const contextOf = ({ signal, onProgress }: Pick<FrameOptions, 'signal' | 'onProgress'>) => ({
  signal,
  emit: async (progress: number) => {
    onProgress?.(progress)
    await setImmediate()
  },
})

type FrameOptions = Parameters<Av['frames']>[1]

/** An `Av` that uses node-av on the calling thread, only for processes that can be killed. */
function createNodeAv(version: string): Av {
  const extract = (file: MediaFile, options: FrameOptions, plan: FramePlan): Promise<CutFrame[] | null> => {
    const { folder, longestSide, durationSeconds, endSeconds } = options
    const input = { file, folder, longestSide, plan, durationSeconds, endSeconds }
    return tasks.frames(input, contextOf(options))
  }

  return {
    name: async () => `node-av ${version}`,
    check: () => ({ state: 'ok', engine: 'node-av', model: version }),

    probe: async (file) => tasks.probe({ file: asMediaFile(file) }),

    async frames(file, options) {
      const { folder, durationSeconds, endSeconds, signal } = options
      const media = asMediaFile(file)
      const plan = planFrames(options)
      let frames = await extract(media, options, plan)
      if (frames === null) return []
      const starts = frames.map(({ startSeconds }) => startSeconds)
      if (leavesGaps(starts, endSeconds ?? durationSeconds, plan)) {
        for (const name of await readdir(folder)) await rm(join(folder, name), { force: true })
        frames = (await extract(media, options, { ...plan, isKeyFramesOnly: false })) ?? []
      }
      if (frames.length === 0 && endSeconds === undefined) throw damagedMedia()
      return selectInformative(frames, options.max, signal)
    },

    still: async (file, { signal: _signal, ...options }) => tasks.still({ ...options, file: asMediaFile(file) }),

    sound: async (file, { filename, startSeconds, maxSeconds }) =>
      tasks.sound({ file: asMediaFile(file), filename, startSeconds, maxSeconds }),

    async playback(file, { kind, filename, durationSeconds, ...options }) {
      const input = { file: asMediaFile(file), kind, filename, durationSeconds }
      if (!(await tasks.playback(input, contextOf(options)))) throw missingStream(kind)
    },

    subtitles: async (file) => tasks.subtitles({ file: asMediaFile(file) }),

    cover: async (file, { filename }) => tasks.cover({ file: asMediaFile(file), filename }),

    async close() {},
  }
}

function asMediaFile({ filename, format }: AvFile): MediaFile {
  const demuxer = demuxerOf(format)
  if (demuxer === undefined) throw unknownFormat(format)
  return { filename, demuxer }
}

serveAv(createNodeAv(process.env.NODE_AV_VERSION ?? ''))
