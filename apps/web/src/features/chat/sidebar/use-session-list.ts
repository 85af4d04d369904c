import type { ChatSessionJson } from '@mira/shared'
import { type InfiniteData, queryOptions, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import { call, callPage, type Page } from '../../../lib/api/client.ts'
import { useUserEvents } from '../../../lib/loading/event-stream.ts'
import { type SessionFilter, updateChatSession } from '../conversation/chat-calls.ts'

/** The conversations that were loaded, page by page, newest first. */
type SessionPages = Page<ChatSessionJson>[]

/** All conversations of the pages; a conversation that moved between two requests is included once. */
export function sessionsOf(pages: SessionPages): ChatSessionJson[] {
  const seenIds = new Set<string>()
  return pages.flatMap(({ items }) =>
    items.filter(({ id }) => {
      if (seenIds.has(id)) return false
      seenIds.add(id)
      return true
    }),
  )
}

/** Separates pinned conversations from the others. Both are sorted newest first, even after changes to single ones. */
export function splitPinned(sessions: readonly ChatSessionJson[]): {
  pinned: ChatSessionJson[]
  others: ChatSessionJson[]
} {
  const newestFirst = sessions.toSorted((one, other) => other.updated_at.localeCompare(one.updated_at))
  return { pinned: newestFirst.filter(({ pinned }) => pinned), others: newestFirst.filter(({ pinned }) => !pinned) }
}

/** Replaces the first page with a fresh one, without refetching the others. */
export function withFreshFirstPage(pages: SessionPages, fresh: Page<ChatSessionJson>): SessionPages {
  const [first, ...others] = pages
  if (!first || fresh.nextCursor === null || others.length === 0) return [fresh]
  const freshIds = new Set(fresh.items.map(({ id }) => id))
  const oldest = fresh.items.at(-1)
  // Conversations pushed off the first page by newer ones; any others missing from it were deleted.
  const pushedOff = first.items.filter(
    ({ id, updated_at }) => !freshIds.has(id) && oldest !== undefined && updated_at <= oldest.updated_at,
  )
  const [second, ...rest] = others as [Page<ChatSessionJson>, ...SessionPages]
  return [fresh, { ...second, items: [...pushedOff, ...second.items] }, ...rest].map((page, index) =>
    index === 0 ? page : { ...page, items: page.items.filter(({ id }) => !freshIds.has(id)) },
  )
}

/** Removes a conversation from the pages. */
export function withoutSession(pages: SessionPages, sessionId: string): SessionPages {
  return pages.map((page) => ({ ...page, items: page.items.filter(({ id }) => id !== sessionId) }))
}

/** Replaces a changed conversation in the pages. */
export function withSession(pages: SessionPages, session: ChatSessionJson): SessionPages {
  return pages.map((page) => ({ ...page, items: page.items.map((one) => (one.id === session.id ? session : one)) }))
}

/** Tags of the conversations, the most used first. */
export const chatTagsQuery = queryOptions({
  queryKey: ['chat-tags'],
  queryFn: ({ signal }) => call('GET /chat/tags', { signal }).then(({ tags }) => tags),
})

const PAGE_SIZE = 30
/** Prefix of the query keys of all lists of conversations. */
export const LIST_KEY = 'chat-session-list'
/** An answer causes several events; the list is fetched once for all of them. */
const DEBOUNCE_MS = 300

type ListData = InfiniteData<Page<ChatSessionJson>, string | null>

/** Query of the loaded pages. */
export type LoadedSessions = ReturnType<typeof useSessionList>['list']

/** The user's conversations beside the chat: searched, paged, and kept up to date by the server's events. */
export function useSessionList({ query, archived, tag, projectId }: SessionFilter) {
  const queryClient = useQueryClient()
  const key = useMemo(() => [LIST_KEY, query, archived, tag, projectId], [query, archived, tag, projectId])
  const [answeringIds, setAnsweringIds] = useState<ReadonlySet<string>>(new Set())
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  /** Number of refreshes requested so far. */
  const requestCount = useRef(0)
  /** Responses to refreshes up to this number are ignored: a newer response is shown, or they may lack a later change. */
  const ignoredUpTo = useRef(0)

  const list = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) =>
      callPage('GET /chat/sessions', {
        signal,
        query: { query: query || null, archived, tag, project_id: projectId, cursor: pageParam, limit: PAGE_SIZE },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    placeholderData: (previous) => previous,
    // Changes arrive as events; refetching all pages would move the list under the pointer.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })

  const updatePages = (edit: (pages: SessionPages) => SessionPages) => {
    // The response of a refresh that is under way may not include this change, so it's ignored and requested again.
    if (ignoredUpTo.current < requestCount.current) {
      ignoredUpTo.current = requestCount.current
      refreshSoon()
    }
    queryClient.setQueriesData<ListData>(
      { queryKey: [LIST_KEY] },
      (data) => data && { ...data, ...pagesAndCursors(edit(data.pages)) },
    )
  }

  const refreshSoon = () => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      requestCount.current += 1
      const number = requestCount.current
      callPage('GET /chat/sessions', {
        query: { query: query || null, archived, tag, project_id: projectId, limit: PAGE_SIZE },
      }).then(
        (fresh) => {
          if (number <= ignoredUpTo.current) return
          ignoredUpTo.current = number
          queryClient.setQueryData<ListData>(
            key,
            (data) => data && { ...data, ...pagesAndCursors(withFreshFirstPage(data.pages, fresh)) },
          )
        },
        // The list that is shown stays; the next event or page brings it up to date.
        (error) => console.warn('The list of conversations could not be refreshed', error),
      )
    }, DEBOUNCE_MS)
  }
  useEffect(() => () => clearTimeout(timer.current), [])

  useUserEvents((event) => {
    if (event.type === 'events.resumed') {
      // The events that ended these answers may have been missed.
      setAnsweringIds(new Set())
      refreshSoon()
    }
    if (event.type !== 'chat.updated') return
    setAnsweringIds((ids) => withMembership(ids, event.session_id, event.answering === true && !event.deleted))
    if (event.deleted) updatePages((pages) => withoutSession(pages, event.session_id))
    else refreshSoon()
  })

  return {
    list,
    sessions: useMemo(() => sessionsOf(list.data?.pages ?? []), [list.data]),
    /** Conversations with an answer in progress. */
    answeringIds,
    rename: async (id: string, sessionName: string) => {
      const session = await updateChatSession(id, { session_name: sessionName })
      updatePages((pages) => withSession(pages, session))
    },
    pin: async (id: string, isPinned: boolean) => {
      const session = await updateChatSession(id, { pinned: isPinned })
      updatePages((pages) => withSession(pages, session))
      // It may belong to another page now.
      await queryClient.invalidateQueries({ queryKey: [LIST_KEY] })
    },
  }
}

/** Pages with their cursors: each page's is the previous page's `nextCursor`. */
function pagesAndCursors(pages: SessionPages): ListData {
  return { pages, pageParams: [null, ...pages.slice(0, -1).map(({ nextCursor }) => nextCursor)] }
}

function withMembership(ids: ReadonlySet<string>, id: string, isMember: boolean): ReadonlySet<string> {
  if (ids.has(id) === isMember) return ids
  const next = new Set(ids)
  if (isMember) next.add(id)
  else next.delete(id)
  return next
}
