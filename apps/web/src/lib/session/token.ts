import { readStored, writeStored } from '../browser/browser-storage.ts'
import { createStore } from '../loading/store.ts'

/** Storage key of the token. */
export const TOKEN_KEY = 'token'

/** The bearer token of this browser's session; null when nobody is signed in. Other tabs share it. */
export const tokenStore = createStore(readStored(TOKEN_KEY))

/** Stores the token of a new session, or removes it (null). */
export function storeToken(token: string | null): void {
  writeStored(TOKEN_KEY, token)
  tokenStore.set(token)
}
