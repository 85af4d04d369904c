import { queryOptions } from '@tanstack/react-query'
import { call } from '../../../lib/api/client.ts'

/** Tags of the conversations, the most used first. */
export const chatTagsQuery = queryOptions({
  queryKey: ['chat-tags'],
  queryFn: ({ signal }) => call('GET /chat/tags', { signal }).then(({ tags }) => tags),
})
