import { fork } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { type FromProcess, MEMORY_SIGNAL, type ProcessSettings, type ToProcess } from './messages.ts'
import { TaskError, type TaskFailure } from './task-error.ts'
import type { ProcessLog } from './task-process.ts'

/** A process that was started, with at most one request under way. */
export interface ChildHandle {
  pid: number
  hasEnded(): boolean
  /** Resolves when its tasks can be asked for. @throws TaskError; the reason of the signal when it was aborted. */
  ready(timeoutMs: number, signal: AbortSignal | undefined): Promise<void>
  request(
    task: string,
    input: unknown,
    onPart: ((part: unknown) => void) | undefined,
  ): {
    result: Promise<unknown>
    cancel(): void
  }
  /** Whether nothing is under way. */
  isDone(): boolean
  /** What it holds of the machine's memory; 0 where it cannot be known. */
  residentMb(): Promise<number>
  /** Lets this program end although the process is there. */
  rest(): void
  wake(): void
  /** Kills it; resolves when it is gone. What is under way rejects with this reason. */
  kill(reason?: TaskFailure): Promise<void>
}

interface Pending {
  id: number
  resolve(result: unknown): void
  reject(error: TaskError): void
  onPart: ((part: unknown) => void) | undefined
}

/** Nothing secret is in these; everything else stays here. */
const inheritedVariables = ['PATH', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'TEMP', 'TMP', 'LD_LIBRARY_PATH', 'SystemRoot']
/** How much of what it says at last is kept. */
const KEPT_CHARACTERS = 1_000

/** Starts a module as a process whose messages are structured clones. */
export function startChild(options: {
  module: URL
  name: string
  memoryLimitMb: number
  heapLimitMb: number
  niceness: number
  environment: Record<string, string> | undefined
  warn: ProcessLog | undefined
}): ChildHandle {
  const { module, name, memoryLimitMb, heapLimitMb, niceness, environment, warn } = options
  const settings: ProcessSettings = { memoryLimitMb, niceness }
  const child = fork(fileURLToPath(module), [JSON.stringify(settings)], {
    env: { ...pick(process.env, inheritedVariables), ...environment },
    execArgv: [`--max-old-space-size=${Math.floor(heapLimitMb)}`],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  let said = ''
  let saidMemory = false
  let lastId = 0
  let pending: Pending | undefined
  let killedFor: TaskFailure | undefined
  let hasEnded = false
  const started = Promise.withResolvers<void>()
  const gone = Promise.withResolvers<void>()
  // whoever waits for it looks at it; nobody may
  started.promise.catch(() => {})

  const end = (error: TaskError) => {
    if (hasEnded) return
    hasEnded = true
    started.reject(error)
    const interrupted = pending
    pending = undefined
    interrupted?.reject(error)
    if (killedFor === undefined)
      warn?.({ process: name, reason: error.reason, said }, 'A process ended before its time')
    gone.resolve()
  }
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text
    // before the rest of it is cut away: a long trace of the stack follows
    saidMemory ||= /out of memory/i.test(said)
    said = said.slice(-KEPT_CHARACTERS)
  })
  child.on('error', (error) => {
    // also when a message could not be sent, to a process that is just dying
    if (child.pid === undefined) end(new TaskError('unstartable', `${name} cannot start: ${error.message}`))
  })
  // not `exit`: what it said last arrives after that
  child.on('close', (code, signal) => {
    // the engine of JavaScript says so itself, the process' own guard by a signal
    const reason = killedFor ?? (saidMemory || signal === MEMORY_SIGNAL ? 'memory' : 'crashed')
    end(new TaskError(reason, `${name} ended (${reason}, ${signal ?? code}).`))
  })
  child.on('message', (message: FromProcess) => {
    if (message.kind === 'ready') {
      started.resolve()
      return
    }
    if (pending === undefined || pending.id !== message.id) return
    if (message.kind === 'part') {
      pending.onPart?.(message.part)
      return
    }
    const { resolve, reject } = pending
    pending = undefined
    if (message.kind === 'done') resolve(message.result)
    else reject(new TaskError('failed', message.message, message.code))
  })
  const send = (message: ToProcess) => child.send(message, () => {})

  const wake = () => {
    child.ref()
    child.channel?.ref()
  }
  const kill = async (reason: TaskFailure = 'crashed') => {
    if (hasEnded) return
    killedFor ??= reason
    wake()
    child.kill('SIGKILL')
    await gone.promise
  }

  return {
    pid: child.pid ?? 0,
    hasEnded: () => hasEnded,
    ready: async (timeoutMs, signal) => {
      const limit = Promise.withResolvers<never>()
      const timer = setTimeout(
        () => limit.reject(new TaskError('unstartable', `${name} did not start within ${timeoutMs} ms.`)),
        timeoutMs,
      )
      const onAbort = () => limit.reject(signal?.reason)
      signal?.addEventListener('abort', onAbort)
      try {
        await Promise.race([started.promise, limit.promise])
      } catch (error) {
        await kill('unstartable')
        const hasDied = error instanceof TaskError && error.reason === 'crashed'
        throw hasDied ? new TaskError('unstartable', `${name} ended while it started: ${said}`) : error
      } finally {
        clearTimeout(timer)
        signal?.removeEventListener('abort', onAbort)
      }
    },
    request: (task, input, onPart) => {
      const id = ++lastId
      const { promise, resolve, reject } = Promise.withResolvers<unknown>()
      pending = { id, resolve, reject, onPart }
      send({ kind: 'run', id, task, input })
      return { result: promise, cancel: () => send({ kind: 'cancel', id }) }
    },
    isDone: () => pending === undefined,
    residentMb: () => residentMb(child.pid),
    rest: () => {
      child.unref()
      child.channel?.unref()
      unrefStream(child.stderr)
    },
    wake,
    kill,
  }
}

function pick(environment: NodeJS.ProcessEnv, names: string[]): NodeJS.ProcessEnv {
  return Object.fromEntries(
    names.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]])),
  )
}

function unrefStream(stream: unknown): void {
  if (stream !== null && typeof stream === 'object' && 'unref' in stream && typeof stream.unref === 'function') {
    stream.unref()
  }
}

async function residentMb(pid: number | undefined): Promise<number> {
  if (process.platform !== 'linux' || pid === undefined) return 0
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024
}
