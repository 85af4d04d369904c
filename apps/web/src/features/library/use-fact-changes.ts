import type { ManyMediaChanges } from '@mira/shared'
import { useQueryClient } from '@tanstack/react-query'
import { ApiError } from '../../lib/api/client.ts'
import { changeMediaItems, inParts } from '../../lib/api/library.ts'
import { useErrorText } from '../../lib/i18n/error-text.ts'
import { useText } from '../../lib/i18n/i18n.ts'
import { showToast } from '../../ui/show-toast.ts'
import type { GridItem } from './library-items.ts'
import { itemQuery, refetchLists } from './library-queries.ts'

/** Changes to the time and place of items. */
export type FactChanges = Pick<ManyMediaChanges, 'taken_at' | 'shift_seconds' | 'latitude' | 'longitude'>
type Facts = Pick<GridItem, 'id' | 'takenLocal' | 'place' | 'corrected'>

const LOCAL_TIME_CHARACTERS = 19

/** Local time such as "2024-07-14T09:28:00", shifted by seconds. */
export function shiftLocalTime(clock: string, seconds: number): string {
  return new Date(Date.parse(`${clock}Z`) + seconds * 1000).toISOString().slice(0, LOCAL_TIME_CHARACTERS)
}

/** Inverse changes, each with the ids of its items. */
export function undoOf(items: readonly Facts[], changes: FactChanges): { ids: string[]; changes: FactChanges }[] {
  const groups = new Map<string, { ids: string[]; changes: FactChanges }>()
  for (const item of items) {
    const inverse = inverseOf(item, changes)
    const key = JSON.stringify(inverse)
    const group = groups.get(key) ?? { ids: [], changes: inverse }
    group.ids.push(item.id)
    groups.set(key, group)
  }
  return [...groups.values()]
}

function inverseOf({ takenLocal, place, corrected }: Facts, changes: FactChanges): FactChanges {
  const changesTime = changes.taken_at !== undefined || changes.shift_seconds !== undefined
  // a removed place can't be restored from the file, so it's set again
  const mustSetPlace = corrected.includes('place') || changes.latitude === null
  return {
    ...(changesTime && { taken_at: corrected.includes('taken_at') ? takenLocal : null }),
    ...(changes.latitude !== undefined && (mustSetPlace && place ? place : { latitude: null, longitude: null })),
  }
}

const UNDO_MS = 10_000

const idsOf = (items: readonly GridItem[]) => items.map(({ id }) => id)

/** Changes the time and place of items and offers undo. @throws when the server rejects the change. */
export function useFactChanges() {
  const text = useText('gallery')
  const errorText = useErrorText()
  const queryClient = useQueryClient()

  const refresh = async (ids: readonly string[]) => {
    await Promise.all([
      refetchLists(queryClient),
      ...ids.slice(0, 1).map((id) => queryClient.invalidateQueries({ queryKey: itemQuery(id).queryKey })),
    ])
  }

  const undoChanges = async (items: readonly GridItem[], changes: FactChanges) => {
    for (const undo of undoOf(items, changes)) await changeMediaItems(undo.ids, undo.changes)
    await refresh(idsOf(items))
  }

  /** Changes thousands of items, all or none: a retry must not shift some of them twice. */
  const changeAll = async (items: readonly GridItem[], changes: FactChanges): Promise<number> => {
    let count = 0
    let current: readonly GridItem[] = []
    const changedItems: GridItem[] = []
    try {
      await inParts(items, async (part) => {
        current = part
        count += await changeMediaItems(idsOf(part), changes)
        changedItems.push(...part)
      })
      return count
    } catch (error) {
      // without a response, the last part may have been changed
      const isRefused = error instanceof ApiError && error.status >= 400 && error.status < 500
      await undoChanges(isRefused ? changedItems : [...changedItems, ...current], changes).catch((failure: unknown) =>
        console.error('Failed to undo a change of some items', failure),
      )
      throw error
    }
  }

  return async function change(items: readonly GridItem[], changes: FactChanges): Promise<void> {
    const changedCount = await changeAll(items, changes)
    await refresh(idsOf(items))
    const undo = () =>
      undoChanges(items, changes).catch((error: unknown) => {
        console.error('Failed to undo a change', error)
        showToast({ tone: 'danger', title: text('edit.failed'), description: errorText(error) })
      })
    showToast({
      title: text('facts.changed', { count: changedCount }),
      durationMs: UNDO_MS,
      action: { label: text('delete.undo'), onSelect: () => void undo() },
    })
  }
}
