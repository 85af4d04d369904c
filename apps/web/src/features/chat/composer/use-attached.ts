import type { AttachedMedia } from '@mira/shared'
import { MESSAGE_MAX_MEDIA } from '@mira/shared/constants/limits'
import { useState } from 'react'
import { useText } from '../../../lib/i18n/i18n.ts'
import { showToast } from '../../../ui/show-toast.ts'
import type { Drafts } from './drafts.ts'

/** Items of the library that are chosen for the next message. */
export interface ChosenMedia {
  media: readonly AttachedMedia[]
  /** Puts these beside those that are chosen; of what is too much, it says so. */
  add: (items: readonly AttachedMedia[]) => void
  remove: (mediaId: string) => void
  clear: () => void
}

/** The items chosen in a conversation, kept with its draft. */
export function useAttached(drafts: Drafts, sessionId: string | null): ChosenMedia {
  const text = useText('chat')
  const [chosen, setChosen] = useState(() => ({ sessionId, media: drafts.media.read(sessionId) }))
  let current = chosen
  if (chosen.sessionId !== sessionId) {
    current = { sessionId, media: drafts.media.read(sessionId) }
    setChosen(current)
  }
  const set = (media: AttachedMedia[]) => {
    drafts.media.write(sessionId, media)
    setChosen({ sessionId, media })
  }
  return {
    media: current.media,
    add(items) {
      const byId = new Map([...drafts.media.read(sessionId), ...items].map((item) => [item.media_id, item]))
      const all = [...byId.values()]
      if (all.length > MESSAGE_MAX_MEDIA) {
        showToast({ tone: 'warning', title: text('attach.tooMany', { most: MESSAGE_MAX_MEDIA }) })
      }
      set(all.slice(0, MESSAGE_MAX_MEDIA))
    },
    remove: (mediaId) => set(current.media.filter(({ media_id }) => media_id !== mediaId)),
    clear: () => set([]),
  }
}
