import type { SharedWords } from './shared-words.ts'

/** The same in `public/worker.js`, which fills it. */
const SHARED = 'mira.shared'
const SHARED_WORDS = 'mira.shared-words'
/** What was shared while nobody could come to the screen is not of today any more, and may be another person's. */
const KEPT_MS = 3_600_000

/** What other apps shared. */
export interface Shared {
  files: File[]
  words: SharedWords[]
}

/** Takes what other apps have shared with this one off the shelf of the service worker, oldest first. */
export async function takeShared(): Promise<Shared> {
  const cache = await caches.open(SHARED)
  const shared = await Promise.all(
    (await cache.keys()).map(async (request) => {
      const response = await cache.match(request)
      await cache.delete(request)
      const sharedAtMs = Number(response?.headers.get('x-shared-at'))
      if (!response || sharedAtMs < Date.now() - KEPT_MS) return []
      const name = decodeURIComponent(response.headers.get('x-name') ?? 'shared')
      const type = response.headers.get('content-type') ?? ''
      return [{ sharedAtMs, file: new File([await response.blob()], name, { type }) }]
    }),
  )
  const all = shared
    .flat()
    .sort((one, other) => one.sharedAtMs - other.sharedAtMs)
    .map(({ file }) => file)
  const words = all.filter(({ name }) => name === SHARED_WORDS)
  return {
    files: all.filter(({ name }) => name !== SHARED_WORDS),
    words: await Promise.all(words.map(async (file) => JSON.parse(await file.text()) as SharedWords)),
  }
}
