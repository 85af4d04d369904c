import { raw, type SqlText, sql } from '../../../platform/database/sql.ts'

/** The matched words of a snippet stand between these. */
const [MARK, UNMARK] = ['\u0002', '\u0003']
/** Characters of an excerpt before the match, and around it. */
const [BEFORE, AROUND] = [60, 240]
/** Further in, words are found but not shown: marking them would take long. */
const LONGEST_READ = 50_000

export interface SnippetSearch {
  words: string
  /** Pattern of ILIKE that the words match. */
  pattern: string
  /** A tsquery of the words, in any language. */
  query: SqlText
  /** Condition that a message `m` matches. */
  isMatch: SqlText
}

/**
 * SQL of the newest message of a session `s` that is found (`message_id`) with an excerpt of it (`snippet`); no row when
 * there is none. What the user typed is looked for as it is, and then by other forms of its words, which are marked.
 */
export function foundMessage({ words, pattern, query, isMatch }: SnippetSearch): SqlText {
  const marks = raw(`'StartSel=' || chr(2) || ', StopSel=' || chr(3) || ', MaxFragments=1, MaxWords=30, MinWords=12'`)
  return sql`(
    SELECT CASE WHEN read.content ILIKE ${pattern}
      THEN substr(read.content, greatest(1, strpos(lower(read.content), lower(${words}::text)) - ${raw(BEFORE)}), ${raw(AROUND)})
      ELSE ts_headline(m.lang, read.content, ${query}, ${marks}) END AS snippet, m.id AS message_id
    FROM chat_messages m, LATERAL (
      SELECT translate(left(m.content, ${raw(LONGEST_READ)}), chr(2) || chr(3), '') AS content
    ) read
    WHERE m.session_id = s.id AND ${isMatch} ORDER BY m.created_at DESC, m.id DESC LIMIT 1
  )`
}

/** An excerpt in one line, with what was searched for marked unless words are already. */
export function markWords(excerpt: string | null | undefined, query: string | undefined): string | null {
  if (excerpt === null || excerpt === undefined || query === undefined) return null
  const line = excerpt.replace(/\s+/g, ' ').trim()
  if (line.includes(MARK)) return line
  const typed = query.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\s+/g, ' ')
  return line.replace(new RegExp(typed, 'giu'), (match) => `${MARK}${match}${UNMARK}`)
}

/** An excerpt without its marks, and where they were: from the first until before the second, in UTF-16 units. */
export function withoutMarks(marked: string): { text: string; highlights: [from: number, to: number][] } {
  const [before = '', ...pieces] = marked.split(MARK)
  const highlights: [from: number, to: number][] = []
  const text = pieces.reduce((all, piece) => {
    const [match = '', ...after] = piece.split(UNMARK)
    highlights.push([all.length, all.length + match.length])
    return all + match + after.join('')
  }, before)
  return { text, highlights }
}
