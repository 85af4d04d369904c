import { createHash } from 'node:crypto'
import type { QueryConfig } from 'pg'

/** A statement and its parameters, written with `sql` or by a library. */
interface Statement {
  text: string
  values: unknown[]
}

/** Names by text: a few hundred constants of the code, and a library's few repeated statements. */
const names = new Map<string, string>()

/**
 * Turns a statement into a prepared one, which each connection parses only once. Use it for statements that run for every
 * message or request, since parsing and planning would take half of their time. The text must be the same in every call.
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

/** Maximum number of remembered texts, so that texts that are never repeated can't fill the memory. */
const MAX_REPEATED = 100

/** Creates a function that prepares a library's generated statements from the second time that it gets the same text. */
export function preparedWhenRepeated(): (statement: Statement) => QueryConfig {
  const seenTexts = new Set<string>()
  return ({ text, values }) => {
    // without values it may be several statements in one text, which can't be prepared
    if (values.length === 0) return { text }
    if (seenTexts.has(text)) return { name: nameOf(text), text, values }
    if (seenTexts.size < MAX_REPEATED) seenTexts.add(text)
    return { text, values }
  }
}

/**
 * Creates a function that prepares repeated statements, but only on the embedded database, where parsing and planning take
 * as long as searching for a few words. Meant for texts that depend on the request. A server plans each time, because its
 * users have very different amounts of data, and a plan that is fast for one is slow for another.
 */
export function preparedWhereEmbedded(engine: 'embedded' | 'server'): (statement: Statement) => QueryConfig {
  return engine === 'embedded' ? preparedWhenRepeated() : ({ text, values }) => ({ text, values })
}
