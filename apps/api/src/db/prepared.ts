import { createHash } from 'node:crypto'
import type { QueryConfig } from 'pg'

/**
 * A statement that each connection parses once: for those that every message or request runs, of which parsing and
 * planning take half the time. Its text must not change from call to call.
 */
export function prepared(text: string): (values: unknown[]) => QueryConfig {
  const name = `mira_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`
  return (values) => ({ name, text, values })
}
