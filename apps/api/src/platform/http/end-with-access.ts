import type { FastifyInstance } from 'fastify'

/** Ends what is still being sent, such as events or a download, when its reader has signed out or may no longer read it. */
export function endWithAccess(app: FastifyInstance, { intervalMs = 10_000 } = {}): void {
  app.addHook('onSend', async ({ isStillAllowed, log }, { raw }, payload) => {
    const isSentAtOnce = typeof payload !== 'object' || payload === null || payload instanceof Uint8Array
    if (isStillAllowed === undefined || isSentAtOnce || raw.destroyed) return payload
    const recheck = setInterval(() => {
      isStillAllowed().then(
        (isAllowed) => {
          if (!isAllowed) raw.destroy()
        },
        // the database is away: the next round asks again
        (error: unknown) => log.debug({ err: error }, 'the reader of an answer could not be checked'),
      )
    }, intervalMs)
    raw.once('close', () => clearInterval(recheck))
    return payload
  })
}
