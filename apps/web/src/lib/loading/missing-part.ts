import { noteMissingPart } from '../../ui/part-failures.ts'
import { createStore } from './store.ts'

/** True when a chunk of the app couldn't be loaded because of an update or a broken connection. */
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
