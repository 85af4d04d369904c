import type { FastifyInstance } from 'fastify'

/** Aborts streamed responses, such as events and downloads, when the reader has signed out or lost access. */
export function endWithAccess(app: FastifyInstance, { intervalMs = 10_000 } = {}): void {
  app.addHook('onSend', async ({ isStillAllowed, log }, { raw }, payload) => {
    const isSentAtOnce = typeof payload !== 'object' || payload === null || payload instanceof Uint8Array
    if (isStillAllowed === undefined || isSentAtOnce || raw.destroyed) return payload
    const recheck = setInterval(() => {
      isStillAllowed().then(
        (isAllowed) => {
          if (!isAllowed) raw.destroy()
        },
        // the database is unavailable: check again next time
        (error: unknown) => log.debug({ err: error }, 'access to a streamed response could not be checked'),
      )
    }, intervalMs)
    raw.once('close', () => clearInterval(recheck))
    return payload
  })
}
