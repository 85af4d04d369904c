const WINDOW_MS = 15 * 60 * 1000
/** A flood from many networks fills the process log, which rotates, and not the database. */
const MAX_ADDRESSES_PER_ACCOUNT = 50

export interface FailureSource {
  action: string
  /** Null when the name belongs to no account, so that made-up names share one entry per address. */
  account: string | null
  addressGroup: string
}

/**
 * Decides which failed attempts get an entry in the audit log, so that anonymous traffic can't grow the database: the
 * 1st, 10th, 100th … per action, account and address group within 15 minutes.
 */
export function createFailureSampling({ now = Date.now }: { now?: () => number } = {}) {
  let windowStartedAt = 0
  let counts = new Map<string, Map<string, number>>()

  /** @returns the number of failures so far when this one is to be recorded, otherwise null. */
  return ({ action, account, addressGroup }: FailureSource): number | null => {
    if (now() - windowStartedAt >= WINDOW_MS) {
      windowStartedAt = now()
      counts = new Map()
    }
    // no username holds a colon
    const key = `${action}:${account ?? ':'}`
    const byAddress = counts.get(key) ?? new Map<string, number>()
    counts.set(key, byAddress)
    const previous = byAddress.get(addressGroup)
    if (previous === undefined && byAddress.size >= MAX_ADDRESSES_PER_ACCOUNT) return null
    const count = (previous ?? 0) + 1
    byAddress.set(addressGroup, count)
    return Number.isInteger(Math.log10(count)) ? count : null
  }
}
