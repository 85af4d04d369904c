import type { ProcessingStep } from '@mira/shared'
import {
  discardPartialUpload,
  fetchKnownItems,
  fetchUploadedItem,
  processAgain,
  uploadFile,
} from '../../../lib/api/uploads.ts'
import { sha256Of } from '../../../lib/browser/file-hash.ts'
import { keepForAccount } from '../../../lib/session/account-preferences.ts'
import { session } from '../../../lib/session/session.ts'
import { holdUnsentWork, uploadActivityStore } from '../../../lib/session/unsent-work.ts'
import { createKeptHandles } from './kept-handles.ts'
import type { QueueEntry } from './queue-entry.ts'
import { createUploadQueue, type UploadRun } from './upload-queue.ts'

/** Name of the cache that `public/worker.js` fills; the same there. */
export const SHARED_CACHE = 'mira.shared'

/** A guess from the first moments would jump. */
const MIN_MS_FOR_A_GUESS = 2_000

export interface RunProgress {
  /** Current file, counted from 1, and the total. */
  fileNumber: number
  fileCount: number
  doneBytes: number
  totalBytes: number
  /** 0 to 100. */
  percent: number
  /** Null until it can be said. */
  secondsLeft: number | null
}

/** Progress of sending, over all files pending at the start or added since. */
export function runProgress(run: UploadRun, entries: readonly QueueEntry[], nowMs: number): RunProgress {
  const waiting = entries.filter(({ status }) => status === 'pending' || status === 'uploading')
  const waitingBytes = sum(waiting.map(({ file }) => file.size))
  const sentOfCurrent = sum(
    waiting.map(({ file, status, progress }) => (status === 'uploading' ? (file.size * progress) / 100 : 0)),
  )
  const totalBytes = run.finishedBytes + waitingBytes
  const doneBytes = run.finishedBytes + sentOfCurrent
  const elapsedMs = nowMs - run.startedAtMs
  const bytesPerMs = run.sentBytes / Math.max(elapsedMs, 1)
  return {
    fileNumber: run.finishedFiles + (waiting.length > 0 ? 1 : 0),
    fileCount: run.finishedFiles + waiting.length,
    doneBytes,
    totalBytes,
    percent: totalBytes === 0 ? 100 : (doneBytes / totalBytes) * 100,
    secondsLeft:
      elapsedMs < MIN_MS_FOR_A_GUESS || bytesPerMs === 0 ? null : (totalBytes - doneBytes) / bytesPerMs / 1000,
  }
}

/** Processing progress of a file, 0 to 100; null before the first step is known. */
export function stepsPercent(steps: readonly ProcessingStep[]): number | null {
  if (steps.length === 0) return null
  return (sum(steps.map(partOf)) / steps.length) * 100
}

/** The steps that are at work now, else the one that comes next. */
export function currentSteps(steps: readonly ProcessingStep[]): readonly ProcessingStep[] {
  const working = steps.filter(({ status }) => status === 'processing')
  if (working.length > 0) return working
  return steps.filter(({ status }) => status === 'pending').slice(0, 1)
}

function partOf({ status, progress }: ProcessingStep): number {
  return status === 'pending' || status === 'processing' ? Math.min(1, Math.max(0, progress)) : 1
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

const CHECK_EVERY_MS = 2_000

/** File handles of the current user's unfinished uploads. */
export const keptHandles = createKeptHandles(currentUserId)

/** The beginning of the keys of unfinished uploads. */
export const partialUploadsKey = ['partial-uploads']

/** Throws away what has arrived of a large upload, and forgets where its file lies. */
export async function discardUpload(id: string): Promise<void> {
  await discardPartialUpload(id)
  await keptHandles.forget(id)
}

/** The queue of this tab. It lives outside of the screen, so uploads go on while a person looks at other screens. */
export const uploads = createUploadQueue({
  api: { uploadFile, discardPartialUpload: discardUpload, fetchUploadedItem, processAgain },
  knownFiles: { sha256Of, fetchKnownItems },
  keptHandles,
  now: () => Date.now(),
  wait: (milliseconds, signal) =>
    new Promise((resolve) => {
      const finish = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', finish)
        resolve()
      }
      const timer = setTimeout(finish, milliseconds)
      signal.addEventListener('abort', finish)
    }),
})

askBeforeClosing()
tellOtherScreens()
checkWhileProcessing()
forgetWithSession()
followKeptPlaces()
tellSignOut()

/** The browser asks whether to leave while bytes are on their way: they would be lost. */
function askBeforeClosing(): void {
  const ask = (event: BeforeUnloadEvent) => event.preventDefault()
  uploads.run.subscribe((run) => {
    if (run === null) window.removeEventListener('beforeunload', ask)
    else window.addEventListener('beforeunload', ask)
  })
}

/** The bar at the top says on every screen that files are being sent. */
function tellOtherScreens(): void {
  uploads.run.subscribe((run) => {
    if (run === null) return uploadActivityStore.set(null)
    const { fileNumber, fileCount } = runProgress(run, uploads.entries.get(), run.startedAtMs)
    const activity = uploadActivityStore.get()
    if (activity?.number === fileNumber && activity.count === fileCount && activity.failed === run.failedFiles) return
    uploadActivityStore.set({ number: fileNumber, count: fileCount, failed: run.failedFiles })
  })
}

/** Events tell most of it; this finds what they did not, also while another screen is shown. */
function checkWhileProcessing(): void {
  let timer: ReturnType<typeof setInterval> | undefined
  uploads.entries.subscribe((entries) => {
    const isNeeded = entries.some(({ status }) => status === 'processing')
    if (isNeeded) timer ??= setInterval(() => void uploads.checkSilent(), CHECK_EVERY_MS)
    else {
      clearInterval(timer)
      timer = undefined
    }
  })
}

function forgetWithSession(): void {
  let ownerId = currentUserId()
  session.state.subscribe((state) => {
    // Files stay through an expired session, for the same user's next sign-in.
    if (state.status === 'signed-out' && state.because === 'expired') uploads.stop()
    else if (state.status === 'signed-out' || (state.status === 'signed-in' && state.user.id !== ownerId))
      uploads.reset()
    if (state.status === 'signed-in') ownerId = state.user.id
  })
}

/** Keeps the places of pictures from now on, or not, on every device of this account. */
export function keepPlaces(isKept: boolean): void {
  uploads.keepsPlace.set(isKept)
  keepForAccount({ keeps_places: isKept }).catch((error) =>
    console.warn('The account could not be told whether places are kept', error),
  )
}

/** Does as the account says, also when another device changes it. */
function followKeptPlaces(): void {
  let lastSaid: string | null = null
  const follow = () => {
    const state = session.state.get()
    if (state.status !== 'signed-in') {
      lastSaid = null
      return
    }
    const { keeps_places: isKept } = state.user.preferences
    const status = `${state.user.id} ${isKept}`
    if (status !== lastSaid) uploads.keepsPlace.set(isKept)
    lastSaid = status
  }
  session.state.subscribe(follow)
  follow()
}

/** Signing out asks first while files wait, also in other tabs. */
function tellSignOut(): void {
  uploads.entries.subscribe((entries) =>
    holdUnsentWork(
      'uploads',
      entries.some(({ status }) => status === 'pending' || status === 'uploading'),
    ),
  )
}

function currentUserId(): string | null {
  const state = session.state.get()
  return state.status === 'signed-in' ? state.user.id : null
}
