import type { MediaType } from '@mira/shared'
import { call, callPage } from '../../../lib/api/client.ts'
import { deleteMediaItems, fetchLibrary, restoreMediaItems } from '../../../lib/api/library.ts'
import type { TrashedKind } from '../../../lib/loading/use-move-to-trash.ts'

/** A thing in the trash as it is listed. */
export interface TrashedThing {
  id: string
  /** Empty for a conversation without one. */
  name: string
  /** Time of the final deletion. */
  until: string
  /** The item's picture; null for a conversation. */
  item: { type: MediaType; thumbnail: string | null; thumbhash: string | null } | null
  messageCount: number | null
}

export interface TrashPage {
  things: TrashedThing[]
  nextCursor: string | null
  /** On all pages, where it is known. */
  total: number | null
}

/** Calls that list, restore and delete things of each kind. */
export const kinds: Record<
  TrashedKind,
  {
    list(cursor: string | null, limit: number, signal?: AbortSignal): Promise<TrashPage>
    restore(ids: readonly string[]): Promise<unknown>
    remove(ids: readonly string[]): Promise<unknown>
  }
> = {
  items: {
    async list(cursor, limit, signal) {
      const page = await fetchLibrary({ in: 'trash', sort: 'newest', limit, cursor }, signal)
      const things = page.media_items.map(({ id, metadata, media_type: type, thumbnail, thumbhash, trash }) => ({
        ...{ id, name: metadata.original_filename, until: trash?.until ?? '', messageCount: null },
        item: { type, thumbnail, thumbhash },
      }))
      return { things, nextCursor: page.next_cursor, total: page.total }
    },
    restore: restoreMediaItems,
    remove: deleteMediaItems,
  },
  conversations: {
    async list(cursor, limit, signal) {
      const page = await callPage('GET /chat/sessions', { signal, query: { in: 'trash', limit, cursor } })
      const things = page.items.map(({ id, session_name: name, message_count: messageCount, trash }) => ({
        ...{ id, name, until: trash?.until ?? '', item: null, messageCount },
      }))
      return { things, nextCursor: page.nextCursor, total: null }
    },
    restore: (ids) => call('POST /chat/sessions/restore', { json: { ids } }),
    remove: (ids) => call('POST /chat/sessions/delete', { json: { ids } }),
  },
}

/** As many as both lists give at once. */
const LARGEST_PAGE = 200

/** Deletes all that is in the trash of a kind, page by page. */
export async function emptyTrash(kind: TrashedKind): Promise<void> {
  for (;;) {
    const { things } = await kinds[kind].list(null, LARGEST_PAGE)
    if (things.length === 0) return
    await kinds[kind].remove(things.map(({ id }) => id))
  }
}
