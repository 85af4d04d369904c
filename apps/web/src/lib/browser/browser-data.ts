import { TOKEN_KEY } from '../session/token.ts'
import { forgetUnstored, readStored, writeStored } from './browser-storage.ts'

/** A key-value store in this browser's IndexedDB. */
interface BrowserStore {
  /**
   * Makes one request; the database is closed afterwards, so that it never blocks clearing it.
   * @throws DOMException where the browser stores nothing, Error while another tab holds an older version.
   */
  use<Result>(mode: IDBTransactionMode, makeRequest: (store: IDBObjectStore) => IDBRequest): Promise<Result>
}

/** A store in its own database, created on first use. */
export function browserStore(databaseName: string, storeName: string): BrowserStore {
  const openDatabase = () =>
    new Promise<IDBDatabase>((resolve, reject) => {
      const openRequest = indexedDB.open(databaseName, 1)
      openRequest.onupgradeneeded = () => openRequest.result.createObjectStore(storeName)
      openRequest.onsuccess = () => resolve(openRequest.result)
      openRequest.onerror = () => reject(openRequest.error)
      openRequest.onblocked = () => reject(new Error('Another tab holds an older version of the database'))
    })
  return {
    async use<Result>(mode: IDBTransactionMode, makeRequest: (store: IDBObjectStore) => IDBRequest) {
      const database = await openDatabase()
      try {
        return await new Promise<Result>((resolve, reject) => {
          const transaction = database.transaction(storeName, mode)
          const request = makeRequest(transaction.objectStore(storeName))
          transaction.oncomplete = () => resolve(request.result as Result)
          transaction.onabort = () => reject(transaction.error)
          transaction.onerror = () => reject(transaction.error)
        })
      } finally {
        database.close()
      }
    },
  }
}

/** Deletes old values of a store, within its current transaction. */
export function deleteOld<Entry>(store: IDBObjectStore, isOld: (entry: Entry) => boolean): void {
  const cursorRequest = store.openCursor()
  cursorRequest.onsuccess = () => {
    const cursor = cursorRequest.result
    if (!cursor) return
    if (isOld(cursor.value as Entry)) cursor.delete()
    cursor.continue()
  }
}

/** localStorage keys of preferences for this device. Everything else in this browser belongs to a user and is cleared with their data. */
const DEVICE_KEYS: readonly string[] = ['theme', 'settings', 'shortcuts']
/** Key of the id of the user whose data is stored, in localStorage for the browser and in sessionStorage for the tab. */
const OWNER_KEY = 'user'
/** localStorage key of the account and the sign-in for which this device gets push messages, with its id and endpoint. */
export const NOTIFIED_KEY = 'push'

/**
 * Clears everything that this browser stores for this origin.
 * @returns false when a part couldn't be cleared, which is logged
 */
export function clearBrowserData(): Promise<boolean> {
  return clearParts([() => localStorage.clear(), () => sessionStorage.clear(), clearDatabases, clearCaches])
}

/**
 * Clears everything but the preferences for this device. Web storage is cleared when the call returns, databases and caches later.
 * @param keepsUser true keeps the user signed in
 * @returns false when a part couldn't be cleared, which is logged
 */
export function clearUserData({ keepsUser = false } = {}): Promise<boolean> {
  // The owner is removed first: other tabs use it to tell a sign-out from an expired session.
  if (!keepsUser) writeStored(OWNER_KEY, null)
  const keys = keepsUser ? [...DEVICE_KEYS, TOKEN_KEY, OWNER_KEY, NOTIFIED_KEY] : DEVICE_KEYS
  const clearLocal = () => {
    for (const key of Object.keys(localStorage)) if (!keys.includes(key)) localStorage.removeItem(key)
  }
  return clearParts([clearLocal, () => clearTabData({ keepsUser }), clearDatabases, clearCaches])
}

/** Clears what only this tab stores about its user. */
export function clearTabData({ keepsUser = false } = {}): void {
  forgetUnstored((key) => DEVICE_KEYS.includes(key) || key === TOKEN_KEY)
  const owner = keepsUser ? sessionStorage.getItem(OWNER_KEY) : null
  sessionStorage.clear()
  if (owner !== null) sessionStorage.setItem(OWNER_KEY, owner)
}

/** Clears what another user has left in this browser or tab, and stores the new owner. */
export async function claimBrowser(userId: string): Promise<void> {
  const isOther = (owner: string | null) => owner !== null && owner !== userId
  if (isOther(readStored(OWNER_KEY))) await clearUserData({ keepsUser: true })
  try {
    if (isOther(sessionStorage.getItem(OWNER_KEY))) clearTabData()
    sessionStorage.setItem(OWNER_KEY, userId)
  } catch (error) {
    console.warn('This tab stores nothing', error)
  }
  writeStored(OWNER_KEY, userId)
}

/** True while data of a user may be stored, even after their session has expired. */
export function hasOwner(): boolean {
  return readStored(OWNER_KEY) !== null
}

/** True while data of this user may be stored, even after their session has expired. */
export function isOwner(userId: string): boolean {
  return readStored(OWNER_KEY) === userId
}

async function clearParts(parts: readonly (() => void | Promise<void>)[]): Promise<boolean> {
  // The async function turns synchronous errors, such as those of blocked storage, into rejections.
  const results = await Promise.allSettled(parts.map(async (clear) => clear()))
  const failures = results.filter((result) => result.status === 'rejected')
  for (const { reason } of failures) console.error('A part of the browser’s storage could not be cleared', reason)
  return failures.length === 0
}

async function clearDatabases(): Promise<void> {
  const databases = await indexedDB.databases()
  await Promise.all(databases.map(({ name }) => (name === undefined ? undefined : deleteDatabase(name))))
}

function deleteDatabase(name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase(name)
    request.onsuccess = () => resolve()
    // The database is still open in a tab; the browser deletes it as soon as the tab closes it.
    request.onblocked = () => resolve()
    request.onerror = () => reject(request.error)
  })
}

async function clearCaches(): Promise<void> {
  // Pages that are neither https nor localhost have no caches.
  if (!('caches' in window)) return
  for (const name of await caches.keys()) await caches.delete(name)
}
