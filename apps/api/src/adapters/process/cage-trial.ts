import { once } from 'node:events'
import { rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import type { Cage, Reached } from './cage.ts'
import type { TrialTasks } from './cage-trial-process.ts'
import { startChild } from './child.ts'
import { openDesk } from './lent-folders.ts'

/** What came of trying a cage; `failure` says why no work can be done in it. */
export type CageTrial = { reached: Reached; failure: null } | { reached: Reached; failure: string }

const TIMEOUT_MS = 20_000
const MEMORY_LIMIT_MB = 300
const nothing: Reached = { network: false, secrets: false, files: false }

/** Starts a process in a cage that tries to get out, and tells what it could reach; never rejects. */
export async function tryCage(cage: Cage, dataDir: string): Promise<CageTrial> {
  const door = createServer((socket) => socket.destroy())
  const desk = await openDesk(cage.directory)
  // a name that nothing else has, beside the secrets and people's files
  const canary = join(dataDir, `cage-trial-${process.pid}-${Date.now()}`)
  try {
    await once(door.listen(0, '127.0.0.1'), 'listening')
    await writeFile(canary, 'to be found by nobody', { mode: 0o600 })
    const lent = await desk.lend(canary)
    const child = startChild({
      cage,
      name: 'trial of the cage',
      what: {
        module: new URL('./cage-trial-process.ts', import.meta.url),
        settings: { memoryLimitMb: MEMORY_LIMIT_MB, niceness: 0 },
        heapLimitMb: MEMORY_LIMIT_MB / 2,
        environment: {},
        reads: [],
        desk,
      },
      warn: undefined,
    })
    try {
      await child.ready(TIMEOUT_MS, AbortSignal.timeout(TIMEOUT_MS))
      const input: Parameters<TrialTasks['escape']>[0] = {
        port: (door.address() as AddressInfo).port,
        dataDir,
        canary,
        lent,
        made: desk.made,
      }
      const { result } = child.request('escape', input, undefined)
      const told = (await Promise.race([result, late()])) as Awaited<ReturnType<TrialTasks['escape']>>
      return { reached: told.reached, failure: told.failure }
    } finally {
      await child.kill()
    }
  } catch (error) {
    return { reached: nothing, failure: error instanceof Error ? error.message : String(error) }
  } finally {
    door.close()
    await rm(canary, { force: true })
    await desk.remove()
  }
}

async function late(): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  setTimeout(() => reject(new Error('The trial took too long.')), TIMEOUT_MS).unref()
  return promise
}
