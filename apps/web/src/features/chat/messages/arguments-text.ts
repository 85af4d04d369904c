/** Readable arguments of an agent's call; empty when there were none. */
export function argumentsText(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  if (typeof value !== 'object') return String(value)
  const entries = Object.entries(value)
  if (entries.some(([, value]) => typeof value === 'object' && value !== null)) return JSON.stringify(value, null, 2)
  return entries.map(([name, value]) => `${name}: ${String(value)}`).join('\n')
}
