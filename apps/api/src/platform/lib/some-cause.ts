/** True when an error or any of its causes matches. */
export function someCause(error: unknown, matches: (one: Record<string, unknown>) => boolean): boolean {
  // causes may form a cycle
  const visited = new Set<unknown>()
  const pending = [error]
  while (pending.length > 0) {
    const one = pending.pop()
    if (typeof one !== 'object' || one === null || visited.has(one)) continue
    visited.add(one)
    if (matches(one as Record<string, unknown>)) return true
    const { cause, meta, errors } = one as Record<string, unknown>
    pending.push(cause, (meta as Record<string, unknown> | undefined)?.driverAdapterError)
    if (Array.isArray(errors)) pending.push(...errors)
  }
  return false
}
