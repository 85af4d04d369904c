import type { Readable, Writable } from 'node:stream'
import { deserialize, serialize } from 'node:v8'

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
