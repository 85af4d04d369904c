import { fork } from 'node:child_process'
import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseGoneError, reasonOf } from './availability.ts'

const program = new URL('./pglite-worker.mjs', import.meta.url)

/** Prefix of a database folder until it's complete. */
const MAKING = 'database-making-'

/**
 * Makes a new database in a process of its own: what making one leaves in memory (some 400 MB) is never given back whole by
 * a thread. It is made beside its place and moved there, so that one half made is never opened. Tests copy one instead.
 */
export async function makeDatabase(directory: string, isDurable: boolean): Promise<void> {
  const beside = join(directory, '..')
  for (const name of readdirSync(beside)) {
    // the process of a start that was killed may still write there for some seconds
    if (name.startsWith(MAKING)) rmSync(join(beside, name), { recursive: true, maxRetries: 20, retryDelay: 100 })
  }
  const making = join(beside, `${MAKING}${process.pid}`)
  mkdirSync(making, { mode: 0o700 })
  try {
    await new Promise<void>((resolve, reject) => {
      let reason = 'the process that makes it ended'
      // it ends soon: faster code of the database would take as long to make as what is done with it
      const flags = { execArgv: ['--liftoff-only'] }
      const child = fork(program, [JSON.stringify({ directory: making, isDurable })], flags)
      child.on('message', (problem) => {
        reason = reasonOf(problem)
      })
      child.on('error', reject)
      child.on('exit', (code) => (code === 0 ? resolve() : reject(new DatabaseGoneError(reason))))
    })
    rmSync(directory, { recursive: true })
    renameSync(making, directory)
    const folder = openSync(beside, 'r')
    fsyncSync(folder)
    closeSync(folder)
  } finally {
    rmSync(making, { recursive: true, force: true })
  }
}
