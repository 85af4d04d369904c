import type { ChatSessionJson } from '@mira/shared'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../../../lib/api/client.ts'
import { TagsDialog } from '../../../lib/components/tags-dialog.tsx'
import { useText } from '../../../lib/i18n/i18n.ts'
import { chatTagsQuery, LIST_KEY } from './use-session-list.ts'

/** Dialog to add and remove tags of conversations. */
export function SessionTagsDialog({ sessions, onClose }: SessionTagsDialogProps) {
  const text = useText('conversations')
  const queryClient = useQueryClient()
  const { data: existingTags = [] } = useQuery(chatTagsQuery)
  return (
    <TagsDialog
      entries={sessions}
      existingTags={existingTags}
      labels={{
        title: text('tags.title', { count: sessions.length }),
        add: text('tags.add'),
        hint: text('tags.hint'),
        all: text('tags.all'),
        save: text('tags.save'),
      }}
      onSave={async ({ add, remove }) => {
        await call('POST /chat/sessions/change', {
          json: { ids: sessions.map(({ id }) => id), add_tags: add, remove_tags: remove },
        })
        await Promise.all([
          queryClient.invalidateQueries({ queryKey: [LIST_KEY] }),
          queryClient.invalidateQueries({ queryKey: chatTagsQuery.queryKey }),
        ])
      }}
      onClose={onClose}
    />
  )
}

type SessionTagsDialogProps = { sessions: readonly ChatSessionJson[]; onClose: () => void }
