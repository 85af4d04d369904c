/** The same in `public/worker.js`, which fills it. */
const SHARED = 'mira.shared'
/** What was shared while nobody could come to the screen is not of today any more, and may be another person's. */
const KEPT_MS = 3_600_000

/** Takes what other apps have shared with this one off the shelf of the service worker, oldest first. */
export async function takeSharedFiles(): Promise<File[]> {
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
  return shared
    .flat()
    .sort((one, other) => one.sharedAtMs - other.sharedAtMs)
    .map(({ file }) => file)
}
