/** A text without what PostgreSQL cannot store: the character NUL, and half of a character. */
export function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed()
}

/** A value of JSON whose texts, names among them, can all be stored. */
export function storableJson(value: unknown): unknown {
  if (typeof value === 'string') return storable(value)
  if (Array.isArray(value)) return value.map(storableJson)
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [storable(name), storableJson(one)]))
}
