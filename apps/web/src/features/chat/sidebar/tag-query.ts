import { queryOptions } from '@tanstack/react-query'
import { fetchChatTags } from '../../../api/chat.ts'

/** Tags of the conversations, the most used first. */
export const chatTagsQuery = queryOptions({
  queryKey: ['chat-tags'],
  queryFn: ({ signal }) => fetchChatTags(signal),
})
