import { isDeepStrictEqual } from 'node:util'
import { clockMs, type ManyMediaChanges, type OwnFacts, refusalOfClock } from '@mira/shared'
import { ValidationError } from '../../../errors.ts'
import type { SqlClient } from '../../../platform/database/sql.ts'
import type { Events } from '../../../platform/events/events.service.ts'
import { coordinatesOf, momentOfClock } from '../../../platform/lib/taken-time.ts'
import { publishItems } from './item-events.ts'
import type { ChangedTimeAndPlace, ItemTimeAndPlace, OwnFactsStore, OwnTimeAndPlace } from './own-facts.store.ts'

export interface OwnFactsDeps {
  store: OwnFactsStore
  events: Events
}

/** A change of date and place, set or moved. */
type FactChanges = OwnFacts & { shift_seconds?: number | undefined }

export type OwnFactsService = ReturnType<typeof createOwnFactsService>

/** Users' corrections of the time and place of their items; processing never overwrites them. */
export function createOwnFactsService({ store, events }: OwnFactsDeps) {
  /** Sets facts in the caller's transaction, for the user's items only. @returns the changed ids. */
  const setIn = async (sql: SqlClient, userId: string, ids: string[], changes: FactChanges): Promise<string[]> => {
    const { taken_at, shift_seconds, latitude, longitude } = changes
    if ([taken_at, shift_seconds, latitude, longitude].every((change) => change === undefined)) return []
    const lockedItems = await store.hold(sql, userId, ids)
    const changed = lockedItems.flatMap((item) => changedOf(item, changes) ?? [])
    if (changed.length > 0) await store.set(sql, changed)
    return changed.map(({ id }) => id)
  }

  return {
    setIn,

    /** Corrects many items, all or none. @returns the number of changed items. @throws ValidationError */
    async changeMany(userId: string, { ids, tags, ...changes }: ManyMediaChanges): Promise<number> {
      const changed = await store.transaction(async (sql) => {
        const lockedIds = (await store.hold(sql, userId, ids)).map(({ id }) => id)
        const tagged = tags === undefined ? [] : await store.setTags(sql, lockedIds, [...new Set(tags)])
        return [...new Set([...tagged, ...(await setIn(sql, userId, lockedIds, changes))])]
      })
      publishItems(events, userId, changed)
      return changed.length
    },
  }
}

/** Corrected facts of an item after a change; null when unchanged. */
function changedOf(item: ItemTimeAndPlace, changes: FactChanges): ChangedTimeAndPlace | null {
  const { latitude = item.own.latitude, longitude = item.own.longitude } = changes
  const forgetsPlace = changes.latitude === null && item.own.latitude === null && item.foundLatitude !== null
  const place = coordinatesOf(latitude, longitude) ?? coordinatesOf(item.foundLatitude, item.foundLongitude)
  const takenLocalMs = clockAfter(item, changes)
  // without a place, the file's offset from UTC applies
  const { foundTakenAtMs, foundTakenLocalMs } = item
  const offsetMs = foundTakenAtMs === null || foundTakenLocalMs === null ? 0 : foundTakenLocalMs - foundTakenAtMs
  const takenAtMs = takenLocalMs === null ? null : momentOfClock(takenLocalMs, place, offsetMs).getTime()
  const own: OwnTimeAndPlace = { takenAtMs, takenLocalMs, latitude, longitude }
  return forgetsPlace || !isDeepStrictEqual(own, item.own) ? { id: item.id, ...own, forgetsPlace } : null
}

/** Corrected local time after a change. @throws ValidationError when it leaves the valid range. */
function clockAfter(item: ItemTimeAndPlace, { taken_at, shift_seconds }: FactChanges): number | null {
  if (taken_at !== undefined) return taken_at === null ? null : clockMs(taken_at)
  if (shift_seconds === undefined || item.takenLocalMs === null) return item.own.takenLocalMs
  const movedMs = item.takenLocalMs + shift_seconds * 1000
  const refusal = refusalOfClock(movedMs)
  if (refusal === null) return movedMs
  const clock = new Date(movedMs).toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length).replace('T', ' ')
  throw new ValidationError(`“${item.originalFilename}” would be from ${clock}. ${refusal}`, { code: 'no_such_time' })
}
