import type { ChatSessionJson } from '@mira/shared'
import { useState } from 'react'

/** Selection among the listed conversations; those no longer listed drop out. */
export function useSelection(listed: readonly ChatSessionJson[]) {
  const [selectedIds, setSelectedIds] = useState<ReadonlySet<string> | null>(null)
  const sessions = selectedIds === null ? [] : listed.filter(({ id }) => selectedIds.has(id))
  return {
    isOn: selectedIds !== null,
    sessions,
    ids: sessions.map(({ id }) => id),
    isAllArchived: sessions.length > 0 && sessions.every(({ archived }) => archived),
    has: (id: string) => selectedIds?.has(id) === true,
    set: (id: string, isSelected: boolean) =>
      setSelectedIds((before) => {
        const next = new Set(before)
        if (isSelected) next.add(id)
        else next.delete(id)
        return next
      }),
    all: () => setSelectedIds(new Set(listed.map(({ id }) => id))),
    begin: () => setSelectedIds(new Set()),
    end: () => setSelectedIds(null),
  }
}
