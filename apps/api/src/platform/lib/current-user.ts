import { AsyncLocalStorage } from 'node:async_hooks'

const storage = new AsyncLocalStorage<string>()

/** Key under which work counts that belongs to no user, such as the server's own upkeep. */
export const SERVER_KEY = ''

/**
 * Runs work on behalf of a user: every semaphore that it reaches, however deep in an adapter, takes turns between users by
 * this id. Requests and jobs set it once, so nothing in between has to pass it on.
 */
export function runAsUser<T>(userId: string | null, work: () => T): T {
  return storage.run(userId ?? SERVER_KEY, work)
}

/** Id of the user on whose behalf the current code runs; SERVER_KEY for nobody's. */
export const currentUserKey = (): string => storage.getStore() ?? SERVER_KEY
