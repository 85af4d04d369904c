import { readStored, writeStored } from '../../lib/browser-storage.ts'
import { NOTE_DRAFT_KEY } from '../../lib/unsent-work.ts'

/** Unsaved text of a note. */
export interface NoteDraft {
  title: string
  text: string
}

const nothing: NoteDraft = { title: '', text: '' }

/** The user's draft in this browser; empty when there's none or it belongs to someone else. */
export function readDraft(userId: string): NoteDraft {
  try {
    const kept = JSON.parse(readStored(NOTE_DRAFT_KEY) ?? '{}') as Partial<NoteDraft & { user: string }>
    if (kept.user !== userId || typeof kept.title !== 'string' || typeof kept.text !== 'string') return nothing
    return { title: kept.title, text: kept.text }
  } catch {
    return nothing
  }
}

/** Keeps what is unfinished in this browser, until it is kept as a note or emptied. */
export function keepDraft(userId: string, { title, text }: NoteDraft): void {
  const isEmpty = title.trim() === '' && text.trim() === ''
  writeStored(NOTE_DRAFT_KEY, isEmpty ? null : JSON.stringify({ user: userId, title, text }))
}
