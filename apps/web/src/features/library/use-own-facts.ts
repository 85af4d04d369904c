import { useQueryClient } from '@tanstack/react-query'
import { changeMediaItems } from '../../lib/api/library.ts'
import { useErrorText } from '../../lib/i18n/error-text.ts'
import { useText } from '../../lib/i18n/i18n.ts'
import { showToast } from '../../ui/show-toast.ts'
import type { GridItem } from './library-items.ts'
import { itemQuery, libraryKey } from './library-queries.ts'
import { type FactChanges, undoOf } from './own-facts.ts'

const UNDO_MS = 10_000

/** Changes when and where items were taken, and offers to take that back; throws what the server refuses. */
export function useOwnFacts() {
  const text = useText('gallery')
  const errorText = useErrorText()
  const queryClient = useQueryClient()

  const refresh = async (ids: readonly string[]) => {
    await Promise.all([
      queryClient.invalidateQueries({ queryKey: libraryKey }),
      ...ids.slice(0, 1).map((id) => queryClient.invalidateQueries({ queryKey: itemQuery(id).queryKey })),
    ])
  }

  return async function change(items: readonly GridItem[], changes: FactChanges): Promise<void> {
    const ids = items.map(({ id }) => id)
    const takeBack = async () => {
      try {
        for (const undo of undoOf(items, changes)) await changeMediaItems(undo.ids, undo.changes)
        await refresh(ids)
      } catch (error) {
        console.error('A change could not be taken back', error)
        showToast({ tone: 'danger', title: text('edit.failed'), description: errorText(error) })
      }
    }
    await changeMediaItems(ids, changes)
    await refresh(ids)
    showToast({
      title: text('facts.changed', { count: ids.length }),
      durationMs: UNDO_MS,
      action: { label: text('delete.undo'), onSelect: () => void takeBack() },
    })
  }
}
