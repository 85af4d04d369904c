import type { Readable, Writable } from 'node:stream'
import { deserialize, serialize } from 'node:v8'
import type { SerializedError } from '../../errors.ts'

const LENGTH_BYTES = 4

/** Writes a message as its length and a structured clone. @param onSent called after it was sent or has failed. */
export function writeMessage(stream: Writable, message: unknown, onSent?: (error?: Error | null) => void): void {
  if (stream.destroyed) {
    onSent?.(new Error('The connection is closed.'))
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
 * Reads messages. A message that's unreadable, or makes `onMessage` throw, ends the stream with an error.
 * @param maxBytes limit of one message; a longer one ends the stream, too, before it's buffered.
 */
export function readMessages(stream: Readable, maxBytes: number, onMessage: (message: unknown) => void): void {
  let pieces: Buffer[] = []
  let receivedBytes = 0
  const messageLength = () => {
    if (receivedBytes < LENGTH_BYTES) return Number.POSITIVE_INFINITY
    if ((pieces[0]?.length ?? 0) < LENGTH_BYTES) pieces = [Buffer.concat(pieces)]
    return LENGTH_BYTES + (pieces[0] as Buffer).readUInt32BE()
  }
  stream.on('data', (piece: Buffer) => {
    pieces.push(piece)
    receivedBytes += piece.length
    for (let length = messageLength(); ; length = messageLength()) {
      if (length !== Number.POSITIVE_INFINITY && length > maxBytes) {
        stream.destroy(new Error('A message is too long.'))
        return
      }
      if (receivedBytes < length) return
      const all = Buffer.concat(pieces)
      pieces = all.length > length ? [all.subarray(length)] : []
      receivedBytes -= length
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
  /** Aborted when nobody waits for the task any more; soon afterwards the process is killed. */
  signal: AbortSignal
  /** Sends a part of the result, or progress; resolves when it was sent. */
  emit(part: Part): Promise<void>
}

/** The tasks of a process by name; inputs, parts and results must be structured-cloneable. */
export type TaskList = Record<string, (input: never, context: TaskContext<never>) => unknown>

/** Limits that a process enforces itself. */
export interface ProcessSettings {
  memoryLimitMb: number
  niceness: number
}

/** The only argument of a process, as JSON. */
export interface ProcessArgument extends ProcessSettings {
  /** Folder for results, which the process empties before each task; the server deletes nothing in it meanwhile. */
  outputFolder: string
}

export type ToProcess = { kind: 'run'; id: number; task: string; input: unknown } | { kind: 'cancel'; id: number }

export type FromProcess =
  | { kind: 'ready' }
  | { kind: 'part'; id: number; part: unknown }
  | { kind: 'done'; id: number; result: unknown; residentBytes: number }
  /** The task threw an error for the user. */
  | { kind: 'refused'; id: number; refusal: SerializedError; residentBytes: number }
  | { kind: 'failed'; id: number; message: string; code: string | undefined; residentBytes: number }

/** File descriptor of the message pipe in the process. */
export const CHANNEL_FD = 3

const kinds: readonly unknown[] = ['ready', 'part', 'done', 'refused', 'failed'] satisfies FromProcess['kind'][]

/** @throws Error for anything but a message: the process may be compromised. */
export function requireMessage(value: unknown): FromProcess {
  const { kind, id } = Object(value) as { kind?: unknown; id?: unknown }
  if (kinds.includes(kind) && (kind === 'ready' || Number.isSafeInteger(id))) return value as FromProcess
  throw new Error('This is not a message.')
}

/** Signal with which a process that uses too much memory ends itself; it works even if no code runs any more. */
export const MEMORY_SIGNAL = 'SIGUSR2'
