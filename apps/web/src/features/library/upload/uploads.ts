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
import { runProgress } from './queue-progress.ts'
import { createUploadQueue } from './upload-queue.ts'

const CHECK_EVERY_MS = 2_000

/** File handles of the current user's unfinished uploads. */
export const keptHandles = createKeptHandles(currentUserId)

/** The queue of this tab. It lives outside of the screen, so uploads go on while a person looks at other screens. */
export const uploads = createUploadQueue({
  api: { uploadFile, discardPartialUpload, fetchUploadedItem, processAgain },
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
    holdUnsentWork(entries.some(({ status }) => status === 'pending' || status === 'uploading')),
  )
}

function currentUserId(): string | null {
  const state = session.state.get()
  return state.status === 'signed-in' ? state.user.id : null
}
