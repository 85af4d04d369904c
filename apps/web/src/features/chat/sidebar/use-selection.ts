import type { ChatSessionJson } from '@mira/shared'
import { useState } from 'react'

/** Selection among the listed conversations; those no longer listed drop out. */
export function useSelection(listed: readonly ChatSessionJson[]) {
  const [chosen, setChosen] = useState<ReadonlySet<string> | null>(null)
  const sessions = chosen === null ? [] : listed.filter(({ id }) => chosen.has(id))
  return {
    isOn: chosen !== null,
    sessions,
    ids: sessions.map(({ id }) => id),
    isAllArchived: sessions.length > 0 && sessions.every(({ archived }) => archived),
    has: (id: string) => chosen?.has(id) === true,
    set: (id: string, isSelected: boolean) =>
      setChosen((before) => {
        const next = new Set(before)
        if (isSelected) next.add(id)
        else next.delete(id)
        return next
      }),
    all: () => setChosen(new Set(listed.map(({ id }) => id))),
    begin: () => setChosen(new Set()),
    end: () => setChosen(null),
  }
}
