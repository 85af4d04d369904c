import { createHash } from 'node:crypto'
import type { QueryConfig } from 'pg'

/** A statement and its parameters, written with `sql` or by a library. */
interface Statement {
  text: string
  values: unknown[]
}

/** Names by text: some hundred constants of the code, and a library's few repeated statements. */
const names = new Map<string, string>()

/**
 * Makes a statement prepared, so that each connection parses it only once. For statements of every message or request, of
 * which parsing and planning take half the time. Its text must not differ between calls.
 */
export function prepared({ text, values }: Statement): QueryConfig {
  return { name: nameOf(text), text, values }
}

function nameOf(text: string): string {
  const known = names.get(text)
  if (known !== undefined) return known
  const name = `mira_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`
  names.set(text, name)
  return name
}

/** Maximum number of remembered statements: texts that always differ gain nothing. */
const MAX_REPEATED = 100

/**
 * The same for statements that a library generates for each call: those whose text is repeated are prepared.
 */
export function preparedWhenRepeated(): (statement: Statement) => QueryConfig {
  const repeated = new Set<string>()
  return ({ text, values }) => {
    // without values it may be several statements in one text, which can't be prepared
    if (values.length === 0) return { text }
    if (repeated.has(text)) return { name: nameOf(text), text, values }
    if (repeated.size < MAX_REPEATED) repeated.add(text)
    return { text, values }
  }
}

/**
 * The same for statements whose text depends on the request, but only on the embedded database, where parsing and planning
 * take as long as searching for a few words. A server plans each time, because its users have very different amounts of
 * data, and a plan that is fast for one is slow for another.
 */
export function preparedWhereEmbedded(engine: 'embedded' | 'server'): (statement: Statement) => QueryConfig {
  return engine === 'embedded' ? preparedWhenRepeated() : ({ text, values }) => ({ text, values })
}
