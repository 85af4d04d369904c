import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { ConflictError, NotFoundError } from '../../../errors.ts'
import type { PartialUploadsStore } from './partial-uploads.store.ts'

/** A holder that has died lets go after this long. */
const LEASE_SECONDS = 20
const RENEW_MS = 5_000
const TRY_EVERY_MS = 100
/** Longest wait of a second request for the first one, which is asked to stop. */
const WAIT_MS = 4_000

/** Lets one request at a time work on an upload; a lock of tus has the same form. */
export interface PartialUploadLocks {
  /** @param path `<user>/<upload>`. */
  newLock(path: string): {
    lock(signal: AbortSignal, release: () => void | Promise<void>): Promise<void>
    unlock(): Promise<void>
  }
  /** Does work that nobody else asks to stop. */
  hold<Result>(path: string, work: () => Promise<Result>): Promise<Result>
}

/**
 * Locks that hold for every server on the same database: a row says who has it and until when. A request that takes over
 * from one of the same server ends it (its connection has mostly died); one of another server is waited for.
 */
export function createPartialUploadLocks(store: PartialUploadsStore): PartialUploadLocks {
  const releases = new Map<string, () => void | Promise<void>>()

  const newLock = (path: string) => {
    const [userId = '', id = ''] = path.split('/')
    const token = randomUUID()
    let renewing: ReturnType<typeof setInterval> | undefined
    return {
      async lock(signal: AbortSignal, release: () => void | Promise<void>) {
        const until = performance.now() + WAIT_MS
        while (true) {
          const outcome = await store.lock(userId, id, token, LEASE_SECONDS)
          if (outcome === 'taken') break
          if (outcome === 'gone') throw new NotFoundError('This upload is not there any more.')
          await releases.get(path)?.()
          if (signal.aborted || performance.now() > until) {
            throw new ConflictError('This upload is going on elsewhere right now.', { code: 'upload_busy' })
          }
          await sleep(TRY_EVERY_MS)
        }
        releases.set(path, release)
        // one that fails is made up for by the next; a database that is away ends the request by itself
        renewing = setInterval(
          () => void store.lock(userId, id, token, LEASE_SECONDS).catch(() => {}),
          RENEW_MS,
        ).unref()
      },
      async unlock() {
        clearInterval(renewing)
        releases.delete(path)
        await store.unlock(userId, id, token)
      },
    }
  }

  return {
    newLock,
    async hold(path, work) {
      const lock = newLock(path)
      await lock.lock(AbortSignal.timeout(WAIT_MS), () => {})
      try {
        return await work()
      } finally {
        await lock.unlock()
      }
    },
  }
}
