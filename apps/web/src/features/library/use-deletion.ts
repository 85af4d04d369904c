import { type InfiniteData, useQueryClient } from '@tanstack/react-query'
import { useMoveToTrash } from '../../lib/loading/use-move-to-trash.ts'
import { changeItems, type GridPage } from './library-items.ts'
import { libraryKey, statsQuery, tagsQuery } from './library-queries.ts'

/** Asks, moves items to the trash and takes them off the lists; it can be taken back. */
export function useDeletion() {
  const moveToTrash = useMoveToTrash('items')
  const queryClient = useQueryClient()
  const readAgain = (...keys: (readonly unknown[])[]) =>
    Promise.all(keys.map((queryKey) => queryClient.invalidateQueries({ queryKey })))

  /** @returns true when they have gone. */
  return (items: readonly { id: string; name: string }[]): Promise<boolean> =>
    moveToTrash(items, {
      onMoved: () => {
        const ids = new Set(items.map(({ id }) => id))
        queryClient.setQueriesData<InfiniteData<GridPage>>({ queryKey: libraryKey }, (data) =>
          data ? { ...data, pages: changeItems(data.pages, ids, () => null) } : data,
        )
        void readAgain(statsQuery.queryKey, tagsQuery.queryKey)
      },
      onRestored: () => readAgain(libraryKey, statsQuery.queryKey, tagsQuery.queryKey),
    })
}
