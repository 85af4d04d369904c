/** Loads the code that sends files; on demand, because most messages have none and recordings are rarely saved. */
export const loadUploads = () => import('./uploads.ts')
