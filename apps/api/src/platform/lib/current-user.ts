import { AsyncLocalStorage } from 'node:async_hooks'

const storage = new AsyncLocalStorage<string>()

/** Key of work without a user, such as the server's own maintenance. */
export const SERVER_KEY = ''

/**
 * Runs work on behalf of a user: all semaphores that it uses, however deep in the code, are fair between users by this id.
 * Requests and jobs set it once, so that nothing in between has to pass it on.
 */
export function runAsUser<T>(userId: string | null, work: () => T): T {
  return storage.run(userId ?? SERVER_KEY, work)
}

/** Id of the user on whose behalf the code runs; SERVER_KEY without a user. */
export const currentUserKey = (): string => storage.getStore() ?? SERVER_KEY
