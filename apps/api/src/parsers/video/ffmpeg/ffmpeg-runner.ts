import { type ChildProcess, execFile } from 'node:child_process'
import { promisify } from 'node:util'
import ffmpeg, { type FfmpegCommand } from 'fluent-ffmpeg'
import { UnavailableError } from '../../../errors.ts'
import { say } from '../../../sentences.ts'
import {
  type AvFile,
  asMediaError,
  avLimits,
  damagedMedia,
  demuxerOf,
  plausibleDuration,
  tooSlowMedia,
  unknownFormat,
} from '../av.ts'
import { type FfprobeOutput, secondsOf } from './ffmpeg-formats.ts'
import { type FfmpegPrograms, minimalEnvironment, withDeathSignal } from './ffmpeg-programs.ts'

type Spawn = (
  args: string[],
  options: Record<string, unknown>,
  onProcess: (child: ChildProcess) => void,
  onEnd: (error: unknown) => void,
) => void

/**
 * Runs each process of a command in a bare environment, for which fluent-ffmpeg has no option.
 * @param before arguments before the process's own.
 */
function useBareEnvironment(command: FfmpegCommand, before: string[] = []): void {
  const inner = command as unknown as { _spawnFfmpeg(...args: unknown[]): void }
  const spawn: Spawn = inner._spawnFfmpeg.bind(command)
  inner._spawnFfmpeg = (...spawnArgs: unknown[]) => {
    const args = [...before, ...(spawnArgs[0] as string[])]
    const callbacks = spawnArgs.filter((spawnArg) => typeof spawnArg === 'function') as [
      Parameters<Spawn>[2],
      Parameters<Spawn>[3],
    ]
    const options = typeof spawnArgs[1] === 'object' ? (spawnArgs[1] as Record<string, unknown>) : {}
    const [onProcess, onEnd] = callbacks.length > 1 ? callbacks : [() => undefined, callbacks[0] as unknown as Spawn]
    spawn(args, { ...options, env: minimalEnvironment() }, onProcess, onEnd as Parameters<Spawn>[3])
  }
}

/** Error codes for a program that can't be started: those of the system, and exit codes of launchers such as setpriv. */
const missingCodes: unknown[] = ['ENOENT', 'EACCES', 126, 127]

/** True when a program couldn't be started because it no longer exists. */
export function isMissing(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return ('code' in error && missingCodes.includes(error.code)) || /exited with code 12[67]\b/.test(error.message)
}

function unavailable(cause: unknown): UnavailableError {
  return new UnavailableError(say('film_reader_missing', {}), { code: 'no_av', cause })
}

/** One run of ffmpeg. */
interface Run {
  file: AvFile
  /** Options before the input. */
  inputOptions?: string[]
  outputOptions: string[]
  output: string
  /** Folder of relative outputs. */
  folder?: string
  timeoutMs: number
  signal: AbortSignal
  /** Called with each line of FFmpeg's output. */
  onLine?: (line: string) => void
}

const execute = promisify(execFile)
const NICENESS = 10
/** Largest single allocation of ffmpeg. */
const MAX_BYTES_AT_ONCE = 500_000_000
const PROBE_MAX_BYTES = 4_000_000
const SUBTITLES_MAX_BYTES = 40_000_000
/** Last lines of ffmpeg's output that are kept for error messages. */
const OUTPUT_LINES = 20
/** Part of a file that is read to detect its contents. */
const probeOptions = ['-probesize', '20M', '-analyzeduration', '10M']

/** Starts ffmpeg and ffprobe in a bare environment, bounded in time and memory. */
export function createFfmpegRunner({ setpriv, ...programs }: FfmpegPrograms) {
  const ffmpegLaunch = withDeathSignal(programs.ffmpeg, setpriv)
  const ffprobeLaunch = withDeathSignal(programs.ffprobe, setpriv)
  const optionsFor = ({ format }: AvFile) => {
    const demuxer = demuxerOf(format)
    if (demuxer === undefined) throw unknownFormat(format)
    // FFmpeg mustn't guess the demuxer, nor open addresses or devices that a file names.
    return ['-protocol_whitelist', 'file', '-max_pixels', String(avLimits.maxPixels), ...probeOptions, '-f', demuxer]
  }

  /** Runs ffmpeg; true when it finished, false when the time limit stopped it. */
  const run = (work: Run): Promise<boolean> => {
    const { file, inputOptions = [], outputOptions, output, folder, timeoutMs, signal, onLine } = work
    signal.throwIfAborted()
    const requiredOptions = optionsFor(file)
    return new Promise<boolean>((resolve, reject) => {
      const command = ffmpeg({
        niceness: NICENESS,
        stdoutLines: OUTPUT_LINES,
        ...(folder === undefined ? {} : { cwd: folder }),
      })
      command.setFfmpegPath(ffmpegLaunch.program)
      useBareEnvironment(command, ffmpegLaunch.before)
      command.input(`file:${file.filename}`)
      const seconds = Math.ceil(timeoutMs / 1000)
      command.inputOptions(
        ...[
          '-nostdin',
          '-hide_banner',
          '-max_alloc',
          String(MAX_BYTES_AT_ONCE),
          '-timelimit',
          String(seconds * avLimits.threads),
        ],
        ...['-threads', String(avLimits.threads), ...requiredOptions, ...inputOptions],
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
        const errorText = typeof stderr === 'string' ? stderr : ''
        settle(() => reject(isMissing(error) ? unavailable(error) : asMediaError(`${error.message}\n${errorText}`)))
      })
      command.run()
    })
  }

  /** Runs ffmpeg to its end. @throws ValidationError when the time limit stopped it. */
  const runToEnd = async (work: Run): Promise<void> => {
    if (!(await run(work))) throw tooSlowMedia()
  }

  /** Output of ffprobe for a file. @param subtitleIndex index of a stream whose packets are returned instead of the streams. */
  const inspect = async (file: AvFile, signal: AbortSignal, subtitleIndex?: number): Promise<FfprobeOutput> => {
    const requiredOptions = optionsFor(file)
    const selection =
      subtitleIndex === undefined
        ? ['-show_format', '-show_streams']
        : [
            ...['-select_streams', String(subtitleIndex), '-show_packets', '-show_data'],
            ...['-show_entries', 'format=start_time:packet=pts_time,duration_time,data'],
          ]
    try {
      const args = [
        ...ffprobeLaunch.before,
        '-v',
        'error',
        ...requiredOptions,
        ...selection,
        '-of',
        'json',
        `file:${file.filename}`,
      ]
      const { stdout } = await execute(ffprobeLaunch.program, args, {
        env: minimalEnvironment(),
        timeout: subtitleIndex === undefined ? avLimits.probeTimeoutMs : avLimits.subtitlesTimeoutMs,
        killSignal: 'SIGKILL',
        maxBuffer: subtitleIndex === undefined ? PROBE_MAX_BYTES : SUBTITLES_MAX_BYTES,
        signal,
      })
      return JSON.parse(stdout) as FfprobeOutput
    } catch (error) {
      signal.throwIfAborted()
      if (isMissing(error)) throw unavailable(error)
      throw error instanceof Error && 'killed' in error && error.killed ? tooSlowMedia() : damagedMedia(error)
    }
  }

  /** Duration in seconds, found by reading the whole file without decoding it; null when that takes too long. */
  const measure = async (file: AvFile, signal: AbortSignal): Promise<number | null> => {
    let seconds: number | undefined
    const isWhole = await run({
      file,
      outputOptions: ['-map', '0:V?', '-map', '0:a?', '-c', 'copy', '-f', 'null'],
      output: '-',
      timeoutMs: avLimits.probeTimeoutMs,
      signal,
      onLine: (line) => {
        seconds = secondsOf(line) ?? seconds
      },
    })
    return isWhole ? plausibleDuration(seconds) : null
  }

  return { run, runToEnd, inspect, measure }
}
