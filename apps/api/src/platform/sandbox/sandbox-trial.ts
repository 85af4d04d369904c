import { once } from 'node:events'
import { rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { type ChildHandle, startChild } from './child.ts'
import type { ReachableResources, Sandbox } from './sandbox.ts'
import type { Escape, Planted, TrialTasks } from './sandbox-trial-process.ts'
import { openTaskFolder, type TaskFolder } from './task-folder.ts'

/** Result of trying a sandbox; `failure` is the reason why processes can't work in it. */
type SandboxTrial = { reached: ReachableResources; failure: null } | { reached: ReachableResources; failure: string }

/** Generous, so that a busy machine doesn't appear to have no working sandbox. */
const TIMEOUT_MS = 60_000
const MEMORY_LIMIT_MB = 300
const nothingReached: ReachableResources = { network: false, secrets: false, files: false }

/**
 * Starts two processes in a sandbox, each with its own task folder. The second one tries to escape, and to reach the first one.
 * Returns what it reached; never rejects.
 */
export async function trySandbox(sandbox: Sandbox, dataDir: string): Promise<SandboxTrial> {
  const listener = createServer((socket) => socket.destroy())
  // a unique name, next to the secrets and users' files
  const canary = join(dataDir, `sandbox-trial-${process.pid}-${Date.now()}`)
  const opened: { child: ChildHandle; taskFolder: TaskFolder }[] = []
  const start = async () => {
    const taskFolder = await openTaskFolder(sandbox.directory, { isForeign: sandbox.kind === 'service' })
    const child = startTrial(sandbox, taskFolder)
    opened.push({ child, taskFolder })
    await child.ready(TIMEOUT_MS, AbortSignal.timeout(TIMEOUT_MS))
    return { child, taskFolder }
  }
  const runTask = async <Name extends keyof TrialTasks>(
    child: ChildHandle,
    task: Name,
    input: Parameters<TrialTasks[Name]>[0],
  ) => (await Promise.race([child.request(task, input, undefined).result, timeout()])) as ReturnType<TrialTasks[Name]>

  try {
    await once(listener.listen(0, '127.0.0.1'), 'listening')
    await writeFile(canary, 'to be found by nobody', { mode: 0o600 })
    const neighbour = await start()
    const planted: Planted = {
      inputFile: await neighbour.taskFolder.provide(canary),
      outputFolder: neighbour.taskFolder.outputFolder,
    }
    await runTask(neighbour.child, 'settle', planted)
    const { child, taskFolder } = await start()
    const input: Escape = {
      port: (listener.address() as AddressInfo).port,
      dataDir,
      canary,
      inputFile: await taskFolder.provide(canary),
      outputFolder: taskFolder.outputFolder,
      neighbour: planted,
      serviceSocket: sandbox.socket ?? null,
    }
    return (await runTask(child, 'escape', input)) as SandboxTrial
  } catch (error) {
    return { reached: nothingReached, failure: error instanceof Error ? error.message : String(error) }
  } finally {
    listener.close()
    await rm(canary, { force: true })
    for (const { child, taskFolder } of opened) {
      await child.kill()
      await taskFolder.remove()
    }
  }
}

function startTrial(sandbox: Sandbox, taskFolder: TaskFolder): ChildHandle {
  return startChild({
    sandbox,
    name: 'trial of the sandbox',
    toStart: {
      module: new URL('./sandbox-trial-process.ts', import.meta.url),
      settings: { memoryLimitMb: MEMORY_LIMIT_MB, niceness: 0 },
      heapLimitMb: MEMORY_LIMIT_MB / 2,
      environment: {},
      reads: [],
      taskFolder,
    },
    warn: undefined,
  })
}

async function timeout(): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  setTimeout(() => reject(new Error('The trial took too long.')), TIMEOUT_MS).unref()
  return promise
}
