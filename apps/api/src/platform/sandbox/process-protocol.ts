import type { Readable, Writable } from 'node:stream'
import { deserialize, serialize } from 'node:v8'
import type { SerializedError } from '../../errors.ts'

const LENGTH_BYTES = 4

/** Writes a message as its length and a structured clone. @param onSent is called once it has left, or cannot. */
export function writeMessage(stream: Writable, message: unknown, onSent?: (error?: Error | null) => void): void {
  if (stream.destroyed) {
    onSent?.(new Error('The other side is gone.'))
    return
  }
  const body = serialize(message)
  const head = Buffer.alloc(LENGTH_BYTES)
  head.writeUInt32BE(body.length)
  stream.cork()
  stream.write(head)
  stream.write(body, onSent)
  stream.uncork()
}

/**
 * Hands over each message that arrives. One that cannot be read, or that `onMessage` throws at, ends the stream with an error.
 * @param maxBytes of one message; a longer one ends the stream, too, before it is held.
 */
export function readMessages(stream: Readable, maxBytes: number, onMessage: (message: unknown) => void): void {
  let pieces: Buffer[] = []
  let arrived = 0
  const messageLength = () => {
    if (arrived < LENGTH_BYTES) return Number.POSITIVE_INFINITY
    if ((pieces[0]?.length ?? 0) < LENGTH_BYTES) pieces = [Buffer.concat(pieces)]
    return LENGTH_BYTES + (pieces[0] as Buffer).readUInt32BE()
  }
  stream.on('data', (piece: Buffer) => {
    pieces.push(piece)
    arrived += piece.length
    for (let length = messageLength(); ; length = messageLength()) {
      if (length !== Number.POSITIVE_INFINITY && length > maxBytes) {
        stream.destroy(new Error('A message is too long.'))
        return
      }
      if (arrived < length) return
      const all = Buffer.concat(pieces)
      pieces = all.length > length ? [all.subarray(length)] : []
      arrived -= length
      try {
        onMessage(deserialize(all.subarray(LENGTH_BYTES, length)))
      } catch (error) {
        stream.destroy(new Error('A message cannot be read.', { cause: error }))
        return
      }
    }
  })
}

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
  | { kind: 'refused'; id: number; refusal: SerializedError; residentBytes: number }
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
