import { AsyncLocalStorage } from 'node:async_hooks'

const callers = new AsyncLocalStorage<string | null>()

/** Runs `work`, and everything that follows from it, as a request let in by this API token; null for any other caller. */
export function runAsToken<Result>(tokenId: string | null, work: () => Result): Result {
  return callers.run(tokenId, work)
}

/** Id of the API token that the current request was let in by; null for sessions and outside of requests. */
export function currentTokenId(): string | null {
  return callers.getStore() ?? null
}
