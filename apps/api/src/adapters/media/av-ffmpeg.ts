import { execFile } from 'node:child_process'
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import ffmpeg from 'fluent-ffmpeg'
import { ValidationError } from '../../errors.ts'
import type { Av, AvFile, AvInfo, CutFrame } from './av.ts'
import { dropAlike } from './av-alike.ts'
import { asMediaError, damagedMedia, missingStream, tooSlowMedia, unknownFormat } from './av-errors.ts'
import { bareEnvironment, dyingWithUs, isMissing, unavailable, withoutSecrets } from './av-ffmpeg-process.ts'
import { type FfprobeAnswer, infoOf, playbackArguments, secondsOf, variableFrameRate } from './av-ffmpeg-words.ts'
import { demuxerOf, guessesDuration } from './av-formats.ts'
import {
  avLimits,
  type FramePlan,
  fitFilter,
  leavesGaps,
  planFrames,
  planStill,
  plausibleDuration,
  playbackTimeoutMs,
  selectFilter,
  stillFilters,
} from './av-plan.ts'
import { wavSeconds } from './wav.ts'

/** The programs on this machine. */
export interface FfmpegPrograms {
  ffmpeg: string
  ffprobe: string
  /** Starts them so that they die with this process; not on every machine. */
  setpriv?: string
  /** As it tells itself: 5.1.9, N-109542, … */
  version: string
}

interface Run {
  file: AvFile
  /** Before the input. */
  inputOptions?: string[]
  outputOptions: string[]
  output: string
  /** Folder in which a relative output lies. */
  folder?: string
  timeoutMs: number
  signal: AbortSignal
  /** Each line that FFmpeg says. */
  onLine?: (line: string) => void
}

const execute = promisify(execFile)
const NICENESS = 10
/** Of one piece of memory. */
const MOST_BYTES_AT_ONCE = 500_000_000
const PROBE_MAX_BYTES = 4_000_000
/** Of what FFmpeg says, the end of which is kept. */
const SAID_LINES = 20
/** How much of a file is read to find out what it is. */
const lookOptions = ['-probesize', '20M', '-analyzeduration', '10M']

/** Films and recordings through the ffmpeg of this machine, one process for each piece of work. */
export function createFfmpegAv({ version, setpriv, ...programs }: FfmpegPrograms): Av {
  const encoding = dyingWithUs(programs.ffmpeg, setpriv)
  const probing = dyingWithUs(programs.ffprobe, setpriv)
  const optionsFor = ({ format }: AvFile) => {
    const demuxer = demuxerOf(format)
    if (demuxer === undefined) throw unknownFormat(format)
    // the demuxer is never guessed, and what a file names inside is never opened: neither an address nor a device
    return ['-protocol_whitelist', 'file', '-max_pixels', String(avLimits.maxPixels), ...lookOptions, '-f', demuxer]
  }

  /** Runs ffmpeg; true when it came to an end, false when it was stopped for taking too long. */
  const run = (work: Run): Promise<boolean> => {
    const { file, inputOptions = [], outputOptions, output, folder, timeoutMs, signal, onLine } = work
    signal.throwIfAborted()
    const forced = optionsFor(file)
    return new Promise<boolean>((resolve, reject) => {
      const command = ffmpeg({
        niceness: NICENESS,
        stdoutLines: SAID_LINES,
        ...(folder === undefined ? {} : { cwd: folder }),
      })
      command.setFfmpegPath(encoding.program)
      withoutSecrets(command, encoding.before)
      command.input(`file:${file.filename}`)
      const seconds = Math.ceil(timeoutMs / 1000)
      command.inputOptions(
        ...[
          '-nostdin',
          '-hide_banner',
          '-max_alloc',
          String(MOST_BYTES_AT_ONCE),
          '-timelimit',
          String(seconds * avLimits.threads),
        ],
        ...['-threads', String(avLimits.threads), ...forced, ...inputOptions],
      )
      command.outputOptions(...outputOptions, '-threads', String(avLimits.threads))
      command.output(output)

      let hasTimedOut = false
      const timer = setTimeout(() => {
        hasTimedOut = true
        command.kill('SIGKILL')
      }, timeoutMs)
      const abort = () => command.kill('SIGKILL')
      signal.addEventListener('abort', abort, { once: true })
      const settle = (act: () => void) => {
        clearTimeout(timer)
        signal.removeEventListener('abort', abort)
        if (signal.aborted) reject(signal.reason)
        else if (hasTimedOut) resolve(false)
        else act()
      }
      // aborted before there was a process to kill
      command.on('start', () => signal.aborted && command.kill('SIGKILL'))
      if (onLine) command.on('stderr', onLine)
      command.on('end', () => settle(() => resolve(true)))
      command.on('error', (error: Error, _stdout: unknown, stderr: unknown) => {
        const said = typeof stderr === 'string' ? stderr : ''
        settle(() => reject(isMissing(error) ? unavailable(error) : asMediaError(`${error.message}\n${said}`)))
      })
      command.run()
    })
  }

  const look = async (file: AvFile, signal: AbortSignal): Promise<FfprobeAnswer> => {
    const forced = optionsFor(file)
    const wanted = ['-show_format', '-show_streams', '-of', 'json']
    try {
      const args = [...probing.before, '-v', 'error', ...forced, ...wanted, `file:${file.filename}`]
      const { stdout } = await execute(probing.program, args, {
        env: bareEnvironment(),
        timeout: avLimits.probeTimeoutMs,
        killSignal: 'SIGKILL',
        maxBuffer: PROBE_MAX_BYTES,
        signal,
      })
      return JSON.parse(stdout) as FfprobeAnswer
    } catch (error) {
      signal.throwIfAborted()
      if (isMissing(error)) throw unavailable(error)
      throw error instanceof Error && 'killed' in error && error.killed ? tooSlowMedia() : damagedMedia(error)
    }
  }

  /** Goes through the whole file without decoding it, to see where it ends. */
  const measure = async (file: AvFile, signal: AbortSignal): Promise<number | null> => {
    let seconds: number | undefined
    await run({
      file,
      outputOptions: ['-map', '0:V?', '-map', '0:a?', '-c', 'copy', '-f', 'null'],
      output: '-',
      timeoutMs: avLimits.probeTimeoutMs,
      signal,
      onLine: (line) => {
        seconds = secondsOf(line) ?? seconds
      },
    })
    return plausibleDuration(seconds)
  }

  /** Null when there are no moving pictures. */
  const cut = async (
    file: AvFile,
    options: Parameters<Av['frames']>[1],
    plan: FramePlan,
  ): Promise<CutFrame[] | null> => {
    const { folder, longestSide, durationSeconds, endSeconds, signal, onProgress } = options
    const starts: number[] = []
    const end = Math.min(endSeconds ?? Number.POSITIVE_INFINITY, durationSeconds ?? Number.POSITIVE_INFINITY)
    const filters = [selectFilter(plan), fitFilter(longestSide), 'format=yuvj420p', 'showinfo=checksum=0']
    let failure: unknown
    const isWhole = await run({
      file,
      inputOptions: [
        ...(plan.isKeyFramesOnly ? ['-skip_frame', 'nokey'] : []),
        ...(endSeconds === undefined ? [] : ['-t', String(endSeconds)]),
      ],
      outputOptions: [
        ...['-map', '0:V:0', '-vf', filters.join(','), ...variableFrameRate(version), '-frames:v', String(plan.most)],
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
      // a film that breaks off has what comes before; a full disk has not
      if (!(error instanceof ValidationError)) throw error
      failure = error
      return true
    })
    const names = (await readdir(folder)).filter((name) => /^frame-\d+\.jpg$/.test(name)).sort()
    // the last picture of a process that was stopped may be half a picture
    const whole = names.slice(0, isWhole ? starts.length : Math.min(starts.length, names.length - 1))
    if (failure !== undefined && whole.length === 0) {
      if (saysNoStream(failure)) return null
      throw failure
    }
    return whole.map((name, n) => ({ filename: join(folder, name), startSeconds: starts[n] ?? 0 }))
  }

  const probe = async (file: AvFile, signal: AbortSignal): Promise<AvInfo> => {
    const answer = await look(file, signal)
    const info = infoOf(answer)
    const hasStreams = info.video !== null || info.audio !== null
    if (hasStreams && (info.durationSeconds === null || guessesDuration(demuxerOf(file.format) ?? ''))) {
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
      let frames = await cut(file, options, plan)
      if (frames === null) return []
      const starts = frames.map(({ startSeconds }) => startSeconds)
      if (leavesGaps(starts, options.endSeconds ?? options.durationSeconds, plan)) {
        for (const { filename } of frames) await rm(filename, { force: true })
        frames = (await cut(file, options, { ...plan, isKeyFramesOnly: false })) ?? []
      }
      if (frames.length === 0 && options.endSeconds === undefined) throw damagedMedia()
      return dropAlike(frames, options.signal)
    },

    async still(file, { startSeconds, filename, longestSide, signal }) {
      const { seekSeconds, fromSeconds } = planStill(startSeconds)
      const isWhole = await run({
        file,
        inputOptions: seekSeconds > 0 ? ['-ss', seekSeconds.toFixed(3)] : [],
        outputOptions: [
          ...['-ss', (fromSeconds - seekSeconds).toFixed(3)],
          ...['-map', '0:V:0', '-vf', stillFilters(longestSide).join(','), '-frames:v', '1'],
          ...['-c:v', 'png', '-f', 'image2pipe'],
        ],
        output: filename,
        timeoutMs: avLimits.stillTimeoutMs,
        signal,
      }).catch(async (error: unknown) => {
        if (!(error instanceof ValidationError)) throw error
        // some versions call it an error that there is no frame; a damaged file is one
        await look(file, signal)
        return true
      })
      if (!isWhole) throw tooSlowMedia()
      return (await sizeOf(filename)) > 0
    },

    async sound(file, { filename, mostSeconds = avLimits.maxSoundSeconds, signal }) {
      const { audio } = infoOf(await look(file, signal))
      if (!audio) return 0
      const isWhole = await run({
        file,
        outputOptions: [
          ...['-map', '0:a:0', '-vn', '-sn', '-dn', '-af', 'aresample=async=1:first_pts=0'],
          ...['-ac', '1', '-ar', '16000', '-c:a', 'pcm_s16le', '-map_metadata', '-1', '-fflags', '+bitexact'],
          ...['-t', String(mostSeconds), '-f', 'wav'],
        ],
        output: filename,
        timeoutMs: avLimits.soundTimeoutMs,
        signal,
      })
      if (!isWhole) throw tooSlowMedia()
      return wavSeconds(filename)
    },

    async playback(file, { kind, filename, durationSeconds, signal, onProgress }) {
      const info = infoOf(await look(file, signal))
      if (info[kind] === null) throw missingStream(kind)
      const isWhole = await run({
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
      if (!isWhole) throw tooSlowMedia()
    },

    async cover(file, { filename, signal }) {
      const { streams = [] } = await look(file, signal)
      const cover = streams.find(({ disposition }) => disposition?.attached_pic === 1)
      if (!cover) return false
      await run({
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
  const found = await stat(filename).catch((error: unknown) => {
    if (isMissing(error)) return { size: 0 }
    throw error
  })
  return found.size
}

function saysNoStream(error: unknown): boolean {
  const said = error instanceof Error && error.cause instanceof Error ? error.cause.message : ''
  return said.includes("Stream map '0:V:0' matches no streams")
}
