/** True when an error or any of its causes matches. */
export function someCause(error: unknown, isSuch: (one: Record<string, unknown>) => boolean): boolean {
  // Causes may form a circle.
  const visited = new Set<unknown>()
  const waiting = [error]
  while (waiting.length > 0) {
    const one = waiting.pop()
    if (typeof one !== 'object' || one === null || visited.has(one)) continue
    visited.add(one)
    if (isSuch(one as Record<string, unknown>)) return true
    const { cause, meta, errors } = one as Record<string, unknown>
    waiting.push(cause, (meta as Record<string, unknown> | undefined)?.driverAdapterError)
    if (Array.isArray(errors)) waiting.push(...errors)
  }
  return false
}
