import { createReadStream, createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { NotFoundError, RemoteStoreError, StorageFullError, UnavailableError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { say } from '../../sentences.ts'
import { hashing } from '../lib/hashing.ts'
import { CACHE_FOLDER, openFileCache } from './file-cache.ts'
import { type ByteRange, FILES_UNAVAILABLE, type Files, isStoredPath, pathOf, requireOwner, sumOf } from './files.ts'
import type { RemoteStore } from './folder-store.ts'
import { openReceiving } from './receiving.ts'
import { resuming } from './resuming.ts'
import { asStorageError } from './whole-file.ts'

/** Maximum time for storing a file; a path without a row stays reserved for longer (RESERVATION_MINUTES in unreferenced-files.ts). */
const MAX_STORING_MS = 45 * 60_000
const CHECK_TIMEOUT_MS = 1_500
const DELETED_AT_ONCE = 8
const SWEEP_MS = 10 * 60_000
const REMOVE_ABANDONED_MS = 6 * 60 * 60_000
const ABANDONED_MS = 24 * 60 * 60_000
/** Space that stays free for the database when a copy is fetched. */
const KEPT_FREE_BYTES = 256 * 1024 * 1024

const unavailableError = (cause: unknown) =>
  new UnavailableError(say('files_unavailable', {}), { code: FILES_UNAVAILABLE, retryAfterSeconds: 30, cause })

/** Awaits a call to the store. Replaces errors of an unreachable store with one for users that keeps the cause for the log. */
async function withUserErrors<T>(call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch (error) {
    const isUnavailable = error instanceof RemoteStoreError || (error as Error).name === 'AbortError'
    throw isUnavailable ? unavailableError(error) : error
  }
}

/**
 * Files in a remote store. `directory` is on this machine's disk: files are received there before they're stored, and
 * programs that need a filename get a copy from a cache in it.
 */
export async function createRemoteFiles({
  store,
  directory,
  cacheBytes,
  log,
}: {
  store: RemoteStore
  directory: string
  cacheBytes: number
  log: Log
}): Promise<Files> {
  const cache = await openFileCache({ directory: join(directory, CACHE_FOLDER), maxBytes: cacheBytes })

  const receiving = await openReceiving(directory, async (ownerId, { sha256, sizeBytes, filename }) => {
    try {
      const path = pathOf(requireOwner(ownerId), sha256)
      const signal = AbortSignal.timeout(MAX_STORING_MS)
      await withUserErrors(store.write(path, createReadStream(filename), sizeBytes, signal))
      // the file is stored by now: if caching fails, a copy is fetched later
      const caching = cacheBytes > 0 ? cache.add(path, filename) : undefined
      await caching?.catch((error: unknown) => log.warn({ err: error }, 'a stored file was not cached'))
      return { sha256, sizeBytes, path }
    } finally {
      await rm(filename, { force: true })
    }
  })

  const read = async (path: string, range?: ByteRange) => {
    if (!isStoredPath(path)) throw new NotFoundError('This file is not there.')
    return withUserErrors(store.read(path, range))
  }

  const open: Files['open'] = async (path, { start = 0, end } = {}) => {
    if (end !== undefined && end < start) {
      const { sizeBytes, stream } = await read(path)
      stream.destroy()
      return { sizeBytes, stream: Readable.from([], { objectMode: false }) }
    }
    const { sizeBytes, stream } = await read(path, end === undefined ? { start } : { start, end })
    const last = Math.min(end ?? sizeBytes - 1, sizeBytes - 1)
    const resume = async (position: number) => (await read(path, { start: position, end: last })).stream
    return { sizeBytes, stream: resuming(stream, { start, last }, { resume, finalError: unavailableError }) }
  }

  const fetchCopy = async (path: string, filename: string) => {
    const { sizeBytes, stream } = await open(path)
    try {
      const hasSpace = async () => (await receiving.freeBytes()) >= sizeBytes + KEPT_FREE_BYTES
      if (!(await hasSpace())) await cache.sweep(0)
      if (!(await hasSpace())) throw new StorageFullError(say('disk_too_full', {}))
      let sha256 = ''
      const content = hashing(stream, (hashed) => {
        sha256 = hashed.sha256
      })
      await pipeline(content, createWriteStream(filename, { mode: 0o600 }))
      if (!path.endsWith(`/${sha256}`)) throw new Error(`${path} is damaged: its hash doesn’t match`)
    } catch (error) {
      stream.destroy()
      throw asStorageError(error)
    }
  }

  const list: Files['list'] = async function* (ownerId) {
    const names = store.list(ownerId === undefined ? '' : `${requireOwner(ownerId)}/`)[Symbol.asyncIterator]()
    for (;;) {
      const { done, value } = await withUserErrors(names.next())
      if (done) return
      if (isStoredPath(value.name)) yield { path: value.name, sizeBytes: value.sizeBytes }
    }
  }

  const sweeping = setInterval(() => {
    cache.sweep().catch((error: unknown) => log.warn({ err: error }, 'the cache of files could not be swept'))
  }, SWEEP_MS).unref()
  const removeAbandoned = () =>
    store
      .removeAbandoned(new Date(Date.now() - ABANDONED_MS))
      .catch((error: unknown) => log.warn({ err: error }, 'abandoned uploads to S3 could not be removed'))
  const removing = setInterval(removeAbandoned, REMOVE_ABANDONED_MS).unref()

  return {
    receive: receiving.receive,
    receiveFile: receiving.receiveFile,
    put: receiving.put,
    freeBytes: receiving.freeBytes,
    address: store.address,
    isRemote: true,
    pathOf,
    open,
    list,
    usage: (ownerId) => sumOf(list(ownerId)),

    async useLocal(path, use) {
      if (!isStoredPath(path)) throw new NotFoundError('This file is not there.')
      return cache.use(path, (filename) => fetchCopy(path, filename), use)
    },

    async delete(path) {
      if (!isStoredPath(path)) return
      await cache.remove(path)
      await withUserErrors(store.remove(path))
    },

    async deleteAll(ownerId) {
      await cache.removeAll(requireOwner(ownerId))
      let paths: string[] = []
      const removeBatch = async () => {
        await Promise.all(paths.map((path) => withUserErrors(store.remove(path))))
        paths = []
      }
      for await (const { path } of list(ownerId)) {
        paths.push(path)
        if (paths.length === DELETED_AT_ONCE) await removeBatch()
      }
      await removeBatch()
    },

    async check({ timeoutMs = CHECK_TIMEOUT_MS } = {}) {
      const listing = store.list('.check/')[Symbol.asyncIterator]().next()
      const timeout = sleep(timeoutMs, undefined, { ref: false }).then(() => {
        throw new RemoteStoreError(`${store.address} doesn’t respond.`)
      })
      await withUserErrors(Promise.race([listing, timeout]))
    },

    close() {
      clearInterval(sweeping)
      clearInterval(removing)
      store.close()
    },
  }
}
