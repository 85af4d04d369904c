import type { Events } from '../../../platform/events/events.service.ts'

/** Bound on the ids in one event. */
const MAX_EVENT_IDS = 150

/** Publishes that items have changed, or were deleted, to the user's pages. */
export function publishItems(events: Events, userId: string, ids: string[], deleted = false): void {
  for (let start = 0; start < ids.length; start += MAX_EVENT_IDS) {
    events.publish(userId, { type: 'media.updated', ids: ids.slice(start, start + MAX_EVENT_IDS), deleted })
  }
}
