import type { MediaType } from '@mira/shared'
import { join, raw, type SqlText, sql } from '../../platform/database/sql.ts'

/** Items of a user that a search covers. */
export interface SearchScope {
  userId: string
  /** Item ids; undefined for all items. */
  items?: string[] | undefined
  types: MediaType[] | null
  /** Content types of the items; undefined for any. */
  contentTypes?: readonly string[] | undefined
  /** Tags in lower case; an item must have all of them. */
  tags: string[]
  /** Range of the local time when items were taken, or added if that's unknown: `from` is inclusive, `to` exclusive. */
  from: Date | null
  to: Date | null
  /** IANA name; `from` and `to` are compared as local times in it. */
  timeZone: string
  /** True when the range only means the time added, not the time taken. */
  isByTimeAdded?: boolean | undefined
  includesFrames: boolean
  /** Conditions of phrases; for each, the item must have a moment that meets it. */
  phrases: TextCondition[]
  /** Text search query that no text of the item may match; null when nothing is excluded. */
  excluded: string | null
}

/** Condition on the text of a moment; both parts must match. */
export interface TextCondition {
  /** Text search query that the moment must match; null for none. */
  tsquery: string | null
  /** Regular expression that the text must match, in its form with whole words if there is a `tsquery`; null for none. */
  pattern: string | null
}

/** SQL condition on the row of a vector, by its id. */
export type ScopeCondition = (id: SqlText) => SqlText

/** SQL conditions that an item `i` is in the time range of a scope. */
export function inTime({
  from,
  to,
  timeZone,
  isByTimeAdded = false,
}: Pick<SearchScope, 'from' | 'to' | 'timeZone' | 'isByTimeAdded'>): SqlText[] {
  const added = sql`(i.created_at AT TIME ZONE ${timeZone}::text)`
  const localTime = isByTimeAdded ? added : sql`coalesce(i.taken_local, ${added})`
  const bound = (moment: Date) => sql`(${moment}::timestamptz AT TIME ZONE ${timeZone}::text)`
  return [
    ...(from === null ? [] : [sql`${localTime} >= ${bound(from)}`]),
    ...(to === null ? [] : [sql`${localTime} < ${bound(to)}`]),
  ]
}

/** Joins conditions with AND. */
export const all = (conditions: SqlText[]): SqlText => join(conditions, ' AND ')

/** SQL for the tags of an item `i` in lower case, and the condition of their partial index; a statement needs both to use it. */
export const TAGS = raw('lower_case(i.tags)')
export const IS_TAGGED = raw(`i.tags <> '{}'`)

/** SQL condition that a moment meets a condition. @param alias of the moment in the statement. */
function isMet({ tsquery, pattern }: TextCondition, alias: SqlText): SqlText {
  const met = [
    // Moments with outdated words all pass here, and are then compared with the pattern.
    ...(tsquery === null ? [] : [sql`(${alias}.tsv @@ ${tsquery}::tsquery OR ${alias}.indexed_as IS NULL)`]),
    // Only phrases without words use the trigram index on the body. For others, that takes ten times as long as reading the texts.
    ...(pattern === null
      ? []
      : [sql`${tsquery === null ? sql`${alias}.body` : sql`whole_words(${alias}.body)`} ~* ${pattern}::text`]),
  ]
  return met.length === 0 ? sql`true` : sql`(${all(met)})`
}

/** SQL conditions of a scope. */
export function scopeSql({ userId, ...scope }: SearchScope) {
  const { items, types, contentTypes, tags, includesFrames, phrases, excluded } = scope

  const ofItem: SqlText[] = []
  if (types !== null) ofItem.push(sql`i.media_type = ANY(${types})`)
  if (contentTypes !== undefined) ofItem.push(sql`i.content_type = ANY(${contentTypes})`)
  ofItem.push(...inTime(scope))
  if (tags.length > 0) ofItem.push(sql`${IS_TAGGED} AND ${TAGS} @> ${tags}::text[]`)
  for (const phrase of phrases) {
    ofItem.push(
      sql`i.id IN (SELECT x.media_item_id FROM moments x WHERE x.user_id = ${userId} AND ${isMet(phrase, raw('x'))})`,
    )
  }
  if (excluded !== null) {
    ofItem.push(sql`NOT EXISTS (SELECT FROM moments x WHERE x.media_item_id = i.id AND x.tsv @@ ${excluded}::tsquery)`)
  }
  const narrowing = items === undefined ? [] : [sql`m.media_item_id = ANY(${items}::uuid[])`]
  if (!includesFrames) narrowing.push(sql`m.frame_number IS NULL`)
  if (ofItem.length > 0) {
    narrowing.push(
      sql`EXISTS (SELECT FROM media_items i WHERE i.id = m.media_item_id AND i.user_id = ${userId} AND ${all(ofItem)})`,
    )
  }

  return {
    /** SQL conditions on a moment `m` of the user; empty when the scope is all of the user's moments. */
    narrowing,
    /** SQL condition that an item `i` is in the scope. */
    isItemInScope: all([
      sql`i.user_id = ${userId}`,
      ...(items === undefined ? [] : [sql`i.id = ANY(${items}::uuid[])`]),
      ...ofItem,
    ]),
  }
}
