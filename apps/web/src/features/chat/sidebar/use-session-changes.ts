import type { ChatSessionJson } from '@mira/shared'
import { useQueryClient } from '@tanstack/react-query'
import { type RefObject, useCallback } from 'react'
import { useNavigate } from 'react-router-dom'
import { call } from '../../../lib/api/client.ts'
import { saveFile } from '../../../lib/browser/save-file.ts'
import { useErrorText } from '../../../lib/i18n/error-text.ts'
import { useText } from '../../../lib/i18n/i18n.ts'
import { useMoveToTrash } from '../../../lib/loading/use-move-to-trash.ts'
import { paths } from '../../../lib/session/paths.ts'
import { showToast } from '../../../ui/show-toast.ts'
import { useCurrentIfMounted } from '../../../ui/use-close-if-mounted.ts'
import { exportChatSession } from '../conversation/chat-calls.ts'
import type { useSelection } from './selection-bar.tsx'
import { chatTagsQuery, LIST_KEY, type useSessionList } from './use-session-list.ts'

/** Display time of the toast with Undo. */
const UNDO_MS = 8000

/** Actions on one or more conversations; toasts report success and failure. */
function useSessionActions() {
  const text = useText('chat')
  const conversationsText = useText('conversations')
  const errorText = useErrorText()
  const moveToTrash = useMoveToTrash('conversations')
  const queryClient = useQueryClient()
  const reportFailure = (title: string) => (error: unknown) =>
    showToast({ tone: 'danger', title, description: errorText(error) })

  const setArchived = async (ids: readonly string[], archived: boolean): Promise<void> => {
    await call('POST /chat/sessions/change', { json: { ids: [...ids], archived } })
    await queryClient.invalidateQueries({ queryKey: [LIST_KEY] })
  }

  const refetch = () =>
    Promise.all([
      queryClient.invalidateQueries({ queryKey: [LIST_KEY] }),
      queryClient.invalidateQueries({ queryKey: chatTagsQuery.queryKey }),
    ])

  return {
    reportFailure,

    /** Archives or restores conversations; a toast offers to undo it. */
    archive: async (ids: readonly string[], archived: boolean): Promise<boolean> => {
      const showFailure = reportFailure(conversationsText('archive.failed'))
      try {
        await setArchived(ids, archived)
      } catch (error) {
        showFailure(error)
        return false
      }
      showToast({
        title: conversationsText(archived ? 'archive.done' : 'archive.restored', { count: ids.length }),
        durationMs: UNDO_MS,
        action: {
          label: conversationsText('archive.undo'),
          onSelect: () => void setArchived(ids, !archived).catch(showFailure),
        },
      })
      return true
    },

    exportAs: (session: ChatSessionJson, format: 'markdown' | 'json') => {
      exportChatSession(session.id, format)
        .then(saveFile)
        .catch(reportFailure(text('export.failed')))
    },

    /** Moves conversations to the trash after the user has confirmed; false if they weren't moved. */
    remove: (sessions: readonly ChatSessionJson[]): Promise<boolean> =>
      moveToTrash(
        sessions.map(({ id, session_name }) => ({ id, name: session_name || text('list.unnamed') })),
        { onMoved: refetch, onRestored: refetch },
      ),
  }
}

interface SessionChangesOptions {
  list: Pick<ReturnType<typeof useSessionList>, 'rename' | 'pin'>
  selection: ReturnType<typeof useSelection>
  /** Element around the list. */
  scroller: RefObject<HTMLElement | null>
  currentId: string | null
  onRenamed: (sessionId: string, sessionName: string) => void
  onDeleted: (sessionId: string) => void
}

/** Changes to a single conversation of the list or to the selected ones; failures are reported. */
export function useSessionChanges({
  list,
  selection,
  scroller,
  currentId,
  onRenamed,
  onDeleted,
}: SessionChangesOptions) {
  const text = useText('chat')
  const actions = useSessionActions()

  const removeOne = async (session: ChatSessionJson) => {
    const next = neighbourOf(scroller.current, session.id)
    if (!(await actions.remove([session]))) return
    onDeleted(session.id)
    const isInList = scroller.current?.contains(document.activeElement) === true
    if (session.id !== currentId && (isInList || document.activeElement === document.body)) next?.focus()
  }

  const archiveSelected = async () => {
    if (await actions.archive(selection.ids, !selection.isAllArchived)) selection.end()
  }

  const removeSelected = async () => {
    const { ids, sessions } = selection
    if (!(await actions.remove(sessions))) return
    selection.end()
    for (const id of ids) onDeleted(id)
  }

  return {
    rename(session: ChatSessionJson, sessionName: string): void {
      list
        .rename(session.id, sessionName)
        .then(() => onRenamed(session.id, sessionName), actions.reportFailure(text('rename.failed')))
    },
    pin(session: ChatSessionJson, isPinned: boolean): void {
      list.pin(session.id, isPinned).catch(actions.reportFailure(text('list.pinFailed')))
    },
    archive: (session: ChatSessionJson, isArchived: boolean) => void actions.archive([session.id], isArchived),
    exportAs: actions.exportAs,
    /** Moves a conversation to the trash after the user has confirmed. The focus goes to its neighbour unless it has left the list. */
    remove: (session: ChatSessionJson) => void removeOne(session),
    archiveSelected: () => void archiveSelected(),
    removeSelected: () => void removeSelected(),
  }
}

/** Callback for a deleted conversation: forgets it, and opens a new one if the deleted one is still shown. */
export function useDeletionHandler(currentId: string | null, forget: (sessionId: string) => void) {
  const navigate = useNavigate()
  const shownId = useCurrentIfMounted(currentId)
  return useCallback(
    (sessionId: string) => {
      forget(sessionId)
      if (sessionId === shownId.current) void navigate(paths.chat)
    },
    [forget, navigate, shownId],
  )
}

/** Links of the list, in order. */
export function sessionLinks(list: Element | null): HTMLElement[] {
  return [...(list?.querySelectorAll<HTMLElement>('[data-session-link]') ?? [])]
}

/** Link to focus after a conversation is removed. */
function neighbourOf(list: Element | null, sessionId: string): HTMLElement | null {
  const links = sessionLinks(list)
  const index = links.findIndex((link) => link.dataset.sessionLink === sessionId)
  return links[index + 1] ?? links[index - 1] ?? null
}
