/** One store of values in this browser's database. */
export interface BrowserStore {
  /**
   * Does one thing with the store; the database is closed again, so that it never stands in the way of clearing it.
   * @throws DOMException where the browser stores nothing, Error while another tab holds an older version.
   */
  use<Result>(mode: IDBTransactionMode, ask: (store: IDBObjectStore) => IDBRequest): Promise<Result>
}

/** Names a store, which is made when it is first used. */
export function browserStore(databaseName: string, storeName: string): BrowserStore {
  const openDatabase = () =>
    new Promise<IDBDatabase>((resolve, reject) => {
      const opening = indexedDB.open(databaseName, 1)
      opening.onupgradeneeded = () => opening.result.createObjectStore(storeName)
      opening.onsuccess = () => resolve(opening.result)
      opening.onerror = () => reject(opening.error)
      opening.onblocked = () => reject(new Error('Another tab holds an older version of the database'))
    })
  return {
    async use<Result>(mode: IDBTransactionMode, ask: (store: IDBObjectStore) => IDBRequest) {
      const database = await openDatabase()
      try {
        return await new Promise<Result>((resolve, reject) => {
          const transaction = database.transaction(storeName, mode)
          const request = ask(transaction.objectStore(storeName))
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

/** Deletes the values of a store that are old, within the transaction that it was given for. */
export function throwAwayOld<Kept>(store: IDBObjectStore, isOld: (entry: Kept) => boolean): void {
  const search = store.openCursor()
  search.onsuccess = () => {
    const cursor = search.result
    if (!cursor) return
    if (isOld(cursor.value as Kept)) cursor.delete()
    cursor.continue()
  }
}
