import type { ChatSessionJson } from '@mira/shared'
import type { Page } from '../../../lib/api/client.ts'

/** The conversations that were loaded, page by page, newest first. */
export type SessionPages = Page<ChatSessionJson>[]

/** All conversations of the pages; one that moved between two loads is there once. */
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

/** Tells pinned conversations from the others, each newest first, also while changes come in one by one. */
export function splitPinned(sessions: readonly ChatSessionJson[]): {
  pinned: ChatSessionJson[]
  others: ChatSessionJson[]
} {
  const newestFirst = sessions.toSorted((one, other) => other.updated_at.localeCompare(one.updated_at))
  return { pinned: newestFirst.filter(({ pinned }) => pinned), others: newestFirst.filter(({ pinned }) => !pinned) }
}

/** Puts a first page that was loaded again before the others, without reading those again. */
export function withFreshFirstPage(pages: SessionPages, fresh: Page<ChatSessionJson>): SessionPages {
  const [first, ...others] = pages
  if (!first || fresh.nextCursor === null || others.length === 0) return [fresh]
  const freshIds = new Set(fresh.items.map(({ id }) => id))
  const oldest = fresh.items.at(-1)
  // What newer ones pushed off the first page; what should be on it and is not was deleted.
  const pushedOff = first.items.filter(
    ({ id, updated_at }) => !freshIds.has(id) && oldest !== undefined && updated_at <= oldest.updated_at,
  )
  const [second, ...rest] = others as [Page<ChatSessionJson>, ...SessionPages]
  return [fresh, { ...second, items: [...pushedOff, ...second.items] }, ...rest].map((page, index) =>
    index === 0 ? page : { ...page, items: page.items.filter(({ id }) => !freshIds.has(id)) },
  )
}

/** Leaves a conversation out of the pages. */
export function withoutSession(pages: SessionPages, sessionId: string): SessionPages {
  return pages.map((page) => ({ ...page, items: page.items.filter(({ id }) => id !== sessionId) }))
}

/** Puts a changed conversation in its place. */
export function withSession(pages: SessionPages, session: ChatSessionJson): SessionPages {
  return pages.map((page) => ({ ...page, items: page.items.map((one) => (one.id === session.id ? session : one)) }))
}
