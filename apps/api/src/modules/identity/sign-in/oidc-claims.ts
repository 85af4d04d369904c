/** Value of a claim by its name or its path, such as `realm_access.roles`; undefined when it's missing. */
export function claimOf(claims: Record<string, unknown>, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name]
  return name.split('.').reduce<unknown>((value, part) => {
    const hasPart = typeof value === 'object' && value !== null && Object.hasOwn(value, part)
    return hasPart ? (value as Record<string, unknown>)[part] : undefined
  }, claims)
}

/**
 * True when a claim is this value, a list that contains it, or an object with it as a key, as Zitadel sends roles. Some
 * providers send a list as comma-separated text.
 */
export function hasValue(claim: unknown, value: string): boolean {
  if (typeof claim === 'object' && claim !== null && !Array.isArray(claim))
    return Object.hasOwn(claim, value) && Boolean((claim as Record<string, unknown>)[value])
  const items: unknown[] =
    typeof claim === 'string' ? [claim, ...claim.split(',').map((item) => item.trim())] : [claim].flat()
  return items.some((item) => item === value || (item === true && value === 'true'))
}
