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

/** More are not remembered: whoever writes a new text each time gains nothing by it. */
const MAX_REPEATED = 100

/**
 * The same for statements of a library, which writes them anew for each call: those that come in the same words again are
 * prepared.
 */
export function preparedWhenRepeated(): (text: string, values: unknown[]) => QueryConfig {
  const statements = new Map<string, ReturnType<typeof prepared> | null>()
  return (text, values) => {
    // without values it may be several in one text, which cannot be prepared
    if (values.length === 0) return { text }
    const statement = statements.get(text) ?? (statements.has(text) ? prepared(text) : null)
    if (statement !== null || statements.size < MAX_REPEATED) statements.set(text, statement)
    return statement?.(values) ?? { text, values }
  }
}

/**
 * The same for statements whose text follows what is asked for, on the embedded database: there parsing and planning take as long
 * as looking for a few words. A server plans anew, because its people have little and much, and what is quick for one is slow for
 * the other.
 */
export function preparedWhereEmbedded(engine: 'embedded' | 'server'): (text: string, values: unknown[]) => QueryConfig {
  return engine === 'embedded' ? preparedWhenRepeated() : (text, values) => ({ text, values })
}
