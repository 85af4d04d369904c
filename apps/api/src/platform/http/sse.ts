import { Readable } from 'node:stream'
import { encodeSse } from '@mira/shared'
import type { FastifyReply } from 'fastify'
import { forCallerIn } from '../messages/audience.ts'

export interface SseOptions {
  /** For forwarded streams, which may have another type. */
  contentType?: string
  /** Silence after which a comment keeps the connection open, in milliseconds; null for none. */
  pingIntervalMs?: number | null
  /** A client that reads nothing for this long while data waits is disconnected; it can resume. */
  stallTimeoutMs?: number
}

/** Without an empty line, which some parsers take for the end of an event. */
const PING = ': ping\n'
/** Buffer limit for a slow client. */
const BUFFER_BYTES = 64 * 1024

/**
 * Responds with a stream of server-sent events. `open` yields encoded text, or bytes to forward, until `closed` is aborted
 * because the client disconnected.
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
  // Fastify only listens after its hooks
  stream.on('error', () => {})
  reply.raw.once('close', () => {
    closed.abort()
    stream.destroy()
  })

  // the client may have disconnected during authentication, before the listener above was added
  stream.once('close', () => closed.abort())
  if (reply.raw.destroyed) stream.destroy()

  const sendPing = () => {
    if (stream.readableLength === 0) stream.push(PING)
  }
  const ping = pingIntervalMs === null ? undefined : setInterval(sendPing, pingIntervalMs)

  /** Resolves to true when the client emptied the buffer in time. */
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
      // before the first byte it's handled like any other error
      if (!reply.raw.headersSent && !stream.destroyed) return stream.destroy(error as Error)
      reply.log.warn({ err: error }, 'a stream of events ended with an error')
      // a broken connection makes the client resume; a regular end would look like the complete stream
      stream.destroy()
    })
    .finally(() => clearInterval(ping))

  return reply
    .headers({
      'content-type': contentType,
      'cache-control': 'no-store, no-transform',
      // keeps nginx from buffering events
      'x-accel-buffering': 'no',
    })
    .send(stream)
}

/** Encodes an event, worded for the caller; a client can resume after its id. */
export function sseEvent(data: unknown, id?: number): string {
  return encodeSse({ ...(id === undefined ? {} : { id }), data: JSON.stringify(forCallerIn(data)) })
}
