const WINDOW_MS = 15 * 60 * 1000
/** Beyond this, attempts from many networks only go to the process log, which rotates. */
const MAX_AUDITED_ADDRESSES_PER_ACCOUNT = 50

/**
 * Chooses the failed attempts to record in the audit log, so that anonymous traffic can't fill the database: the 1st, 10th,
 * 100th … per action, account and address group within 15 minutes.
 */
export function createFailureSampling() {
  let windowStartedAt = 0
  let counts = new Map<string, Map<string, number>>()

  /**
   * @param source.account null when the account doesn't exist, so that made-up names share one entry per address.
   * @returns the number of failures so far if this one should be recorded, otherwise null.
   */
  return (source: { action: string; account: string | null; addressGroup: string }): number | null => {
    const { action, account, addressGroup } = source
    // monotonic, because the time of day may be set back
    if (performance.now() - windowStartedAt >= WINDOW_MS) {
      windowStartedAt = performance.now()
      counts = new Map()
    }
    // usernames contain no colon
    const key = `${action}:${account ?? ':'}`
    const byAddress = counts.get(key) ?? new Map<string, number>()
    counts.set(key, byAddress)
    const previous = byAddress.get(addressGroup)
    if (previous === undefined && byAddress.size >= MAX_AUDITED_ADDRESSES_PER_ACCOUNT) return null
    const count = (previous ?? 0) + 1
    byAddress.set(addressGroup, count)
    return Number.isInteger(Math.log10(count)) ? count : null
  }
}
