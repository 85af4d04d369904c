import { ConflictError } from '../../../errors.ts'
import type { Events } from '../../../platform/events/events.service.ts'
import type { SettingsReader } from '../../../platform/settings/settings.service.ts'
import { publishItems } from '../items/media.service.ts'
import { isDone } from '../items/present.ts'
import type { ProcessingService } from '../pipeline/processing.service.ts'
import type { MediaTrashStore } from './trash.store.ts'

interface MediaTrashDeps {
  store: MediaTrashStore
  processing: ProcessingService
  settings: SettingsReader
  events: Events
}

export type MediaTrashService = ReturnType<typeof createMediaTrashService>

/** Keeps transactions short, since the embedded database has a single session. */
const BATCH_SIZE = 20

/** Trash of a user's library. */
export function createMediaTrashService({ store, processing, settings, events }: MediaTrashDeps) {
  return {
    /** Moves a user's items to the trash. @throws ConflictError when the server has no trash. */
    async trash(userId: string, ids: string[]): Promise<number> {
      if (settings.current().retention.trash_days === 0) {
        throw new ConflictError('There is no trash on this server: deleting is final.', { code: 'trash_off' })
      }
      let changed = 0
      for (const batch of batchesOf(ids)) {
        const trashed = await store.trash(userId, batch)
        processing.cancel(trashed)
        publishItems(events, userId, trashed, true)
        changed += trashed.length
      }
      return changed
    },

    /** Restores items and continues their processing. */
    async restore(userId: string, ids: string[]): Promise<number> {
      let changed = 0
      for (const batch of batchesOf(ids)) {
        const restored = await store.transaction(async (sql) => {
          const items = await store.restore(sql, userId, batch)
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

/** Sorted batches, so that concurrent changes to the same items don't deadlock. */
function* batchesOf(ids: string[]): Generator<string[]> {
  const sorted = [...new Set(ids)].sort()
  for (let index = 0; index < sorted.length; index += BATCH_SIZE) yield sorted.slice(index, index + BATCH_SIZE)
}
