import { SHARED_CACHE } from './shared-cache.ts'
import type { SharedWords } from './shared-words.ts'

/** The same in `public/worker.js`. */
const SHARED_WORDS_FILE = 'mira.shared-words'
/** Older entries may belong to somebody who used this browser before, so they are dropped. */
const MAX_AGE_MS = 3_600_000

/** Files and words that other apps or websites sent to `/share`; nothing of it is saved yet. */
export interface SharedDelivery {
  files: File[]
  words: SharedWords[]
  /** Removes exactly this delivery from the browser; one that arrives meanwhile stays. */
  remove: () => Promise<void>
}

/** Reads what waits in the service worker's cache, oldest first; null when nothing does. */
export async function readShared(): Promise<SharedDelivery | null> {
  if (!('caches' in window) || !(await caches.has(SHARED_CACHE))) return null
  const cache = await caches.open(SHARED_CACHE)
  const requests = await cache.keys()
  const entries = await Promise.all(
    requests.map(async (request) => {
      const response = await cache.match(request)
      const sharedAtMs = Number(response?.headers.get('x-shared-at'))
      if (!response || sharedAtMs < Date.now() - MAX_AGE_MS) {
        await cache.delete(request)
        return []
      }
      const name = decodeURIComponent(response.headers.get('x-name') ?? 'shared')
      const type = response.headers.get('content-type') ?? ''
      return [{ sharedAtMs, file: new File([await response.blob()], name, { type }) }]
    }),
  )
  const files = entries
    .flat()
    .sort((one, other) => one.sharedAtMs - other.sharedAtMs)
    .map(({ file }) => file)
  if (files.length === 0) return null
  const words = files.filter(({ name }) => name === SHARED_WORDS_FILE)
  return {
    files: files.filter(({ name }) => name !== SHARED_WORDS_FILE),
    words: await Promise.all(words.map(async (file) => JSON.parse(await file.text()) as SharedWords)),
    remove: async () => {
      await Promise.all(requests.map((request) => cache.delete(request)))
    },
  }
}
