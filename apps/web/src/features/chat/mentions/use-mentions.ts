import type { Mention } from '@mira/shared'
import { MESSAGE_MAX_MENTIONS } from '@mira/shared/constants/limits'
import { useState } from 'react'
import type { Drafts } from '../composer/drafts.ts'

/** Agents, projects and tags that are named for the next message. */
export interface ChosenMentions {
  mentions: readonly Mention[]
  add: (mentions: readonly Mention[]) => void
  remove: (mention: Mention) => void
  clear: () => void
}

/** Tells one from another. */
export const mentionKey = ({ kind, id, name }: Mention): string => `${kind}/${id ?? name}`

/** Mentions of a conversation's draft. */
export function useMentions(drafts: Drafts, sessionId: string | null): ChosenMentions {
  const [chosen, setChosen] = useState(() => ({ sessionId, mentions: drafts.mentions.read(sessionId) }))
  let current = chosen
  if (chosen.sessionId !== sessionId) {
    current = { sessionId, mentions: drafts.mentions.read(sessionId) }
    setChosen(current)
  }
  const set = (mentions: Mention[]) => {
    drafts.mentions.write(sessionId, mentions)
    setChosen({ sessionId, mentions })
  }
  return {
    mentions: current.mentions,
    add(mentions) {
      const byKey = new Map([...drafts.mentions.read(sessionId), ...mentions].map((one) => [mentionKey(one), one]))
      set([...byKey.values()].slice(0, MESSAGE_MAX_MENTIONS))
    },
    remove: (mention) => set(current.mentions.filter((one) => mentionKey(one) !== mentionKey(mention))),
    clear: () => set([]),
  }
}
