import { createHash } from 'node:crypto'
import type { QueryConfig } from 'pg'

/** A statement and its values: one of `sql`, or of a library that numbers its values itself. */
interface Statement {
  text: string
  values: unknown[]
}

/** Names by text: constants of the code, some hundred, and the few that a library repeats. */
const names = new Map<string, string>()

/**
 * A statement that each connection parses once: for those that every message or request runs, of which parsing and
 * planning take half the time. Its text must not change from call to call.
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

/** Bound of remembered statements: texts that differ each time gain nothing. */
const MAX_REPEATED = 100

/**
 * The same for statements of a library, which generates them for each call: those that come in the same words again are
 * prepared.
 */
export function preparedWhenRepeated(): (statement: Statement) => QueryConfig {
  const repeated = new Set<string>()
  return ({ text, values }) => {
    // without values it may be several in one text, which cannot be prepared
    if (values.length === 0) return { text }
    if (repeated.has(text)) return { name: nameOf(text), text, values }
    if (repeated.size < MAX_REPEATED) repeated.add(text)
    return { text, values }
  }
}

/**
 * The same for statements whose text follows what is asked for, on the embedded database: there parsing and planning take as long
 * as looking for a few words. A server plans again, because its people have little and much, and what is quick for one is slow for
 * the other.
 */
export function preparedWhereEmbedded(engine: 'embedded' | 'server'): (statement: Statement) => QueryConfig {
  return engine === 'embedded' ? preparedWhenRepeated() : ({ text, values }) => ({ text, values })
}
