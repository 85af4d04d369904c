/** Paths of the installed programs. */
export interface FfmpegPrograms {
  ffmpeg: string
  ffprobe: string
  /** Starts the others so that they're killed together with this process; not installed everywhere. */
  setpriv?: string
  /** True if ffmpeg can convert HDR videos to standard colours. */
  hasToneMapping?: boolean
  /** ffmpeg's version string: 5.1.9, N-109542, … */
  version: string
}

/** Environment for programs that read untrusted files: no secrets and no addresses of services. */
export function minimalEnvironment(): NodeJS.ProcessEnv {
  const keptVariables = ['PATH', 'SystemRoot', 'TEMP', 'TMP', 'LD_LIBRARY_PATH']
  return Object.fromEntries(
    keptVariables.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  )
}

/**
 * Command line of a program that is killed when this process ends in any way. Without setpriv the program continues
 * until its work is done.
 */
export function withDeathSignal(program: string, setpriv: string | undefined): { program: string; before: string[] } {
  if (setpriv === undefined) return { program, before: [] }
  return { program: setpriv, before: ['--pdeathsig', 'KILL', '--', program] }
}
