/** Name of the cache that `public/worker.js` fills; the same there. */
export const SHARED_CACHE = 'mira.shared'
