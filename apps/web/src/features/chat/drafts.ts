import type { UnsentMessage } from './conversation-state.ts'

/** More messages than this are not kept for one conversation. */
const MOST_UNSENT = 20

/** What a person wrote in one conversation and has not sent, or is not known to be stored. */
interface Written {
  draft: string
  unsent: UnsentMessage[]
}

/** Keeps what a person writes until it is sent, per conversation; null is the new one. */
export interface Drafts {
  read: (sessionId: string | null) => string
  write: (sessionId: string | null, text: string) => void
  unsent: {
    list: (sessionId: string | null) => UnsentMessage[]
    keep: (sessionId: string | null, message: UnsentMessage) => void
    forget: (sessionId: string | null, clientId: string) => void
  }
  /** Forgets everything about a conversation that was deleted. */
  forgetSession: (sessionId: string) => void
}

interface DraftTools {
  /** Whose drafts: people who share a browser must not see each other's. */
  userId: string
  /** False while the person does not want drafts stored: they then live as long as the page. */
  mayStore: () => boolean
  storage: { read: (key: string) => string | null; write: (key: string, value: string | null) => void }
}

/** Makes the drafts of a person. */
export function createDrafts({ userId, mayStore, storage }: DraftTools): Drafts {
  const inPage = new Map<string, string>()
  const keyOf = (sessionId: string | null) => `chat.draft.${userId}.${sessionId ?? 'new'}`

  function read(sessionId: string | null): Written {
    const key = keyOf(sessionId)
    return parseWritten(mayStore() ? storage.read(key) : (inPage.get(key) ?? null))
  }

  function write(sessionId: string | null, written: Written): void {
    const key = keyOf(sessionId)
    const text = written.draft === '' && written.unsent.length === 0 ? null : JSON.stringify(written)
    if (text === null) inPage.delete(key)
    else inPage.set(key, text)
    storage.write(key, mayStore() ? text : null)
  }

  return {
    read: (sessionId) => read(sessionId).draft,
    write: (sessionId, draft) => write(sessionId, { ...read(sessionId), draft }),
    unsent: {
      list: (sessionId) => read(sessionId).unsent,
      keep(sessionId, message) {
        const { draft, unsent } = read(sessionId)
        const others = unsent.filter((one) => one.client_id !== message.client_id)
        write(sessionId, { draft, unsent: [...others, message].slice(-MOST_UNSENT) })
      },
      forget(sessionId, clientId) {
        const { draft, unsent } = read(sessionId)
        if (unsent.every((one) => one.client_id !== clientId)) return
        write(sessionId, { draft, unsent: unsent.filter((one) => one.client_id !== clientId) })
      },
    },
    forgetSession: (sessionId) => write(sessionId, { draft: '', unsent: [] }),
  }
}

/** Reads what the browser kept; anything else than what was written counts as nothing. */
function parseWritten(stored: string | null): Written {
  const nothing: Written = { draft: '', unsent: [] }
  if (stored === null) return nothing
  let value: unknown
  try {
    value = JSON.parse(stored)
  } catch (error) {
    console.error('A stored draft is corrupt and was ignored', error)
    return nothing
  }
  if (typeof value !== 'object' || value === null) return nothing
  const { draft, unsent } = value as Record<string, unknown>
  return {
    draft: typeof draft === 'string' ? draft : '',
    unsent: Array.isArray(unsent) ? unsent.filter(isUnsentMessage) : [],
  }
}

function isUnsentMessage(value: unknown): value is UnsentMessage {
  if (typeof value !== 'object' || value === null) return false
  const { client_id, content, created_at } = value as Record<string, unknown>
  return typeof client_id === 'string' && typeof content === 'string' && typeof created_at === 'string'
}
