import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { UnavailableError } from '../../errors.ts'
import { findProgram, programSearchPath } from '../../platform/lib/find-program.ts'
import type { Caging } from '../../platform/sandbox/caging.ts'
import type { ProcessLog } from '../../platform/sandbox/process-protocol.ts'
import { asReason, say } from '../../sentences.ts'
import type { Av } from './av.ts'
import { createAvProcesses } from './av-processes.ts'
import type { FfmpegPrograms } from './ffmpeg/ffmpeg-runner.ts'
import { bareEnvironment, dyingWithUs } from './ffmpeg/run-program.ts'

const MIN_MAJOR = 5
const CHECK_TIMEOUT_MS = 10_000
/** Encoders that playback copies require. */
const neededEncoders = ['libx264', 'aac', 'libmp3lame', 'mjpeg']
/** Without these the colours of HDR films stay pale. */
const neededForTones = ['zscale', 'tonemap']

export interface AvOptions {
  caging: Caging
  /** Folders in which ffmpeg is looked for, as PATH has them. */
  searchPath?: string
  warn?: ProcessLog
}

const execute = promisify(execFile)

/**
 * The machine's ffmpeg if it's good enough, else node-av, else one that throws the reason. Detected at first use, so that
 * startup doesn't wait.
 */
export function createAv({ caging, searchPath = programSearchPath(), warn }: AvOptions): Av {
  let choice: Promise<Av> | undefined
  let current: Av | undefined
  const choose = async () => {
    const programs = await findFfmpeg(searchPath)
    const version = programs ? undefined : findNodeAv()
    if (programs) current = createFfmpegProcesses({ caging, programs, warn })
    else current = version === undefined ? createNoAv() : createNodeAvProcesses({ caging, version, warn })
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
type ProcessTools = Pick<AvOptions, 'caging'> & { warn?: ProcessLog | undefined }

/** The ffmpeg of this machine in processes of their own. */
export function createFfmpegProcesses({ programs, ...tools }: ProcessTools & { programs: FfmpegPrograms }): Av {
  return createAvProcesses({
    ...tools,
    module: new URL('./ffmpeg/ffmpeg-child.ts', import.meta.url),
    engine: 'ffmpeg',
    version: programs.version,
    environment: { FFMPEG_PROGRAMS: JSON.stringify(programs) },
    reads: [programs.ffmpeg, programs.ffprobe],
    // its own limits end the analysis; a poor result is analysed a second time
    patience: 3,
  })
}

/** node-av in processes of their own. */
export function createNodeAvProcesses({ version, ...tools }: ProcessTools & { version: string }): Av {
  return createAvProcesses({
    ...tools,
    module: new URL('./node-av/node-av-child.ts', import.meta.url),
    engine: 'node-av',
    version,
    environment: { NODE_AV_VERSION: version },
  })
}

/**
 * ffmpeg and ffprobe of a search path, of the same recent version and with the encoders of playback copies.
 * @param searchPath folders in the format of PATH.
 */
export async function findFfmpeg(searchPath: string): Promise<FfmpegPrograms | undefined> {
  const [ffmpeg, ffprobe] = await Promise.all(['ffmpeg', 'ffprobe'].map((name) => findProgram(name, searchPath)))
  if (ffmpeg === undefined || ffprobe === undefined) return undefined
  const [versionText, encoders, filters, probe] = await Promise.all([
    ask(ffmpeg, '-version'),
    ask(ffmpeg, '-hide_banner', '-encoders'),
    ask(ffmpeg, '-hide_banner', '-filters'),
    ask(ffprobe, '-version'),
  ])
  const version = /^ffmpeg version (\S+)/.exec(versionText)?.[1]
  if (version === undefined || !probe.startsWith('ffprobe version') || !isRecent(version)) return undefined
  if (!neededEncoders.every((name) => encoders.includes(` ${name} `))) return undefined
  const hasToneMapping = neededForTones.every((name) => filters.includes(` ${name} `))
  const setpriv = await findSetpriv(searchPath, ffmpeg)
  return { ffmpeg, ffprobe, version, hasToneMapping, ...(setpriv === undefined ? {} : { setpriv }) }
}

/** The program that has others die with this process, when it can: not every version has the option. */
async function findSetpriv(searchPath: string, ffmpeg: string): Promise<string | undefined> {
  const setpriv = process.platform === 'linux' ? await findProgram('setpriv', searchPath) : undefined
  if (setpriv === undefined) return undefined
  const { program, before } = dyingWithUs(ffmpeg, setpriv)
  return (await ask(program, ...before, '-version')).startsWith('ffmpeg version') ? setpriv : undefined
}

/** Version of node-av; undefined when it has nothing for this machine. */
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

/** Nightly builds have numbers far above those of releases. */
function isRecent(version: string): boolean {
  const major = Number(/^n?(\d+)\./.exec(version)?.[1])
  return major >= MIN_MAJOR || /^(N-|git-|20\d\d)/.test(version)
}

async function ask(program: string, ...question: string[]): Promise<string> {
  try {
    const { stdout } = await execute(program, question, {
      env: bareEnvironment(),
      timeout: CHECK_TIMEOUT_MS,
      killSignal: 'SIGKILL',
      maxBuffer: 4_000_000,
    })
    return stdout
  } catch {
    // what cannot be started is not there
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
