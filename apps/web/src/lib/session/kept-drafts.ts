import { useSyncExternalStore } from 'react'
import { createClosePrompt } from '../browser/close-prompt.ts'
import { createStore, type Store } from '../loading/store.ts'
import { session } from './session.ts'
import { recordUnsentWork } from './unsent-work.ts'

/** Unsaved changes of a user in this tab, by the key of the form or item that they belong to. */
interface KeptDrafts {
  userId: string
  drafts: ReadonlyMap<string, unknown>
}

const none: KeptDrafts = { userId: '', drafts: new Map() }
const store: Store<KeptDrafts> = createStore(none)

const switchClosePrompt = createClosePrompt()

// While there are drafts, the browser asks before closing or reloading the page, whatever screen is shown.
store.subscribe(({ drafts }) => {
  switchClosePrompt(drafts.size > 0)
  recordUnsentWork('drafts', drafts.size > 0)
})

// Drafts outlive an expired session, so that the user finds them after signing in again; signing out drops them.
session.state.subscribe((state) => {
  const isOver =
    state.status === 'signed-in'
      ? state.user.id !== store.get().userId
      : state.status === 'signed-out' && state.because === 'logout'
  if (isOver) store.set(none)
})

/** Drafts of the signed-in user; empty if the stored drafts belong to another user. */
const userDrafts = () => {
  const state = session.state.get()
  return state.status === 'signed-in' && state.user.id === store.get().userId ? store.get().drafts : none.drafts
}

/** Forgets the unsaved changes of deleted items. */
export function forgetItemDrafts(itemIds: readonly string[]): void {
  const { userId, drafts } = store.get()
  const remaining = [...drafts].filter(([key]) => !itemIds.some((id) => key.includes(id)))
  if (remaining.length < drafts.size) store.set({ userId, drafts: new Map(remaining) })
}

/** True when the signed-in user has unsaved changes under `key`. */
export const hasUnsavedDraft = (key: string): boolean => userDrafts().has(key)

/** Unsaved changes that outlive the part of the screen they're made in. */
interface KeptDraft<Draft> {
  /** The draft as last rendered; undefined when nothing is unsaved. */
  draft: Draft | undefined
  /** Returns the draft as it is now, for code that runs after a response. */
  current: () => Draft | undefined
  /** Stores a draft, or removes it (undefined). */
  keep: (draft: Draft | undefined) => void
}

/** The unsaved changes under `key`, until they're saved or their user signs out. */
export function useUnsavedDraft<Draft>(key: string): KeptDraft<Draft> {
  const current = () => userDrafts().get(key) as Draft | undefined
  return {
    draft: useSyncExternalStore(store.subscribe, current),
    current,
    keep(draft) {
      const state = session.state.get()
      if (state.status !== 'signed-in') return
      const drafts = new Map(userDrafts())
      if (draft === undefined) drafts.delete(key)
      else drafts.set(key, draft)
      store.set({ userId: state.user.id, drafts })
    },
  }
}
