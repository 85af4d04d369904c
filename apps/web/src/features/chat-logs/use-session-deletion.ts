import type { ChatSessionJson } from '@mira/shared'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { deleteChatSessions } from '../../api/chat-logs.ts'
import { useErrorText } from '../../lib/error-text.ts'
import { useText } from '../../lib/i18n.ts'
import { useConfirm } from '../../ui/confirm-dialog.tsx'
import { showToast } from '../../ui/show-toast.ts'
import { chatLogsKey } from './chat-logs-queries.ts'

/** Deletes conversations on the server once the person has confirmed it. */
export function useSessionDeletion() {
  const text = useText('chat-logs')
  const errorText = useErrorText()
  const confirm = useConfirm()
  const queryClient = useQueryClient()
  const [deletingIds, setDeletingIds] = useState<ReadonlySet<string>>(new Set())

  /**
   * Asks in the words for a selection, also of one, or in those for the one of a row.
   *
   * @returns true when they were deleted and the list was fetched again.
   */
  async function askAndDelete(sessions: readonly ChatSessionJson[], of: 'row' | 'selection'): Promise<boolean> {
    const [first] = sessions
    if (!first) return false
    const isConfirmed = await confirm({
      question: of === 'row' ? text('confirm.one') : text('confirm.many', { count: sessions.length }),
      detail: sessions.length === 1 ? text('confirm.detailOne', { name: first.session_name }) : text('confirm.detail'),
      confirmLabel: text('confirm.yes', { count: sessions.length }),
      tone: 'danger',
    })
    if (!isConfirmed) return false
    const ids = sessions.map(({ id }) => id)
    setDeletingIds((current) => new Set([...current, ...ids]))
    try {
      const count = await deleteChatSessions(ids)
      showToast({ tone: 'success', title: text('deleted', { count }) })
      await queryClient.invalidateQueries({ queryKey: chatLogsKey })
      return true
    } catch (error) {
      console.error('Conversations could not be deleted', error)
      showToast({ tone: 'danger', title: text('deleteFailed'), description: errorText(error) })
      return false
    } finally {
      setDeletingIds((current) => new Set([...current].filter((id) => !ids.includes(id))))
    }
  }

  return { deletingIds, askAndDelete }
}
