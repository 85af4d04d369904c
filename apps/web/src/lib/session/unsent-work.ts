import { useConfirm } from '../../ui/confirm-dialog.tsx'
import { ApiError, call } from '../api/client.ts'
import { browserStore } from '../browser/browser-data.ts'
import { writeStored } from '../browser/browser-storage.ts'
import { useText } from '../i18n/i18n.ts'
import { createStore } from '../loading/store.ts'
import { session } from './session.ts'

/** Progress of the uploads in this tab. */
export interface UploadActivity {
  /** Current file, counted from 1. */
  number: number
  count: number
  /** Failed files so far. */
  failed: number
}

/** Upload progress for the top bar; null while nothing is being sent. */
export const uploadActivityStore = createStore<UploadActivity | null>(null)

/** Each tab with files that aren't uploaded yet or unsaved changes holds this lock, shared; the browser frees it with the tab. */
const LOCK = 'mira-unsent-work'
/** localStorage key of the draft of a new note; with a dot and a note's id appended, that of the note's unsaved changes. */
export const NOTE_DRAFT_KEY = 'mira.note-draft'
/** Prefix of the localStorage keys of a user's unsent messages, followed by the id of the conversation. */
export const draftPrefix = (userId: string) => `chat.draft.${userId}.`
/** Maximum time that a sign-out waits to learn whether a note with unsaved changes still exists. */
const NOTE_TIMEOUT_MS = 5_000
const PICTURES_DATABASE = 'mira.chat'
/** Pictures of messages that aren't sent yet. */
export const unsentPictures = browserStore(PICTURES_DATABASE, 'pictures')

let release: (() => void) | null = null

/** Work that this tab would lose. */
const unsentWork = { uploads: false, drafts: false }

/** Records for all tabs that this one has files to upload or unsaved changes, or no longer has any. */
export function recordUnsentWork(work: keyof typeof unsentWork, hasAny: boolean): void {
  unsentWork[work] = hasAny
  const isHeld = unsentWork.uploads || unsentWork.drafts
  if (isHeld === (release !== null)) return
  if (!isHeld) {
    release?.()
    release = null
    return
  }
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  // Without locks (plain http) other tabs don't learn of it.
  navigator.locks?.request(LOCK, { mode: 'shared' }, () => released).catch(console.error)
}

/** True when signing out would lose a user's unsaved changes, messages, notes, pictures or uploads, in this tab or another one. */
async function hasUnsentWork(userId: string): Promise<boolean> {
  if (release !== null || hasUnsentText(userId)) return true
  const locks = await navigator.locks?.query()
  if (locks?.held?.some(({ name }) => name === LOCK)) return true
  // The server is asked last, since it may take long to respond.
  return (await hasUnsentPictures()) || hasUnsavedNotes()
}

async function hasUnsentPictures(): Promise<boolean> {
  try {
    const exists = (await indexedDB.databases()).some(({ name }) => name === PICTURES_DATABASE)
    return exists && (await unsentPictures.use<number>('readonly', (store) => store.count())) > 0
  } catch (error) {
    console.warn('This browser stores no pictures', error)
    return false
  }
}

/** Forgets the unsaved changes of deleted notes. */
export function forgetNoteDrafts(noteIds: readonly string[]): void {
  for (const id of noteIds) writeStored(`${NOTE_DRAFT_KEY}.${id}`, null)
}

/** Forgets the unsaved changes of notes that were deleted on another device or by the server; true when others remain. */
async function hasUnsavedNotes(): Promise<boolean> {
  const prefix = `${NOTE_DRAFT_KEY}.`
  const ids = storedKeys().flatMap((key) => (key.startsWith(prefix) ? [key.slice(prefix.length)] : []))
  const isMissing = async (id: string) => {
    try {
      await call('GET /notes/:id', { params: { id }, timeoutMs: NOTE_TIMEOUT_MS })
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 404)) return false
      forgetNoteDrafts([id])
      return true
    }
    return false
  }
  return (await Promise.all(ids.map(isMissing))).includes(false)
}

function hasUnsentText(userId: string): boolean {
  return storedKeys().some((key) => key === NOTE_DRAFT_KEY || key.startsWith(draftPrefix(userId)))
}

function storedKeys(): string[] {
  try {
    return Object.keys(localStorage)
  } catch {
    // access to the storage is blocked, so it's empty
    return []
  }
}

/** A function that signs out, after asking when unsent work would be lost. */
export function useSignOut(): () => Promise<void> {
  const confirm = useConfirm()
  const text = useText('app')
  return async () => {
    const state = session.state.get()
    if (state.status === 'signed-in' && (await hasUnsentWork(state.user.id))) {
      const question = text('signOut.question')
      const isConfirmed = await confirm({
        question,
        detail: text('signOut.detail'),
        confirmLabel: text('signOut.discard'),
        tone: 'danger',
      })
      if (!isConfirmed) return
    }
    await session.logout()
  }
}
