import type { FastifyReply } from 'fastify'

/** Aborted when the caller goes away before the answer. */
export function abortWhenCallerLeaves(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort(new DOMException('The caller went away.', 'AbortError'))
  })
  return gone.signal
}
