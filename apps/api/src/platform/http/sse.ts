import { Readable } from 'node:stream'
import { encodeSse } from '@mira/shared'
import type { FastifyReply } from 'fastify'
import { forCallerIn } from '../messages/audience.ts'

export interface SseOptions {
  /** Content type; a forwarded stream may have another one. */
  contentType?: string
  /** Silence after which a comment keeps the connection open, in milliseconds; null for none. */
  pingIntervalMs?: number | null
  /** A reader that takes nothing for this long while more waits is dropped; it can resume. */
  stallTimeoutMs?: number
}

/** Without an empty line: some parsers take that for the end of an event. */
const PING = ': ping\n'
/** Buffer limit for a slow reader. */
const BUFFER_BYTES = 64 * 1024

/**
 * Answers with a stream of server-sent events: `open` gives their text, already encoded, or bytes that are passed on, until `closed` is aborted
 * because the client went away.
 */
export function sendSse(
  reply: FastifyReply,
  open: (closed: AbortSignal) => AsyncIterable<string | Uint8Array>,
  {
    contentType = 'text/event-stream; charset=utf-8',
    pingIntervalMs = 15_000,
    stallTimeoutMs = 30_000,
  }: SseOptions = {},
): FastifyReply {
  const closed = new AbortController()
  let wake = () => {}
  const stream = new Readable({ highWaterMark: BUFFER_BYTES, read: () => wake() })
  // Fastify listens only after its hooks.
  stream.on('error', () => {})
  reply.raw.once('close', () => {
    closed.abort()
    stream.destroy()
  })

  // the client may have gone while it was let in: then the event above has been
  stream.once('close', () => closed.abort())
  if (reply.raw.destroyed) stream.destroy()

  const sendPing = () => {
    if (stream.readableLength === 0) stream.push(PING)
  }
  const ping = pingIntervalMs === null ? undefined : setInterval(sendPing, pingIntervalMs)

  /** True when the reader emptied the buffer in time. */
  const drained = () =>
    new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(false), stallTimeoutMs)
      wake = () => {
        clearTimeout(timer)
        resolve(true)
      }
    })

  const pump = async () => {
    for await (const text of open(closed.signal)) {
      if (closed.signal.aborted) return
      ping?.refresh()
      if (!stream.push(text) && !(await drained())) {
        stream.destroy()
        return
      }
    }
    stream.push(null)
  }
  pump()
    .catch((error: unknown) => {
      // Answered like any other error before the first byte.
      if (!reply.raw.headersSent && !stream.destroyed) return stream.destroy(error as Error)
      reply.log.warn({ err: error }, 'a stream of events ended with an error')
      // The client sees a broken connection and resumes; an end would tell it that this is all.
      stream.destroy()
    })
    .finally(() => clearInterval(ping))

  return reply
    .headers({
      'content-type': contentType,
      'cache-control': 'no-store, no-transform',
      // nginx would hold events back
      'x-accel-buffering': 'no',
    })
    .send(stream)
}

/** One event as it goes over the wire, worded for the caller; the id is where a reader can resume. */
export function sseEvent(data: unknown, id?: number): string {
  return encodeSse({ ...(id === undefined ? {} : { id }), data: JSON.stringify(forCallerIn(data)) })
}
