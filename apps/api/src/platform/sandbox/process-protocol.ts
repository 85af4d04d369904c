import type { Refusal } from '../../errors.ts'

/** Log function for a process that ended early. */
export type ProcessLog = (fields: Record<string, unknown>, sentence: string) => void

/** Context of a task, in addition to its input. */
export interface TaskContext<Part = never> {
  /** Aborted when nobody waits for the task any more; a task that goes on is killed with its process soon. */
  signal: AbortSignal
  /** Hands over a part of the result, or progress; resolves when it was sent. */
  emit(part: Part): Promise<void>
}

/** The tasks of a process by name; inputs, parts and results are whatever structured clone can copy. */
export type TaskList = Record<string, (input: never, context: TaskContext<never>) => unknown>

/** Bounds that a process keeps by itself. */
export interface ProcessSettings {
  memoryLimitMb: number
  niceness: number
}

/** The only argument of a process, as JSON. */
export interface ProcessArgument extends ProcessSettings {
  /** Its folder for results, which it empties before each task: the server touches nothing in it while it is alive. */
  outputFolder: string
}

export type ToProcess = { kind: 'run'; id: number; task: string; input: unknown } | { kind: 'cancel'; id: number }

export type FromProcess =
  | { kind: 'ready' }
  | { kind: 'part'; id: number; part: unknown }
  | { kind: 'done'; id: number; result: unknown; residentBytes: number }
  /** The task threw an error that is meant for a person. */
  | { kind: 'refused'; id: number; refusal: Refusal; residentBytes: number }
  | { kind: 'failed'; id: number; message: string; code: string | undefined; residentBytes: number }

/** File descriptor of a process's end of the pipe for messages. */
export const CHANNEL_FD = 3

const kinds: readonly unknown[] = ['ready', 'part', 'done', 'refused', 'failed'] satisfies FromProcess['kind'][]

/** @throws Error for anything but a message: a file may have taken the process over. */
export function requireMessage(value: unknown): FromProcess {
  const { kind, id } = Object(value) as { kind?: unknown; id?: unknown }
  if (kinds.includes(kind) && (kind === 'ready' || Number.isSafeInteger(id))) return value as FromProcess
  throw new Error('This is no message.')
}

/** A process that became too large ends itself with this one: the kernel does it even when no code runs any more. */
export const MEMORY_SIGNAL = 'SIGUSR2'
