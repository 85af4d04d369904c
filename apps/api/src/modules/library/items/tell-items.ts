import type { UserEventJson } from '@mira/shared'

/** Most ids in one event. */
const MAX_EVENT_IDS = 150

/** Makes what tells a person's pages which items are different now, or gone. */
export function createTellItems(publish: (userId: string, event: UserEventJson) => void) {
  return (userId: string, ids: string[], deleted = false): void => {
    for (let at = 0; at < ids.length; at += MAX_EVENT_IDS) {
      publish(userId, { type: 'media.updated', ids: ids.slice(at, at + MAX_EVENT_IDS), deleted })
    }
  }
}
