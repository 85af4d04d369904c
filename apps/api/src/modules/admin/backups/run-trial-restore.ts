import { fork } from 'node:child_process'
import { mkdir, rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

export interface TrialRestoreRequest {
  archive: string
  /** Working folder of the trial restore; removed afterwards. */
  folder: string
  passphrase: string | undefined
  migrationsDir: string
  /** Priority of the process: 0 is the server's own, 19 the lowest. */
  niceness: number
}

export interface TrialRestoreResult {
  /** Reason, shown to users, for an archive that can't be restored; null after a success. */
  problem: string | null
}

const entry = fileURLToPath(new URL('../../../prove-backup.ts', import.meta.url))
const MAX_MEMORY_MB = 1024

/**
 * Tries to restore an archive in a separate process.
 * @throws the signal's reason; Error when the process died.
 */
export async function tryRestoreInProcess(
  request: TrialRestoreRequest,
  signal: AbortSignal,
): Promise<TrialRestoreResult> {
  await rm(request.folder, { recursive: true, force: true })
  await mkdir(request.folder, { recursive: true, mode: 0o700 })
  const child = fork(entry, [], {
    env: { PATH: process.env.PATH ?? '', TZ: process.env.TZ ?? '' },
    execArgv: [`--max-old-space-size=${MAX_MEMORY_MB}`],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const kill = () => child.kill('SIGKILL')
  signal.addEventListener('abort', kill, { once: true })
  try {
    return await new Promise<TrialRestoreResult>((resolve, reject) => {
      child.once('message', (result) => resolve(result as TrialRestoreResult))
      child.once('error', reject)
      child.once('exit', (code, name) => reject(signal.reason ?? new Error(`the process ended with ${name ?? code}`)))
      child.send(request)
      if (signal.aborted) kill()
    })
  } finally {
    signal.removeEventListener('abort', kill)
    kill()
    await rm(request.folder, { recursive: true, force: true })
  }
}
