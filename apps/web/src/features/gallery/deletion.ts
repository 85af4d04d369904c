import { deleteMediaItems } from '../../api/media.ts'
import { createStore, useStore } from '../../lib/store.ts'

/** Time to undo a deletion. */
export const UNDO_MS = 6_000

/** Items that are deleted, or will be in a moment: no list shows them. */
const hiddenIdsStore = createStore<ReadonlySet<string>>(new Set())

/** Deletions that can still be taken back. */
const waiting = new Map<symbol, { ids: readonly string[]; send: (isLeaving: boolean) => void }>()

/** The items that no list shows any more. */
export function useHiddenIds(): ReadonlySet<string> {
  return useStore(hiddenIdsStore)
}

/**
 * Deletes items in six seconds, or as soon as the page is left; until then the returned function takes it back.
 *
 * @param onSent called with the outcome; the items stay hidden until its promise has settled.
 */
export function deleteSoon(
  ids: readonly string[],
  onSent: (error: unknown | null) => Promise<void> | void,
): () => void {
  const name = Symbol('deletion')
  hide(ids)
  const finish = () => {
    clearTimeout(timer)
    return waiting.delete(name)
  }
  const send = async (isLeaving: boolean) => {
    if (!finish()) return
    try {
      await deleteMediaItems(ids, { keepalive: isLeaving })
    } catch (error) {
      show(ids)
      await onSent(error)
      return
    }
    try {
      await onSent(null)
    } finally {
      show(ids)
    }
  }
  const timer = setTimeout(() => void send(false), UNDO_MS)
  waiting.set(name, { ids, send: (isLeaving) => void send(isLeaving) })
  return () => {
    if (finish()) show(ids)
  }
}

// A deletion that was confirmed is kept, also when nobody waits for its six seconds.
window.addEventListener('pagehide', () => {
  for (const { send } of [...waiting.values()]) send(true)
})

function hide(ids: readonly string[]): void {
  hiddenIdsStore.set(new Set([...hiddenIdsStore.get(), ...ids]))
}

function show(ids: readonly string[]): void {
  const shown = new Set(ids)
  hiddenIdsStore.set(new Set([...hiddenIdsStore.get()].filter((id) => !shown.has(id))))
}
