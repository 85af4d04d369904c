const failures = new WeakSet<object>()

/** Notes why a part that is loaded later did not come. */
export function noteMissingPart(failure: object): void {
  failures.add(failure)
}

/** True when the error comes from a chunk that couldn't be loaded, not from a bug. */
export function isMissingPart(error: unknown): boolean {
  return typeof error === 'object' && error !== null && failures.has(error)
}
