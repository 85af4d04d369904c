import type { ChatSessionJson } from '@mira/shared'
import { useQueryClient } from '@tanstack/react-query'
import { changeChatSessions, deleteChatSessions, exportChatSession } from '../../../api/chat.ts'
import { useErrorText } from '../../../lib/error-text.ts'
import { useText } from '../../../lib/i18n.ts'
import { saveFile } from '../../../lib/save-file.ts'
import { useConfirm } from '../../../ui/confirm-dialog.tsx'
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
  const confirm = useConfirm()
  const queryClient = useQueryClient()
  const tellFailure = (title: string) => (error: unknown) =>
    showToast({ tone: 'danger', title, description: errorText(error) })

  const setArchived = async (ids: readonly string[], archived: boolean): Promise<void> => {
    await changeChatSessions({ ids: [...ids], archived })
    await queryClient.invalidateQueries({ queryKey: [LIST_KEY] })
  }

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

    isSureToDelete: (session: ChatSessionJson) =>
      confirm({
        question: text('delete.question'),
        detail: session.session_name,
        confirmLabel: text('delete.action'),
        tone: 'danger',
      }),

    /** Deletes several after a question; whether they are gone. */
    removeMany: async (ids: readonly string[]): Promise<boolean> => {
      const count = ids.length
      const isSure = await confirm({
        question: bulkText('delete.question', { count }),
        detail: bulkText('delete.detail'),
        confirmLabel: bulkText('delete.confirm'),
        tone: 'danger',
      })
      if (!isSure) return false
      try {
        await deleteChatSessions(ids)
      } catch (error) {
        tellFailure(bulkText('delete.failed'))(error)
        return false
      }
      showToast({ title: bulkText('delete.done', { count }) })
      await Promise.all([
        queryClient.invalidateQueries({ queryKey: [LIST_KEY] }),
        queryClient.invalidateQueries({ queryKey: chatTagsQuery.queryKey }),
      ])
      return true
    },
  }
}
