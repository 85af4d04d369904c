/** What was held back comes for its turn a little later than it was told; one that does not come has no turn any more. */
const GRACE_MS = 10_000

/**
 * Who has a place for long steps on this server, and whose turn comes next: an item that has had a turn of its long work goes
 * behind those that were held back meanwhile, however many turns it still needs.
 */
export function createLongPlaces(now: () => number = Date.now) {
  /** In the order in which they were held back first, with until when they are waited for. */
  const heldBack = new Map<string, number>()
  let taken = 0

  /** Who was held back before this one, and is still waited for. */
  const before = (itemId: string): string[] => {
    const ids: string[] = []
    for (const [other, until] of heldBack) {
      if (other === itemId) break
      if (until >= now()) ids.push(other)
      else heldBack.delete(other)
    }
    return ids
  }

  return {
    /** How many places are taken. */
    taken: () => taken,

    before,

    /** Whether somebody else was held back before this one. */
    isBehind: (itemId: string): boolean => before(itemId).length > 0,

    /** Waits no longer for these: they were deleted, or nothing is left to do with them. */
    forget(itemIds: string[]): void {
      for (const itemId of itemIds) heldBack.delete(itemId)
    },

    take(itemId: string): void {
      heldBack.delete(itemId)
      taken += 1
    },

    leave(): void {
      taken -= 1
    },

    /** Notes that an item comes again after so long. */
    holdBack(itemId: string, waitMs: number): void {
      heldBack.set(itemId, now() + waitMs + GRACE_MS)
    },
  }
}
