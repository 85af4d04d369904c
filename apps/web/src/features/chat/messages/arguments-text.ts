/** Readable arguments of an agent's call; empty when there were none. */
export function argumentsText(given: unknown): string {
  if (given === undefined || given === null) return ''
  if (typeof given === 'string') return given
  if (typeof given !== 'object') return String(given)
  const entries = Object.entries(given)
  if (entries.some(([, value]) => typeof value === 'object' && value !== null)) return JSON.stringify(given, null, 2)
  return entries.map(([name, value]) => `${name}: ${String(value)}`).join('\n')
}
