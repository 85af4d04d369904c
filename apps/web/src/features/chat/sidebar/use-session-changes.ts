import type { ChatSessionJson } from '@mira/shared'
import type { RefObject } from 'react'
import { useNavigate } from 'react-router-dom'
import { useText } from '../../../lib/i18n.ts'
import { paths } from '../../../lib/paths.ts'
import type { useSelection } from './use-selection.ts'
import { useSessionActions } from './use-session-actions.ts'
import type { useSessionList } from './use-session-list.ts'

interface SessionChangesOptions {
  list: Pick<ReturnType<typeof useSessionList>, 'rename' | 'pin'>
  selection: ReturnType<typeof useSelection>
  /** Around the list. */
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
  const navigate = useNavigate()
  const actions = useSessionActions()

  const removeOne = async (session: ChatSessionJson) => {
    const next = neighbourOf(scroller.current, session.id)
    if (!(await actions.remove([session]))) return
    onDeleted(session.id)
    if (session.id === currentId) await navigate(paths.chat)
    else next?.focus()
  }

  const archiveSelected = async () => {
    if (await actions.archive(selection.ids, !selection.isAllArchived)) selection.end()
  }

  const removeSelected = async () => {
    const { ids, sessions } = selection
    if (!(await actions.remove(sessions))) return
    selection.end()
    for (const id of ids) onDeleted(id)
    if (currentId !== null && ids.includes(currentId)) await navigate(paths.chat)
  }

  return {
    rename(session: ChatSessionJson, sessionName: string): void {
      list
        .rename(session.id, sessionName)
        .then(() => onRenamed(session.id, sessionName), actions.tellFailure(text('rename.failed')))
    },
    pin(session: ChatSessionJson, isPinned: boolean): void {
      list.pin(session.id, isPinned).catch(actions.tellFailure(text('list.pinFailed')))
    },
    archive: (session: ChatSessionJson, isArchived: boolean) => void actions.archive([session.id], isArchived),
    exportAs: actions.exportAs,
    /** Asks first; the focus goes to the neighbour. */
    remove: (session: ChatSessionJson) => void removeOne(session),
    archiveSelected: () => void archiveSelected(),
    removeSelected: () => void removeSelected(),
  }
}

/** The links of a list, in their order. */
export function sessionLinks(list: Element | null): HTMLElement[] {
  return [...(list?.querySelectorAll<HTMLElement>('[data-session-link]') ?? [])]
}

/** The link that takes the focus when a conversation goes. */
function neighbourOf(list: Element | null, sessionId: string): HTMLElement | null {
  const links = sessionLinks(list)
  const index = links.findIndex((link) => link.dataset.sessionLink === sessionId)
  return links[index + 1] ?? links[index - 1] ?? null
}
