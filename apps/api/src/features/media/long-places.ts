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

  /** Whether somebody else was held back before this one. */
  const isBehind = (itemId: string): boolean => {
    for (const [other, until] of heldBack) {
      if (other === itemId) return false
      if (until >= now()) return true
      heldBack.delete(other)
    }
    return false
  }

  return {
    /** How many places are taken. */
    taken: () => taken,

    isBehind,

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
