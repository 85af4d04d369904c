import { fork } from 'node:child_process'
import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseGoneError, endReasonOf } from './availability.ts'

const program = new URL('./pglite-worker.mjs', import.meta.url)

/** Prefix of a database folder until it's complete. */
const TEMPORARY_PREFIX = 'database-making-'

/**
 * Creates a new database in a child process, because a thread would never release all of the 400 MB that this takes. It's
 * created in a temporary folder and then renamed, so that an incomplete one is never opened. Tests copy a ready database instead.
 */
export async function makeDatabase(directory: string, isDurable: boolean): Promise<void> {
  const parent = join(directory, '..')
  for (const name of readdirSync(parent)) {
    // the child process of a killed start may still write there for some seconds
    if (name.startsWith(TEMPORARY_PREFIX))
      rmSync(join(parent, name), { recursive: true, maxRetries: 20, retryDelay: 100 })
  }
  const temporaryFolder = join(parent, `${TEMPORARY_PREFIX}${process.pid}`)
  mkdirSync(temporaryFolder, { mode: 0o700 })
  try {
    await new Promise<void>((resolve, reject) => {
      let reason = 'the child process ended'
      // the process is so short that optimising the database's code would take as long as running it
      const flags = { execArgv: ['--liftoff-only'] }
      const child = fork(program, [JSON.stringify({ directory: temporaryFolder, isDurable })], flags)
      child.on('message', (problem) => {
        reason = endReasonOf(problem)
      })
      child.on('error', reject)
      child.on('exit', (code) => (code === 0 ? resolve() : reject(new DatabaseGoneError(reason))))
    })
    rmSync(directory, { recursive: true })
    renameSync(temporaryFolder, directory)
    const folder = openSync(parent, 'r')
    fsyncSync(folder)
    closeSync(folder)
  } finally {
    rmSync(temporaryFolder, { recursive: true, force: true })
  }
}
