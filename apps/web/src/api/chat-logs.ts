import type { ChatSessionJson, ChatStats, ListChatSessionsQuery } from '@mira/shared'
import { call, callPage, type Page } from './client.ts'

/** Filters and cursor for a page of conversations. */
export type ChatLogQuery = Pick<ListChatSessionsQuery, 'query' | 'status' | 'sort' | 'order' | 'limit'> & {
  cursor: string | null
}

/** A part of the user's conversations, searched, filtered and sorted by the server. */
export async function fetchChatLog(query: ChatLogQuery, signal?: AbortSignal): Promise<Page<ChatSessionJson>> {
  return callPage('GET /chat/sessions', { signal, query: { ...query, archived: 'any', query: query.query || null } })
}

/** The figures over all of the user's conversations. */
export async function fetchChatStats(signal?: AbortSignal): Promise<ChatStats> {
  return call('GET /chat/stats', { signal })
}
