import { createStore } from '../loading/store.ts'

/** Files that are being sent while a person looks at any screen. */
export interface UploadActivity {
  /** Current file, counted from 1. */
  number: number
  count: number
  /** Failed files so far. */
  failed: number
}

/** Upload progress for the top bar; null while nothing is being sent. */
export const uploadActivityStore = createStore<UploadActivity | null>(null)
