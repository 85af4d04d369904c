const failures = new WeakSet<object>()

/** Notes why a part that is loaded later did not come. */
export function noteMissingPart(failure: object): void {
  failures.add(failure)
}

/** Whether something failed because a part of the app did not come, and not by a mistake of its own. */
export function isMissingPart(error: unknown): boolean {
  return typeof error === 'object' && error !== null && failures.has(error)
}
