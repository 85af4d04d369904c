import { isDatabaseGone, isOutage } from './availability.ts'

/** Maximum number of failures in a combined error. */
const MAX_FAILURES = 5

/**
 * Handles items one after the other, continuing after failures, so that an item that can't be handled doesn't hold up the
 * others. Stops early only when the database is unavailable or the signal is aborted. The embedded database counts as
 * unavailable at the second such failure in a row, since the first item may itself have stopped it.
 * @throws the failure, or an AggregateError of the first ones.
 */
export async function tryEach<Item>(
  items: Iterable<Item>,
  handle: (item: Item) => Promise<unknown>,
  signal?: AbortSignal,
): Promise<void> {
  const failures: unknown[] = []
  let wasGone = false
  for (const item of items) {
    try {
      await handle(item)
      wasGone = false
    } catch (error) {
      signal?.throwIfAborted()
      const isGone = isDatabaseGone(error)
      if (isOutage(error) || (isGone && wasGone)) throw error
      wasGone = isGone
      failures.push(error)
    }
  }
  if (failures.length === 1) throw failures[0]
  if (failures.length > 1) {
    const first = failures.slice(0, MAX_FAILURES)
    throw new AggregateError(first, [...first.map(String), ...(failures.length > MAX_FAILURES ? ['…'] : [])].join('; '))
  }
}
