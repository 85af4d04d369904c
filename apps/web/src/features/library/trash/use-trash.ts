import type { MediaType } from '@mira/shared'
import { type InfiniteData, useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { call, callPage } from '../../../lib/api/client.ts'
import { deleteMediaItems, fetchLibrary, restoreMediaItems } from '../../../lib/api/library.ts'
import { useUserEvents } from '../../../lib/loading/event-stream.ts'
import type { TrashedKind } from '../../../lib/loading/use-move-to-trash.ts'
import { useThrottledAction } from '../../../lib/loading/use-throttled-action.ts'
import { forgetItemDrafts } from '../../../lib/session/kept-drafts.ts'

/** An entry of the trash. */
export interface TrashedThing {
  id: string
  /** Empty for a conversation without a title. */
  name: string
  /** Time of the final deletion. */
  until: string
  /** The item's picture; null for a conversation. */
  item: { type: MediaType; thumbnail: string | null; thumbhash: string | null } | null
  /** Null for an item. */
  messageCount: number | null
}

interface TrashPage {
  things: TrashedThing[]
  nextCursor: string | null
}

/** Calls that list, restore and delete things of each kind. */
const apiByKind: Record<
  TrashedKind,
  {
    fetchPage(cursor: string | null, limit: number, signal?: AbortSignal): Promise<TrashPage>
    restore(ids: readonly string[]): Promise<unknown>
    remove(ids: readonly string[]): Promise<unknown>
  }
> = {
  items: {
    async fetchPage(cursor, limit, signal) {
      const page = await fetchLibrary({ in: 'trash', sort: 'newest', limit, cursor }, signal)
      const things = page.media_items.map(({ id, metadata, media_type: type, thumbnail, thumbhash, trash }) => ({
        ...{ id, name: metadata.original_filename, until: trash?.until ?? '', messageCount: null },
        item: { type, thumbnail, thumbhash },
      }))
      return { things, nextCursor: page.next_cursor }
    },
    restore: restoreMediaItems,
    async remove(ids) {
      // items restored since the confirmation aren't deleted
      await deleteMediaItems(ids, 'trash')
      forgetItemDrafts(ids)
    },
  },
  conversations: {
    async fetchPage(cursor, limit, signal) {
      const page = await callPage('GET /chat/sessions', { signal, query: { in: 'trash', limit, cursor } })
      const things = page.items.map(({ id, session_name: name, message_count: messageCount, trash }) => ({
        ...{ id, name, until: trash?.until ?? '', item: null, messageCount },
      }))
      return { things, nextCursor: page.nextCursor }
    },
    restore: (ids) => call('POST /chat/sessions/restore', { json: { ids } }),
    remove: (ids) => call('POST /chat/sessions/delete', { json: { ids, in: 'trash' } }),
  },
}

/** Maximum page size of both lists. */
const MAX_PAGE_SIZE = 200

/** Ids of everything of a kind in the trash. */
async function listIds(kind: TrashedKind): Promise<string[]> {
  const ids: string[] = []
  let cursor: string | null = null
  do {
    const page: TrashPage = await apiByKind[kind].fetchPage(cursor, MAX_PAGE_SIZE)
    ids.push(...page.things.map(({ id }) => id))
    cursor = page.nextCursor
  } while (cursor !== null)
  return ids
}

async function removeAll(kind: TrashedKind, ids: readonly string[]): Promise<void> {
  for (let start = 0; start < ids.length; start += MAX_PAGE_SIZE) {
    await apiByKind[kind].remove(ids.slice(start, start + MAX_PAGE_SIZE))
  }
}

const PAGE_SIZE = 60
const refreshingEvents = new Set(['media.updated', 'chat.updated', 'events.resumed'])

/** The things of one kind in the trash, page by page and kept up to date, and the actions for them. */
export function useTrash(kind: TrashedKind) {
  const queryClient = useQueryClient()
  const queryKey = ['trash', kind]
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => apiByKind[kind].fetchPage(pageParam, PAGE_SIZE, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    staleTime: 0,
  })
  const refreshSoon = useThrottledAction(() => void queryClient.invalidateQueries({ queryKey }))
  useUserEvents((event) => {
    if (refreshingEvents.has(event.type)) refreshSoon()
  })
  /** Removes things from the list immediately; the lists they return to are refetched when shown. */
  const removeFromList = (ids: readonly string[]) => {
    const removed = new Set(ids)
    queryClient.setQueryData<InfiniteData<TrashPage>>(queryKey, (data) =>
      data
        ? {
            ...data,
            pages: data.pages.map((page) => ({ ...page, things: page.things.filter(({ id }) => !removed.has(id)) })),
          }
        : data,
    )
    return queryClient.invalidateQueries({ predicate: ({ queryKey: [name] }) => name !== 'config' && name !== 'me' })
  }
  const restore = useMutation({
    mutationFn: (id: string) => apiByKind[kind].restore([id]),
    onSuccess: (_done, id) => void removeFromList([id]),
  })
  const remove = useMutation({
    mutationFn: (id: string) => apiByKind[kind].remove([id]),
    onSuccess: (_done, id) => void removeFromList([id]),
  })
  const listAll = useMutation({ mutationFn: () => listIds(kind) })
  const empty = useMutation({
    mutationFn: (ids: readonly string[]) => removeAll(kind, ids),
    onSuccess: (_done, ids) => void removeFromList(ids),
  })
  return {
    query,
    things: query.data?.pages.flatMap(({ things }) => things) ?? [],
    listAll,
    restore,
    remove,
    empty,
  }
}
