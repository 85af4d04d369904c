import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { ConflictError, NotFoundError } from '../../../errors.ts'
import type { PartialUploadsStore } from './partial-uploads.store.ts'

/** A dead holder's lock expires after this long. */
const LEASE_SECONDS = 20
const RENEW_MS = 5_000
const TRY_EVERY_MS = 100
/** Longest wait of a second request for the first one, which is asked to stop. */
const WAIT_MS = 4_000

/** Locks of uploads for one request at a time, in the form that tus uses. */
export interface PartialUploadLocks {
  /** @param path `<user>/<upload>`. */
  newLock(path: string): {
    lock(signal: AbortSignal, release: () => void | Promise<void>): Promise<void>
    unlock(): Promise<void>
  }
  /** Runs work that other requests don't interrupt. */
  hold<Result>(path: string, work: () => Promise<Result>): Promise<Result>
}

/**
 * Locks shared by all servers on a database, as leases in its rows. A request ends an earlier one on the same server,
 * whose connection has usually died, and waits for one on another server.
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
        // the next renewal makes up for a failed one; without a database the request fails anyway
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
