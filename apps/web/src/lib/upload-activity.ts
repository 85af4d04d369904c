import { createStore } from './store.ts'

/** Files that are being sent while a person looks at any screen. */
export interface UploadActivity {
  /** Which file is being sent, counted from 1. */
  number: number
  count: number
  /** How many could not be sent so far. */
  failed: number
}

/** What the bar at the top shows about uploads; null while nothing is being sent. */
export const uploadActivityStore = createStore<UploadActivity | null>(null)
