import type { ChatSessionJson } from '@mira/shared'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { updateChatSession } from '../../api/chat.ts'
import { useErrorText } from '../../lib/error-text.ts'
import { useText } from '../../lib/i18n.ts'
import { showToast } from '../../ui/show-toast.ts'
import { chatLogsKey } from './chat-logs-queries.ts'
import { withSelected } from './session-list.ts'

/** Marks conversations completed, or active again, on the server. */
export function useSessionStatus() {
  const text = useText('chat-logs')
  const errorText = useErrorText()
  const queryClient = useQueryClient()
  const [changingIds, setChangingIds] = useState<ReadonlySet<string>>(new Set())

  async function changeStatus({ id, status }: ChatSessionJson): Promise<void> {
    // The button stays enabled, so that it keeps the focus: a second press waits for the first.
    if (changingIds.has(id)) return
    setChangingIds((current) => withSelected(current, id, true))
    try {
      await updateChatSession(id, { status: status === 'active' ? 'completed' : 'active' })
      await queryClient.invalidateQueries({ queryKey: chatLogsKey })
    } catch (error) {
      console.error('The status of a conversation could not be changed', error)
      showToast({ tone: 'danger', title: text('statusFailed'), description: errorText(error) })
    } finally {
      setChangingIds((current) => withSelected(current, id, false))
    }
  }

  return { changingIds, changeStatus }
}
