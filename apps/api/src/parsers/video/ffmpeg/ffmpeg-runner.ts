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
import { bareEnvironment, dyingWithUs, type FfmpegPrograms } from './ffmpeg-programs.ts'
import { type FfprobeAnswer, secondsOf } from './ffmpeg-words.ts'

type Spawn = (
  args: string[],
  options: Record<string, unknown>,
  onProcess: (child: ChildProcess) => void,
  onEnd: (error: unknown) => void,
) => void

/**
 * Runs each process of a command with an empty environment, which the library has no option for.
 * @param before arguments before the process's own.
 */
function withoutSecrets(command: FfmpegCommand, before: string[] = []): void {
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
    spawn(args, { ...options, env: bareEnvironment() }, onProcess, onEnd as Parameters<Spawn>[3])
  }
}

/** Error codes of a program that can't be started, from the system and from programs that launch others. */
const missingCodes: unknown[] = ['ENOENT', 'EACCES', 126, 127]

/** True when a program couldn't be started because it no longer exists. */
export function isMissing(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return ('code' in error && missingCodes.includes(error.code)) || /exited with code 12[67]\b/.test(error.message)
}

function unavailable(cause: unknown): UnavailableError {
  return new UnavailableError(say('film_reader_missing', {}), { code: 'no_av', cause })
}

/** One piece of work of ffmpeg. */
interface Run {
  file: AvFile
  /** Before the input. */
  inputOptions?: string[]
  outputOptions: string[]
  output: string
  /** Folder of relative outputs. */
  folder?: string
  timeoutMs: number
  signal: AbortSignal
  /** Each line that FFmpeg says. */
  onLine?: (line: string) => void
}

const execute = promisify(execFile)
const NICENESS = 10
/** Largest single allocation of ffmpeg. */
const MAX_BYTES_AT_ONCE = 500_000_000
const PROBE_MAX_BYTES = 4_000_000
const SUBTITLES_MAX_BYTES = 40_000_000
/** Last lines of ffmpeg's output that are kept for error messages. */
const SAID_LINES = 20
/** Part of a file that is read to detect its contents. */
const lookOptions = ['-probesize', '20M', '-analyzeduration', '10M']

/** Starts ffmpeg and ffprobe, bounded in time and memory, with nothing of this process's environment. */
export function createFfmpegRunner({ setpriv, ...programs }: FfmpegPrograms) {
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
          String(MAX_BYTES_AT_ONCE),
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
        const errorText = typeof stderr === 'string' ? stderr : ''
        settle(() => reject(isMissing(error) ? unavailable(error) : asMediaError(`${error.message}\n${errorText}`)))
      })
      command.run()
    })
  }

  /** Asks ffprobe about a file; of the stream of subtitles that is named, all packets. */
  const look = async (file: AvFile, signal: AbortSignal, subtitles?: number): Promise<FfprobeAnswer> => {
    const forced = optionsFor(file)
    const selection =
      subtitles === undefined
        ? ['-show_format', '-show_streams']
        : [
            ...['-select_streams', String(subtitles), '-show_packets', '-show_data'],
            ...['-show_entries', 'format=start_time:packet=pts_time,duration_time,data'],
          ]
    try {
      const args = [...probing.before, '-v', 'error', ...forced, ...selection, '-of', 'json', `file:${file.filename}`]
      const { stdout } = await execute(probing.program, args, {
        env: bareEnvironment(),
        timeout: subtitles === undefined ? avLimits.probeTimeoutMs : avLimits.subtitlesTimeoutMs,
        killSignal: 'SIGKILL',
        maxBuffer: subtitles === undefined ? PROBE_MAX_BYTES : SUBTITLES_MAX_BYTES,
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

  return { run, look, measure }
}
