import type { ChatSessionJson } from '@mira/shared'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { changeChatSessions } from '../../../api/chat.ts'
import { useText } from '../../../lib/i18n.ts'
import { TagsDialog } from '../../../lib/tags-dialog.tsx'
import { chatTagsQuery } from './tag-query.ts'
import { LIST_KEY } from './use-session-list.ts'

/** Gives tags to conversations, or takes them away. */
export function SessionTagsDialog({ sessions: tagged, onClose }: SessionTagsDialogProps) {
  const text = useText('conversations')
  const queryClient = useQueryClient()
  const { data: known = [] } = useQuery({ ...chatTagsQuery, enabled: tagged !== null })
  // while it closes it shows those that it was opened for
  const [sessions, setSessions] = useState(tagged ?? [])
  if (tagged !== null && tagged !== sessions) setSessions(tagged)
  return (
    <TagsDialog
      open={tagged !== null}
      tagged={sessions}
      known={known}
      labels={{
        title: text('tags.title', { count: sessions.length }),
        add: text('tags.add'),
        hint: text('tags.hint'),
        all: text('tags.all'),
        save: text('tags.save'),
      }}
      onSave={async ({ add, remove }) => {
        await changeChatSessions({ ids: sessions.map(({ id }) => id), add_tags: add, remove_tags: remove })
        await Promise.all([
          queryClient.invalidateQueries({ queryKey: [LIST_KEY] }),
          queryClient.invalidateQueries({ queryKey: chatTagsQuery.queryKey }),
        ])
      }}
      onClose={onClose}
    />
  )
}

type SessionTagsDialogProps = {
  /** Those that it is open for; null while it is closed. */
  sessions: readonly ChatSessionJson[] | null
  onClose: () => void
}
