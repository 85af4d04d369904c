import type { FastifyReply } from 'fastify'

/** Aborted when the caller goes away before the answer. */
export function abortWhenCallerLeaves(reply: FastifyReply): AbortSignal {
  const controller = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort(new DOMException('The caller went away.', 'AbortError'))
  })
  return controller.signal
}
