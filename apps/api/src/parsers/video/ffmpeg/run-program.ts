import type { ChildProcess } from 'node:child_process'
import type { FfmpegCommand } from 'fluent-ffmpeg'
import { UnavailableError } from '../../../errors.ts'
import { say } from '../../../sentences.ts'

/** Environment for programs that read untrusted files: no keys and no addresses. */
export function bareEnvironment(): NodeJS.ProcessEnv {
  const keptVariables = ['PATH', 'SystemRoot', 'TEMP', 'TMP', 'LD_LIBRARY_PATH']
  return Object.fromEntries(
    keptVariables.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  )
}

type Spawn = (
  args: string[],
  options: Record<string, unknown>,
  onProcess: (child: ChildProcess) => void,
  onEnd: (error: unknown) => void,
) => void

/**
 * Command line of a program that is killed when this process ends in any way. Without setpriv the program continues
 * until its work is done.
 */
export function dyingWithUs(program: string, setpriv: string | undefined): { program: string; before: string[] } {
  if (setpriv === undefined) return { program, before: [] }
  return { program: setpriv, before: ['--pdeathsig', 'KILL', '--', program] }
}

/**
 * Runs each process of a command with an empty environment, which the library has no option for.
 * @param before arguments before the process's own.
 */
export function withoutSecrets(command: FfmpegCommand, before: string[] = []): void {
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

export function unavailable(cause: unknown): UnavailableError {
  return new UnavailableError(say('film_reader_missing', {}), { code: 'no_av', cause })
}
