import { noteMissingPart } from '../ui/part-failures.ts'
import { createStore } from './store.ts'

/** Whether a part of the app could not be loaded: an update took it away, or the connection broke. */
export const missingPart = createStore(false)

/** Notices when a part that is loaded later does not come; returns how to stop. */
export function followMissingParts(): () => void {
  const notice = ({ payload }: VitePreloadErrorEvent) => {
    noteMissingPart(payload)
    missingPart.set(true)
  }
  window.addEventListener('vite:preloadError', notice)
  return () => window.removeEventListener('vite:preloadError', notice)
}
