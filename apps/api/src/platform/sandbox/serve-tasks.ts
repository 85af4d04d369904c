import { readdir, rm } from 'node:fs/promises'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { AppError, serializeError } from '../../errors.ts'
import { lowerPriority } from '../lib/lower-priority.ts'
import { asStorageError } from '../storage/whole-file.ts'
import type { GuardTask } from './guard.ts'
import {
  CHANNEL_FD,
  type FromProcess,
  type ProcessArgument,
  readMessages,
  type TaskContext,
  type TaskList,
  type ToProcess,
  writeMessage,
} from './process-protocol.ts'

/** Entry point of a task process: runs the tasks that it receives, until its parent exits. */
export function serveTasks(tasks: TaskList): void {
  const settings = JSON.parse(process.argv[2] ?? '') as ProcessArgument
  lowerPriority(settings.niceness)
  const guardTask: GuardTask = { parentPid: process.ppid, memoryLimitMb: settings.memoryLimitMb }
  new Worker(new URL('./guard.ts', import.meta.url), { execArgv: [], workerData: guardTask }).unref()
  const channel = new Socket({ fd: CHANNEL_FD })
  channel.on('error', () => {}).on('close', () => process.exit())
  const send = (message: FromProcess) =>
    new Promise<void>((resolve, reject) => {
      writeMessage(channel, message, (error) => (error ? reject(error) : resolve()))
    })
  // Ctrl+C interrupts every process of a terminal, but the server ends its processes itself, in order
  process.on('SIGINT', () => {})

  const running = new Map<number, AbortController>()
  readMessages(channel, Number.POSITIVE_INFINITY, (received) => {
    const message = received as ToProcess
    if (message.kind === 'cancel') {
      running.get(message.id)?.abort()
      return
    }
    const { id, task, input } = message
    const canceller = new AbortController()
    running.set(id, canceller)
    const emit = (part: unknown) => send({ kind: 'part', id, part })
    void emptyFolder(settings.outputFolder)
      .then(() => perform(tasks[task], input, { signal: canceller.signal, emit }))
      .then(
        (result): FromProcess => ({ kind: 'done', id, result, residentBytes: process.memoryUsage.rss() }),
        (error: unknown): FromProcess => ({
          id,
          ...describe(asStorageError(error)),
          residentBytes: process.memoryUsage.rss(),
        }),
      )
      .then(send)
      .finally(() => running.delete(id))
  })
  void send({ kind: 'ready' })
}

/** Removes the previous task's files. */
async function emptyFolder(folder: string): Promise<void> {
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true })
}

async function perform(task: TaskList[string] | undefined, input: unknown, context: TaskContext<never>) {
  if (task === undefined) throw new Error('This task does not exist.')
  return task(input as never, context)
}

/** Describes an error; libraries also throw strings. */
function describe(error: unknown) {
  if (error instanceof AppError) return { kind: 'refused', refusal: serializeError(error) } as const
  if (!(error instanceof Error)) return { kind: 'failed', message: String(error), code: undefined } as const
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  return { kind: 'failed', message: error.message, code } as const
}
