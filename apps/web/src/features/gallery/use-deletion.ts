import { type InfiniteData, useQueryClient } from '@tanstack/react-query'
import { useErrorText } from '../../lib/error-text.ts'
import { useText } from '../../lib/i18n.ts'
import { useConfirm } from '../../ui/confirm-dialog.tsx'
import { dismissToast, showToast } from '../../ui/show-toast.ts'
import { deleteSoon, UNDO_MS } from './deletion.ts'
import { changeItems, type GridPage } from './library-items.ts'
import { libraryKey, statsQuery, tagsQuery } from './library-queries.ts'

/** Asks, hides the items at once, and deletes them when nobody has taken it back for six seconds. */
export function useDeletion() {
  const text = useText('gallery')
  const errorText = useErrorText()
  const confirm = useConfirm()
  const queryClient = useQueryClient()

  /** @returns true when the person has confirmed it. */
  return async function askAndDelete(items: readonly { id: string; name: string }[]): Promise<boolean> {
    const [first] = items
    if (!first) return false
    const count = items.length
    const isConfirmed = await confirm({
      question: text('delete.question', { count }),
      detail: count === 1 ? text('delete.detailOne', { name: first.name }) : text('delete.detail'),
      confirmLabel: text('delete.confirm', { count }),
      tone: 'danger',
    })
    if (!isConfirmed) return false
    const ids = items.map(({ id }) => id)
    const takeBack = deleteSoon(ids, async (error) => {
      dismissToast(toast)
      if (error !== null) {
        console.error('Items could not be deleted', error)
        showToast({ tone: 'danger', title: text('delete.failed'), description: errorText(error) })
        return
      }
      queryClient.setQueriesData<InfiniteData<GridPage>>({ queryKey: libraryKey }, (data) =>
        data ? { ...data, pages: changeItems(data.pages, new Set(ids), () => null) } : data,
      )
      await Promise.all([
        queryClient.invalidateQueries({ queryKey: statsQuery.queryKey }),
        queryClient.invalidateQueries({ queryKey: tagsQuery.queryKey }),
      ])
    })
    const toast = showToast({
      title: text('delete.done', { count }),
      durationMs: UNDO_MS,
      action: { label: text('delete.undo'), onSelect: takeBack },
    })
    return true
  }
}
