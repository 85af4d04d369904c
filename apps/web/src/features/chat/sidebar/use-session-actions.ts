import type { ChatSessionJson } from '@mira/shared'
import { useQueryClient } from '@tanstack/react-query'
import { changeChatSessions, exportChatSession } from '../../../api/chat.ts'
import { useErrorText } from '../../../lib/error-text.ts'
import { useText } from '../../../lib/i18n.ts'
import { saveFile } from '../../../lib/save-file.ts'
import { useMoveToTrash } from '../../../lib/use-move-to-trash.ts'
import { showToast } from '../../../ui/show-toast.ts'
import { chatTagsQuery } from './tag-query.ts'
import { LIST_KEY } from './use-session-list.ts'

/** Long enough to read what happened and to take it back. */
const UNDO_MS = 8000

/** Actions on one or more conversations; toasts report success and failure. */
export function useSessionActions() {
  const text = useText('chat')
  const bulkText = useText('conversations')
  const errorText = useErrorText()
  const moveToTrash = useMoveToTrash('conversations')
  const queryClient = useQueryClient()
  const tellFailure = (title: string) => (error: unknown) =>
    showToast({ tone: 'danger', title, description: errorText(error) })

  const setArchived = async (ids: readonly string[], archived: boolean): Promise<void> => {
    await changeChatSessions({ ids: [...ids], archived })
    await queryClient.invalidateQueries({ queryKey: [LIST_KEY] })
  }

  const readAgain = () =>
    Promise.all([
      queryClient.invalidateQueries({ queryKey: [LIST_KEY] }),
      queryClient.invalidateQueries({ queryKey: chatTagsQuery.queryKey }),
    ])

  return {
    tellFailure,

    /** Archives or takes back; the person can undo it. */
    archive: async (ids: readonly string[], archived: boolean): Promise<boolean> => {
      const failed = tellFailure(bulkText('archive.failed'))
      try {
        await setArchived(ids, archived)
      } catch (error) {
        failed(error)
        return false
      }
      showToast({
        title: bulkText(archived ? 'archive.done' : 'archive.restored', { count: ids.length }),
        durationMs: UNDO_MS,
        action: {
          label: bulkText('archive.undo'),
          onSelect: () => void setArchived(ids, !archived).catch(failed),
        },
      })
      return true
    },

    exportAs: (session: ChatSessionJson, format: 'markdown' | 'json') => {
      exportChatSession(session.id, format)
        .then(saveFile)
        .catch(tellFailure(text('export.failed')))
    },

    /** Moves them to the trash after a question; whether they have gone. */
    remove: (sessions: readonly ChatSessionJson[]): Promise<boolean> =>
      moveToTrash(
        sessions.map(({ id, session_name }) => ({ id, name: session_name || text('list.unnamed') })),
        { onMoved: readAgain, onRestored: readAgain },
      ),
  }
}
