import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ValidationError } from '../../../errors.ts'
import { wavSeconds } from '../../audio/wav.ts'
import {
  type Av,
  type AvFile,
  type AvInfo,
  avLimits,
  type CutFrame,
  damagedMedia,
  demuxerOf,
  guessesDuration,
  missingStream,
  playbackTimeoutMs,
  tooSlowMedia,
  type WideColour,
} from '../av.ts'
import { withEndTags } from '../end-tags.ts'
import { chaptersOfFile } from '../file-chapters.ts'
import {
  type FramePlan,
  fitFilter,
  jpegFilters,
  leavesGaps,
  planFrames,
  selectFilter,
  selectInformative,
  standardColourFilters,
  stillFilters,
  stillSeekTimes,
} from '../scene-frames.ts'
import { cuesOf, type SubtitleTrack, subtitleLimits } from '../subtitles.ts'
import {
  infoOf,
  packetsOf,
  playbackArguments,
  secondsOf,
  textSubtitlesOf,
  variableFrameRate,
} from './ffmpeg-formats.ts'
import type { FfmpegPrograms } from './ffmpeg-programs.ts'
import { createFfmpegRunner, isMissing } from './ffmpeg-runner.ts'

/** An `Av` that uses the installed ffmpeg, with one process per task. */
export function createFfmpegAv(programs: FfmpegPrograms): Av {
  const { version, hasToneMapping = false } = programs
  const { run, runToEnd, inspect, measure } = createFfmpegRunner(programs)

  const streamsOf = async (file: AvFile, signal: AbortSignal) =>
    infoOf(await inspect(file, signal), demuxerOf(file.format) ?? '')

  /** Colours that have to be converted to standard ones; undefined when ffmpeg can't. */
  const wideColourOf = async (file: AvFile, signal: AbortSignal): Promise<WideColour | undefined> =>
    hasToneMapping ? (await streamsOf(file, signal)).video?.wideColour : undefined

  /** Extracts frames by a plan; null for a file without a video. */
  const extract = async (
    file: AvFile,
    options: Parameters<Av['frames']>[1],
    plan: FramePlan,
    wideColour: WideColour | undefined,
  ): Promise<CutFrame[] | null> => {
    const { folder, longestSide, durationSeconds, endSeconds, signal, onProgress } = options
    const starts: number[] = []
    const end = Math.min(endSeconds ?? Number.POSITIVE_INFINITY, durationSeconds ?? Number.POSITIVE_INFINITY)
    const filters = [selectFilter(plan), fitFilter(longestSide), ...standardColourFilters(wideColour)]
    filters.push(...jpegFilters, 'showinfo=checksum=0')
    let failure: unknown
    const isWhole = await run({
      file,
      inputOptions: [
        ...(plan.isKeyFramesOnly ? ['-skip_frame', 'nokey'] : []),
        ...(endSeconds === undefined ? [] : ['-t', String(endSeconds)]),
      ],
      outputOptions: [
        ...['-map', '0:V:0', '-vf', filters.join(','), ...variableFrameRate(version), '-frames:v', String(plan.max)],
        ...['-q:v', String(avLimits.frameQuality), '-f', 'image2'],
      ],
      output: 'frame-%05d.jpg',
      folder,
      timeoutMs: avLimits.framesTimeoutMs,
      signal,
      onLine: (line) => {
        const start = /^\[Parsed_showinfo_\d+ @ \w+\] n: *\d+ pts: *\S+ pts_time: *(-?[\d.]+)/.exec(line)?.[1]
        if (start !== undefined) starts.push(Math.max(0, Number(start)))
        const seconds = start === undefined ? secondsOf(line) : Number(start)
        if (seconds !== undefined && Number.isFinite(end)) onProgress?.(Math.min(1, seconds / end))
      },
    }).catch((error: unknown) => {
      signal.throwIfAborted()
      // A truncated video still yields the frames before its end. Other failures, such as a full disk, are thrown.
      if (!(error instanceof ValidationError)) throw error
      failure = error
      return true
    })
    const names = (await readdir(folder)).filter((name) => /^frame-\d+\.jpg$/.test(name)).sort()
    // The last frame is left out if the process was stopped: it may be incomplete.
    const completeNames = names.slice(0, isWhole ? starts.length : Math.min(starts.length, names.length - 1))
    if (failure !== undefined && completeNames.length === 0) {
      if (isMissingVideo(failure)) return null
      throw failure
    }
    return completeNames.map((name, n) => ({ filename: join(folder, name), startSeconds: starts[n] ?? 0 }))
  }

  const probe = async (file: AvFile, signal: AbortSignal): Promise<AvInfo> => {
    const demuxer = demuxerOf(file.format) ?? ''
    const output = await inspect(file, signal)
    const tags = await withEndTags(file.filename, demuxer, output.format?.tags ?? {})
    const info = {
      ...infoOf({ ...output, format: { ...output.format, tags } }, demuxer),
      chapters: await chaptersOfFile(file.filename, demuxer),
    }
    const hasStreams = info.video !== null || info.audio !== null
    if (hasStreams && (info.durationSeconds === null || guessesDuration(demuxer))) {
      info.durationSeconds = (await measure(file, signal)) ?? info.durationSeconds
    }
    return info
  }

  return {
    name: async () => `ffmpeg ${version}`,
    check: () => ({ state: 'ok', engine: 'ffmpeg', model: version }),
    probe,

    async frames(file, options) {
      const plan = planFrames(options)
      const wideColour = await wideColourOf(file, options.signal)
      let frames = await extract(file, options, plan, wideColour)
      if (frames === null) return []
      const starts = frames.map(({ startSeconds }) => startSeconds)
      if (leavesGaps(starts, options.endSeconds ?? options.durationSeconds, plan)) {
        for (const { filename } of frames) await rm(filename, { force: true })
        frames = (await extract(file, options, { ...plan, isKeyFramesOnly: false }, wideColour)) ?? []
      }
      if (frames.length === 0 && options.endSeconds === undefined) throw damagedMedia()
      return selectInformative(frames, options.max, options.signal)
    },

    async still(file, { startSeconds, filename, longestSide, signal }) {
      const { seekSeconds, fromSeconds } = stillSeekTimes(startSeconds)
      const filters = stillFilters(longestSide, await wideColourOf(file, signal))
      const isWhole = await run({
        file,
        inputOptions: seekSeconds > 0 ? ['-ss', seekSeconds.toFixed(3)] : [],
        outputOptions: [
          ...['-ss', (fromSeconds - seekSeconds).toFixed(3)],
          ...['-map', '0:V:0', '-vf', filters.join(','), '-frames:v', '1'],
          ...['-c:v', 'png', '-f', 'image2pipe'],
        ],
        output: filename,
        timeoutMs: avLimits.stillTimeoutMs,
        signal,
      }).catch(async (error: unknown) => {
        if (!(error instanceof ValidationError)) throw error
        // Some versions treat a missing frame as an error. This throws if the file is damaged.
        await inspect(file, signal)
        return true
      })
      if (!isWhole) throw tooSlowMedia()
      return (await sizeOf(filename)) > 0
    },

    async sound(file, { filename, startSeconds = 0, maxSeconds = avLimits.maxSoundSeconds, signal }) {
      const { audio } = await streamsOf(file, signal)
      if (!audio) return 0
      await runToEnd({
        file,
        inputOptions: startSeconds > 0 ? ['-ss', startSeconds.toFixed(3)] : [],
        outputOptions: [
          ...['-map', '0:a:0', '-vn', '-sn', '-dn', '-af', 'aresample=async=1:first_pts=0'],
          ...['-ac', '1', '-ar', '16000', '-c:a', 'pcm_s16le', '-map_metadata', '-1', '-fflags', '+bitexact'],
          ...['-t', String(maxSeconds), '-f', 'wav'],
        ],
        output: filename,
        timeoutMs: avLimits.soundTimeoutMs,
        signal,
      })
      return wavSeconds(filename)
    },

    async playback(file, { kind, filename, durationSeconds, signal, onProgress }) {
      const streams = await streamsOf(file, signal)
      const info = hasToneMapping
        ? streams
        : { ...streams, video: streams.video && { ...streams.video, wideColour: undefined } }
      if (info[kind] === null) throw missingStream(kind)
      await runToEnd({
        file,
        outputOptions: playbackArguments(kind, info),
        output: filename,
        timeoutMs: playbackTimeoutMs(durationSeconds),
        signal,
        onLine: (line) => {
          const seconds = secondsOf(line)
          if (seconds !== undefined && durationSeconds) onProgress?.(Math.min(1, seconds / durationSeconds))
        },
      })
    },

    async subtitles(file, signal) {
      const { streams = [] } = await inspect(file, signal)
      const tracks: SubtitleTrack[] = []
      for (const stream of textSubtitlesOf(streams).slice(0, subtitleLimits.tracks)) {
        const packets = packetsOf(await inspect(file, signal, stream.index))
        tracks.push({ language: stream.tags?.language ?? null, cues: cuesOf(stream.codec_name ?? '', packets) })
      }
      return tracks
    },

    async cover(file, { filename, signal }) {
      const { streams = [] } = await inspect(file, signal)
      const cover = streams.find(({ disposition }) => disposition?.attached_pic === 1)
      if (!cover) return false
      await runToEnd({
        file,
        outputOptions: [
          ...['-map', `0:${cover.index}`, '-c', 'copy', '-frames:v', '1', '-fs', String(avLimits.maxCoverBytes)],
          ...['-f', 'image2pipe'],
        ],
        output: filename,
        timeoutMs: avLimits.probeTimeoutMs,
        signal,
      })
      return true
    },

    async close() {},
  }
}

async function sizeOf(filename: string): Promise<number> {
  const stats = await stat(filename).catch((error: unknown) => {
    if (isMissing(error)) return { size: 0 }
    throw error
  })
  return stats.size
}

function isMissingVideo(error: unknown): boolean {
  const reason = error instanceof Error && error.cause instanceof Error ? error.cause.message : ''
  return reason.includes("Stream map '0:V:0' matches no streams")
}
