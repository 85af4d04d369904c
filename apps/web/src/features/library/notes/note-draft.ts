import type { NoteJson } from '@mira/shared'
import { useEffect, useEffectEvent, useRef } from 'react'
import { isOwner } from '../../../lib/browser/browser-data.ts'
import { readStored, writeStored } from '../../../lib/browser/browser-storage.ts'
import { NOTE_DRAFT_KEY } from '../../../lib/session/unsent-work.ts'

/** Text of a note. */
export interface NoteDraft {
  title: string
  text: string
}

/** Unsaved text of a note in this browser. */
interface KeptDraft extends NoteDraft {
  /** True when the note was changed elsewhere after the draft was started. */
  isOutdated: boolean
}

export const emptyDraft: KeptDraft = { title: '', text: '', isOutdated: false }

/** Stored draft of a user. */
interface StoredDraft extends NoteDraft {
  user: string
  /**
   * Hash of the note that the draft is based on; old drafts have its text instead. `updated_at` wouldn't do: processing and tags
   * change it, too.
   */
  base?: number | NoteDraft
}

/** Pause in typing after which the draft is stored; it may be too long to store at every keystroke. */
const KEEP_AFTER_MS = 300

/** Storage key of the draft of a new note, or of the changes to an existing one. */
const keyOf = (note: NoteJson | null) => (note === null ? NOTE_DRAFT_KEY : `${NOTE_DRAFT_KEY}.${note.id}`)

/** The user's draft in this browser; `emptyDraft` when there's none or it belongs to someone else. */
export function readDraft(userId: string, note: NoteJson | null): KeptDraft {
  try {
    const { user, title, text, base } = JSON.parse(readStored(keyOf(note)) ?? '{}') as Partial<StoredDraft>
    if (user !== userId || typeof title !== 'string' || typeof text !== 'string') return emptyDraft
    // the draft was saved, although the response didn't arrive
    if (title === note?.title && text === note.text) return emptyDraft
    const baseHash = typeof base === 'object' ? hashOf(base) : base
    return { title, text, isOutdated: note !== null && baseHash !== hashOf(note) }
  } catch {
    return emptyDraft
  }
}

/** Stores the draft in this browser; removes it when it's empty or unchanged. */
export function keepDraft(userId: string, note: NoteJson | null, { title, text }: NoteDraft): void {
  const isEmpty = title.trim() === '' && text.trim() === ''
  const isUnchanged = title === note?.title && text === note.text
  const draft: StoredDraft = { user: userId, title, text, ...(note && { base: hashOf(note) }) }
  writeStored(keyOf(note), isEmpty || isUnchanged ? null : JSON.stringify(draft))
}

/** Stores the draft immediately, or when the user pauses or leaves. */
export function useDraftStorage(userId: string, note: NoteJson | null) {
  const pending = useRef<{ draft: NoteDraft; timer: ReturnType<typeof setTimeout> } | null>(null)
  const keep = (draft: NoteDraft) => {
    clearTimeout(pending.current?.timer)
    pending.current = null
    // Signing out clears the browser's storage before the editor is unmounted, so nothing may be stored then.
    if (isOwner(userId)) keepDraft(userId, note, draft)
  }
  const keepSoon = (draft: NoteDraft) => {
    clearTimeout(pending.current?.timer)
    pending.current = { draft, timer: setTimeout(() => keep(draft), KEEP_AFTER_MS) }
  }
  const flush = () => {
    if (pending.current) keep(pending.current.draft)
  }
  const leave = useEffectEvent(flush)
  useEffect(() => {
    const onHide = () => leave()
    window.addEventListener('pagehide', onHide)
    return () => {
      window.removeEventListener('pagehide', onHide)
      leave()
    }
  }, [])
  return { keep, keepSoon, flush }
}

/** 53-bit hash of a note (cyrb53), to detect changes. */
function hashOf({ title, text }: NoteDraft): number {
  let [high, low] = [0xdeadbeef, 0x41c6ce57]
  const whole = `${title}\n${text}`
  for (let index = 0; index < whole.length; index++) {
    const code = whole.charCodeAt(index)
    high = Math.imul(high ^ code, 2_654_435_761)
    low = Math.imul(low ^ code, 1_597_334_677)
  }
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909)
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909)
  return 4_294_967_296 * (2_097_151 & low) + (high >>> 0)
}
