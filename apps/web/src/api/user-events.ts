import type { UserEventJson } from '@mira/shared'
import { SSE_DONE } from '@mira/shared/sse'
import { requestEvents } from './client.ts'

/** Follows what happens to the user's things; ends when the server closes the stream. */
export async function* followUserEvents(signal: AbortSignal, onActivity: () => void): AsyncGenerator<UserEventJson> {
  for await (const { data } of requestEvents('/events', { signal }, onActivity)) {
    if (data === SSE_DONE) return
    yield JSON.parse(data) as UserEventJson
  }
}
