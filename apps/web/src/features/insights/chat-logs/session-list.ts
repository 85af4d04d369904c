import type { ChatSessionJson } from '@mira/shared'

/** Props shared by the table and the cards of conversations. */
export interface SessionListProps {
  sessions: readonly ChatSessionJson[]
  selectedIds: ReadonlySet<string>
  onSelectedIdsChange: (ids: ReadonlySet<string>) => void
  onDelete: (session: ChatSessionJson) => void
  /** Being marked completed or active right now. */
  changingIds: ReadonlySet<string>
  /** Marks an active one completed, and a completed one active. */
  onStatusChange: (session: ChatSessionJson) => void
}

/** The selection after one conversation was ticked or unticked. */
export function withSelected(ids: ReadonlySet<string>, id: string, isSelected: boolean): Set<string> {
  const next = new Set(ids)
  if (isSelected) next.add(id)
  else next.delete(id)
  return next
}
