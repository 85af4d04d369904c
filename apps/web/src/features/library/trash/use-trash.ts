import { type InfiniteData, useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { useUserEvents } from '../../../lib/loading/event-stream.ts'
import type { TrashedKind } from '../../../lib/loading/use-move-to-trash.ts'
import { useSoon } from '../../../lib/loading/use-soon.ts'
import { emptyTrash, kinds, type TrashPage } from './trashed-things.ts'

const PAGE_SIZE = 60
const events = new Set(['media.updated', 'chat.updated', 'events.resumed'])

/** Things of a kind in the trash, page after page and kept up to date, and the deeds for them. */
export function useTrash(kind: TrashedKind) {
  const queryClient = useQueryClient()
  const queryKey = ['trash', kind]
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => kinds[kind].list(pageParam, PAGE_SIZE, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    staleTime: 0,
  })
  const refreshSoon = useSoon(() => void queryClient.invalidateQueries({ queryKey }))
  useUserEvents((event) => {
    if (events.has(event.type)) refreshSoon()
  })
  /** Takes things off the list at once; the lists where they are again are read when they are shown. */
  const takeOff = (ids: readonly string[] | null) => {
    queryClient.setQueryData<InfiniteData<TrashPage>>(queryKey, (data) =>
      data
        ? {
            ...data,
            pages: data.pages.map((page) => {
              const things = page.things.filter(({ id }) => ids !== null && !ids.includes(id))
              const removedCount = ids === null ? (page.total ?? 0) : ids.length
              return { ...page, things, total: page.total === null ? null : Math.max(0, page.total - removedCount) }
            }),
          }
        : data,
    )
    return queryClient.invalidateQueries({ predicate: ({ queryKey: [name] }) => name !== 'config' && name !== 'me' })
  }
  const restore = useMutation({
    mutationFn: (id: string) => kinds[kind].restore([id]),
    onSuccess: (_done, id) => void takeOff([id]),
  })
  const remove = useMutation({
    mutationFn: (id: string) => kinds[kind].remove([id]),
    onSuccess: (_done, id) => void takeOff([id]),
  })
  const empty = useMutation({ mutationFn: () => emptyTrash(kind), onSuccess: () => void takeOff(null) })
  return {
    query,
    things: query.data?.pages.flatMap(({ things }) => things) ?? [],
    total: query.data?.pages.at(-1)?.total ?? null,
    restore,
    remove,
    empty,
  }
}
