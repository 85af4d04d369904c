import type { ProcessingStep } from '@mira/shared'
import {
  discardPartialUpload,
  fetchKnownItems,
  fetchUploadedItem,
  prepareUploads,
  processAgain,
  uploadFile,
} from '../../../lib/api/uploads.ts'
import { createClosePrompt } from '../../../lib/browser/close-prompt.ts'
import { sha256Of } from '../../../lib/browser/file-hash.ts'
import { saveAccountPreferences } from '../../../lib/session/account-preferences.ts'
import { session } from '../../../lib/session/session.ts'
import { recordUnsentWork, uploadActivityStore } from '../../../lib/session/unsent-work.ts'
import { createKeptHandles } from './kept-handles.ts'
import type { QueueEntry } from './queue-entry.ts'
import { createUploadQueue, type UploadRun } from './upload-queue.ts'

/** Name of the cache that `public/worker.js` fills; must match the name there. */
export const SHARED_CACHE = 'mira.shared'

/** Time before which no estimate is given, as it would be unstable. */
const MIN_ESTIMATE_MS = 2_000

export interface RunProgress {
  /** Current file, counted from 1, and the total. */
  fileNumber: number
  fileCount: number
  doneBytes: number
  totalBytes: number
  /** 0 to 100. */
  percent: number
  /** Null until it can be estimated. */
  secondsLeft: number | null
}

/** Progress of sending, over all files pending at the start or added since. */
export function runProgress(run: UploadRun, entries: readonly QueueEntry[], nowMs: number): RunProgress {
  const unfinished = entries.filter(({ status }) => status === 'pending' || status === 'uploading')
  const unfinishedBytes = sum(unfinished.map(({ file }) => file.size))
  const sentOfCurrent = sum(
    unfinished.map(({ file, status, progress }) => (status === 'uploading' ? (file.size * progress) / 100 : 0)),
  )
  const totalBytes = run.finishedBytes + unfinishedBytes
  const doneBytes = run.finishedBytes + sentOfCurrent
  const elapsedMs = nowMs - run.startedAtMs
  const bytesPerMs = run.sentBytes / Math.max(elapsedMs, 1)
  return {
    fileNumber: run.finishedFiles + (unfinished.length > 0 ? 1 : 0),
    fileCount: run.finishedFiles + unfinished.length,
    doneBytes,
    totalBytes,
    percent: totalBytes === 0 ? 100 : (doneBytes / totalBytes) * 100,
    secondsLeft: elapsedMs < MIN_ESTIMATE_MS || bytesPerMs === 0 ? null : (totalBytes - doneBytes) / bytesPerMs / 1000,
  }
}

/** Processing progress of a file, 0 to 100; null before the first step is known. */
export function stepsPercent(steps: readonly ProcessingStep[]): number | null {
  if (steps.length === 0) return null
  return (sum(steps.map(fractionOf)) / steps.length) * 100
}

/** The steps in progress, or else the next step. */
export function currentSteps(steps: readonly ProcessingStep[]): readonly ProcessingStep[] {
  const working = steps.filter(({ status }) => status === 'processing')
  if (working.length > 0) return working
  return steps.filter(({ status }) => status === 'pending').slice(0, 1)
}

function fractionOf({ status, progress }: ProcessingStep): number {
  return status === 'pending' || status === 'processing' ? Math.min(1, Math.max(0, progress)) : 1
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

const CHECK_EVERY_MS = 2_000

/** File handles of the current user's unfinished uploads. */
export const keptHandles = createKeptHandles(currentUserId)

/** Query key of unfinished uploads. */
export const partialUploadsKey = ['partial-uploads']

/** Discards a partial upload and its file handle. */
export async function discardUpload(id: string): Promise<void> {
  await discardPartialUpload(id)
  await keptHandles.forget(id)
}

/** The queue of this tab. It lives outside the page, so uploads continue while other pages are shown. */
export const uploads = createUploadQueue({
  api: { prepareUploads, uploadFile, discardPartialUpload: discardUpload, fetchUploadedItem, processAgain },
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
showInTopBar()
checkWhileProcessing()
resetOnSignOut()
watchPlacePreference()
askBeforeSigningOut()

/** Makes the browser ask before leaving during an upload. */
function askBeforeClosing(): void {
  const switchPrompt = createClosePrompt()
  uploads.run.subscribe((run) => switchPrompt(run !== null))
}

/** Shows the upload in the top bar of every page. */
function showInTopBar(): void {
  uploads.run.subscribe((run) => {
    if (run === null) return uploadActivityStore.set(null)
    const { fileNumber, fileCount } = runProgress(run, uploads.entries.get(), run.startedAtMs)
    const activity = uploadActivityStore.get()
    if (activity?.number === fileNumber && activity.count === fileCount && activity.failed === run.failedFiles) return
    uploadActivityStore.set({ number: fileNumber, count: fileCount, failed: run.failedFiles })
  })
}

/** Catches changes whose events were missed, even while another page is shown. */
function checkWhileProcessing(): void {
  let timer: ReturnType<typeof setInterval> | undefined
  uploads.entries.subscribe((entries) => {
    const isNeeded = entries.some(({ status }) => status === 'processing')
    if (isNeeded) timer ??= setInterval(() => void uploads.refreshSilentItems(), CHECK_EVERY_MS)
    else {
      clearInterval(timer)
      timer = undefined
    }
  })
}

function resetOnSignOut(): void {
  let ownerId = currentUserId()
  session.state.subscribe((state) => {
    // Files outlive an expired session, for the same user's next sign-in.
    if (state.status === 'signed-out' && state.because === 'expired') uploads.stop()
    else if (state.status === 'signed-out' || (state.status === 'signed-in' && state.user.id !== ownerId))
      uploads.reset()
    if (state.status === 'signed-in') ownerId = state.user.id
  })
}

/** Sets for this account, on all devices, whether places of pictures are kept from now on. */
export function keepPlaces(isKept: boolean): void {
  uploads.keepsPlace.set(isKept)
  saveAccountPreferences({ keeps_places: isKept }).catch((error) =>
    console.warn('Failed to save the place setting', error),
  )
}

/** Applies the account's setting, now and when another device changes it. */
function watchPlacePreference(): void {
  let lastApplied: string | null = null
  const apply = () => {
    const state = session.state.get()
    if (state.status !== 'signed-in') {
      lastApplied = null
      return
    }
    const { keeps_places: isKept } = state.user.preferences
    const status = `${state.user.id} ${isKept}`
    if (status !== lastApplied) uploads.keepsPlace.set(isKept)
    lastApplied = status
  }
  session.state.subscribe(apply)
  apply()
}

/** Makes signing out, in this or another tab, ask first while files are pending. */
function askBeforeSigningOut(): void {
  uploads.entries.subscribe((entries) =>
    recordUnsentWork(
      'uploads',
      entries.some(({ status }) => status === 'pending' || status === 'uploading'),
    ),
  )
}

function currentUserId(): string | null {
  const state = session.state.get()
  return state.status === 'signed-in' ? state.user.id : null
}
