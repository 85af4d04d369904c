import { ConflictError } from '../../../errors.ts'
import type { Events } from '../../../platform/events/events.service.ts'
import type { SettingsReader } from '../../../platform/settings/settings.service.ts'
import { publishItems } from '../items/item-events.ts'
import { isDone } from '../items/present.ts'
import type { ProcessingService } from '../pipeline/processing.service.ts'
import type { MediaTrashStore } from './trash.store.ts'

export interface MediaTrashDeps {
  store: MediaTrashStore
  processing: ProcessingService
  settings: SettingsReader
  events: Events
}

export type MediaTrashService = ReturnType<typeof createMediaTrashService>

/** One transaction stays short: the embedded database does nothing else meanwhile. */
const ITEMS_AT_ONCE = 20

/** The trash of a person's library. */
export function createMediaTrashService({ store, processing, settings, events }: MediaTrashDeps) {
  return {
    /** Moves items there; those that are not the person's stay. @throws ConflictError when there is none. */
    async trash(userId: string, ids: string[]): Promise<number> {
      if (settings.current().retention.trash_days === 0) {
        throw new ConflictError('There is no trash on this server: deleting is final.', { code: 'trash_off' })
      }
      let changed = 0
      for (const some of inChunks(ids)) {
        const trashed = await store.trash(userId, some)
        processing.cancel(trashed)
        publishItems(events, userId, trashed, true)
        changed += trashed.length
      }
      return changed
    },

    /** Takes items out of it as they were; what was not done with them yet goes on. */
    async restore(userId: string, ids: string[]): Promise<number> {
      let changed = 0
      for (const some of inChunks(ids)) {
        const restored = await store.transaction(async (sql) => {
          const items = await store.restore(sql, userId, some)
          for (const { id, processingStatus } of items) {
            if (!isDone(processingStatus)) await processing.begin(sql, { itemId: id, userId })
          }
          return items.map(({ id }) => id)
        })
        publishItems(events, userId, restored)
        changed += restored.length
      }
      return changed
    },
  }
}

/** In one order, so that two who change the same items don't wait for each other for ever. */
function* inChunks(ids: string[]): Generator<string[]> {
  const sorted = [...new Set(ids)].sort()
  for (let at = 0; at < sorted.length; at += ITEMS_AT_ONCE) yield sorted.slice(at, at + ITEMS_AT_ONCE)
}
