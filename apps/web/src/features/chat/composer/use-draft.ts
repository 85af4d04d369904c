import { useMemo, useState } from 'react'
import { readStored, writeStored } from '../../../lib/browser/browser-storage.ts'
import { useUser } from '../../../lib/session/session.ts'
import { settingsStore } from '../../../lib/session/settings.ts'
import { createDrafts, type Drafts } from './drafts.ts'
import { createPictureShelf } from './picture-shelf.ts'

/** The user's drafts, stored in this browser while Auto Save is on; temporary chats are never stored. */
export function useDrafts({ isTemporary }: { isTemporary: boolean }): Drafts {
  const { id } = useUser()
  return useMemo(() => {
    // a name of its own, so that what is written for the next stored conversation stays
    const owner = isTemporary ? { userId: `${id}.temporary`, mayStore: never } : { userId: id, mayStore }
    return createDrafts({
      ...owner,
      storage: { read: readStored, write: writeStored },
      pictures: createPictureShelf(owner),
    })
  }, [id, isTemporary])
}

const never = () => false

function mayStore(): boolean {
  return settingsStore.get().autoSave
}

/** The text in the composer of a conversation, and how to change it. */
export function useDraft(drafts: Drafts, sessionId: string | null): [string, (text: string) => void] {
  const [written, setWritten] = useState(() => ({ sessionId, text: drafts.read(sessionId) }))
  let current = written
  if (written.sessionId !== sessionId) {
    current = { sessionId, text: drafts.read(sessionId) }
    setWritten(current)
  }
  return [
    current.text,
    (text) => {
      drafts.write(sessionId, text)
      setWritten({ sessionId, text })
    },
  ]
}
