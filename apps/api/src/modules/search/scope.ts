import type { MediaType } from '@mira/shared'

/** Items of a user that a search covers. */
export interface SearchScope {
  userId: string
  /** Only these; all when left out. */
  items?: string[] | undefined
  types: MediaType[] | null
  /** In lower case; an item must carry them all. */
  tags: string[]
  /** Range of the local time taken, else added: `from` is inclusive, `to` exclusive. */
  from: Date | null
  to: Date | null
  /** IANA name, in which `from` and `to` are read as clocks. */
  timeZone: string
  /** Includes frames of films. */
  includesFrames: boolean
  /** Each must be met by some moment of the item. */
  phrases: Condition[]
  /** A text search query that no text of the item may match; null for none. */
  excluded: string | null
}

/** A condition that a moment can meet. */
export interface Condition {
  /** A text search query; null for none. */
  tsquery: string | null
  /** A regular expression, which its text with whole words is compared with where there is a query; null for none. */
  pattern: string | null
}

/** A condition for db/vector.ts: its values follow `$2`. */
export interface ScopeCondition {
  sql(id: string): string
  values: unknown[]
}

/** SQL: the clock at which an item `i` was taken, where that was, else the one in a time zone when it was added. */
const clockOf = (timeZone: string) => `coalesce(i.taken_local, i.created_at AT TIME ZONE ${timeZone}::text)`

/** SQL conditions on the clock of an item `i`. */
export function inTime(
  { from, to, timeZone }: Pick<SearchScope, 'from' | 'to' | 'timeZone'>,
  value: (raw: unknown) => string,
): string[] {
  if (from === null && to === null) return []
  const zone = value(timeZone)
  const bound = (moment: Date) => `(${value(moment)}::timestamptz AT TIME ZONE ${zone}::text)`
  return [
    ...(from === null ? [] : [`${clockOf(zone)} >= ${bound(from)}`]),
    ...(to === null ? [] : [`${clockOf(zone)} < ${bound(to)}`]),
  ]
}

export function conditionOf(
  scope: SearchScope,
  own: string,
  write: (id: string, isInScope: string) => string,
): ScopeCondition | undefined {
  // $1 and $2 are the person and the profile
  const { values, isInScope } = createScopeSql(scope, [scope.userId, null])
  const narrowing = isInScope.filter((condition) => condition !== own)
  if (narrowing.length === 0) return undefined
  return { sql: (id) => write(id, narrowing.join(' AND ')), values: values.slice(2) }
}

/** Tags of an item `i` in lower case, and whether it has any: with both of them a condition is answered by their index. */
export const TAGS = 'lower_case(i.tags)'
export const IS_TAGGED = `i.tags <> '{}'`

/** Collects the values of a statement while the conditions of a scope are written. */
export function createScopeSql(scope: SearchScope, values: unknown[] = [scope.userId]) {
  const value = (raw: unknown) => `$${values.push(raw)}`
  const userId = '$1'
  /** SQL that a moment with this alias meets a condition. */
  const isMet = ({ tsquery, pattern }: Condition, alias = 'm') => {
    const met = [
      // what still waits for its new words is read letter by letter
      ...(tsquery === null ? [] : [`(${alias}.tsv @@ ${value(tsquery)}::tsquery OR ${alias}.indexed_as IS NULL)`]),
      // letters are looked up in their index only where no words are: beside those it takes ten times as long as reading
      ...(pattern === null
        ? []
        : [`${tsquery === null ? `${alias}.body` : `whole_words(${alias}.body)`} ~* ${value(pattern)}`]),
    ]
    return met.length === 0 ? 'true' : `(${met.join(' AND ')})`
  }
  const { items, types, tags, includesFrames, phrases, excluded } = scope

  const ofItem: string[] = []
  if (types !== null) ofItem.push(`i.media_type = ANY(${value(types)})`)
  ofItem.push(...inTime(scope, value))
  if (tags.length > 0) ofItem.push(IS_TAGGED, `${TAGS} @> ${value(tags)}::text[]`)
  for (const phrase of phrases) {
    ofItem.push(`i.id IN (SELECT x.media_item_id FROM moments x WHERE x.user_id = ${userId} AND ${isMet(phrase, 'x')})`)
  }
  if (excluded !== null) {
    ofItem.push(
      `NOT EXISTS (SELECT FROM moments x WHERE x.media_item_id = i.id AND x.tsv @@ ${value(excluded)}::tsquery)`,
    )
  }
  const isInScope = [`m.user_id = ${userId}`]
  const isItemInScope = [`i.user_id = ${userId}`]
  if (items !== undefined) {
    const ids = `${value(items)}::uuid[]`
    isInScope.push(`m.media_item_id = ANY(${ids})`)
    isItemInScope.push(`i.id = ANY(${ids})`)
  }
  if (!includesFrames) isInScope.push('m.frame_number IS NULL')
  if (ofItem.length > 0) {
    isInScope.push(
      `EXISTS (SELECT FROM media_items i WHERE i.id = m.media_item_id AND i.user_id = ${userId} AND ${ofItem.join(' AND ')})`,
    )
  }

  return {
    values,
    value,
    /** Conditions on a moment `m`. */
    isInScope,
    /** Conditions on an item `i`. */
    isItemInScope: [...isItemInScope, ...ofItem],
  }
}
