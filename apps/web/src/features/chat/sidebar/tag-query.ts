import { queryOptions } from '@tanstack/react-query'
import { fetchChatTags } from '../../../api/chat.ts'

/** What the conversations are tagged with, the most used first. */
export const chatTagsQuery = queryOptions({
  queryKey: ['chat-tags'],
  queryFn: ({ signal }) => fetchChatTags(signal),
})
