import type { ChatSessionJson } from '@mira/shared'
import { useQueryClient } from '@tanstack/react-query'
import { useMoveToTrash } from '../../lib/use-move-to-trash.ts'
import { chatLogsKey } from './chat-logs-queries.ts'

/** Moves conversations to the trash once the person has confirmed it; tells whether they have gone. */
export function useSessionDeletion() {
  const moveToTrash = useMoveToTrash('conversations')
  const queryClient = useQueryClient()
  const readAgain = () => queryClient.invalidateQueries({ queryKey: chatLogsKey })
  return (sessions: readonly ChatSessionJson[], of: 'row' | 'selection'): Promise<boolean> =>
    moveToTrash(
      sessions.map(({ id, session_name }) => ({ id, name: session_name })),
      { isSelection: of === 'selection', onMoved: readAgain, onRestored: readAgain },
    )
}
