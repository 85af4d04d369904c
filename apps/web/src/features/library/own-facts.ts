import type { ManyMediaChanges } from '@mira/shared'
import type { GridItem } from './library-items.ts'

/** Changes of when and where items were taken. */
export type FactChanges = Pick<ManyMediaChanges, 'taken_at' | 'shift_seconds' | 'latitude' | 'longitude'>
type Facts = Pick<GridItem, 'id' | 'takenLocal' | 'place' | 'corrected'>

const CLOCK_CHARACTERS = 19

/** A clock moved by seconds: "2024-07-14T09:28:00". */
export function movedClock(clock: string, seconds: number): string {
  return new Date(Date.parse(`${clock}Z`) + seconds * 1000).toISOString().slice(0, CLOCK_CHARACTERS)
}

/** Changes that undo a change, each for some of the items. */
export function undoOf(items: readonly Facts[], changes: FactChanges): { ids: string[]; changes: FactChanges }[] {
  const groups = new Map<string, { ids: string[]; changes: FactChanges }>()
  for (const item of items) {
    const before = beforeOf(item, changes)
    const key = JSON.stringify(before)
    const group = groups.get(key) ?? { ids: [], changes: before }
    group.ids.push(item.id)
    groups.set(key, group)
  }
  return [...groups.values()]
}

function beforeOf({ takenLocal, place, corrected }: Facts, changes: FactChanges): FactChanges {
  const isDate = changes.taken_at !== undefined || changes.shift_seconds !== undefined
  // what the file told of the place is not kept once it was removed
  const isOwnPlace = corrected.includes('place') || changes.latitude === null
  return {
    ...(isDate && { taken_at: corrected.includes('taken_at') ? takenLocal : null }),
    ...(changes.latitude !== undefined && (isOwnPlace && place ? place : { latitude: null, longitude: null })),
  }
}
