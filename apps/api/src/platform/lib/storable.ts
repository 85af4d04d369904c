/** A text without NUL characters and lone surrogates, which PostgreSQL can't store. */
export function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed()
}

/** Makes all texts of a JSON value storable, including property names. */
export function storableJson(value: unknown): unknown {
  if (typeof value === 'string') return storable(value)
  if (Array.isArray(value)) return value.map(storableJson)
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [storable(name), storableJson(one)]))
}
