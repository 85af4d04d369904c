/** Value of a claim by its name or its path, such as `realm_access.roles`; undefined when it's missing. */
export function claimOf(claims: Record<string, unknown>, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name]
  return name.split('.').reduce<unknown>((value, part) => {
    const hasPart = typeof value === 'object' && value !== null && Object.hasOwn(value, part)
    return hasPart ? (value as Record<string, unknown>)[part] : undefined
  }, claims)
}

/**
 * True when a claim is this value or a list that contains it. Some providers send a list as comma-separated text, and
 * Zitadel sends an object with the roles as keys, each with the organizations that granted it.
 */
export function hasValue(claim: unknown, value: string): boolean {
  if (isObject(claim)) {
    const grants = Object.hasOwn(claim, value) ? claim[value] : null
    return isObject(grants) && Object.keys(grants).length > 0
  }
  const items: unknown[] =
    typeof claim === 'string' ? [claim, ...claim.split(',').map((item) => item.trim())] : [claim].flat()
  return items.some((item) => item === value || (item === true && value === 'true'))
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
