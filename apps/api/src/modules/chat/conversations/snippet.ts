import { raw, type SqlText, sql } from '../../../platform/database/sql.ts'

/** Control characters around each matched word of a snippet. */
const [MARK, UNMARK] = ['\u0002', '\u0003']
/** Characters of an excerpt before the match. */
const LEAD_CHARACTERS = 60
const EXCERPT_CHARACTERS = 240
/** Excerpts are only taken from the beginning of a message, since looking further would take too long. */
const MAX_READ_CHARACTERS = 50_000
/** Length of the part of a message in which forms of the words are marked; the excerpt is taken from it. */
const MARKED_CHARACTERS = 600
const MAX_FORMS = 40
/** Length up to which a stem is compared as a whole. The last letter of a longer one may differ from the word's, and is left out. */
const MAX_WHOLE_STEM = 4
/** Excluded words, and the operator `or`. */
const NOT_SHOWN = /(?<!\S)(?:-(?:"[^"]*"?|\S+)|or(?!\S))/giu

/** SQL: a text with unaccented lower-case letters like those of stems, with the same length. */
const plainLetters = (text: string) => `translate(lower(${text}), 'äöüáéíóúàèìòùâêîôûëïñç', 'aouaeiouaeiouaeioueinc')`

export interface SnippetSearch {
  words: string
  /** ILIKE pattern for the words. */
  pattern: string
  /** Condition that a message `m` matches. */
  isMatch: SqlText
}

/** Words of a query that an excerpt may show. */
export const shownWords = (query: string): string => query.replace(NOT_SHOWN, ' ')

/**
 * SQL of a row with a tsquery for any of a text's words, and a regular expression for their beginnings. Word order and adjacency
 * are ignored, since matching them takes unbounded time.
 * @param configurations names of the text search configurations to stem in
 */
export function anyWordSql(words: string, configurations: string[]): SqlText {
  const beginning = `CASE WHEN length(lexeme) > ${MAX_WHOLE_STEM} THEN left(lexeme, -1) ELSE lexeme END`
  const beginningPattern = raw(`regexp_replace(${plainLetters(beginning)}, '([^[:alnum:]])', '\\\\\\1', 'g')`)
  return sql`
    SELECT string_agg('''' || replace(replace(lexeme, '\\', '\\\\'), '''', '''''') || '''', ' | ')::tsquery AS query,
      '\\m(?:' || string_agg(DISTINCT ${beginningPattern}, '|') || ')' AS beginnings
    FROM (
      SELECT lexeme FROM unnest(${configurations}::text[]::regconfig[]) configuration,
        unnest(to_tsvector(configuration, ${words}::text))
      GROUP BY lexeme ORDER BY min(positions[1]), lexeme LIMIT ${raw(MAX_FORMS)}
    ) forms`
}

/**
 * SQL of the newest matching message of a session `s` (`message_id`) with an excerpt (`snippet`); no row when there is none. The
 * excerpt begins shortly before the typed text, or else before the first other form of its words, according to the CTE `query`,
 * made by `anyWordSql`.
 */
export function newestMatchSql({ words, pattern, isMatch }: SnippetSearch): SqlText {
  const marks = raw(`'StartSel=' || chr(2) || ', StopSel=' || chr(3) || ', MaxFragments=1, MaxWords=30, MinWords=12'`)
  const first = `regexp_instr(${plainLetters('read.content')}, query.beginnings)`
  const around = raw(`substr(read.content, greatest(1, ${first} - ${LEAD_CHARACTERS}), ${MARKED_CHARACTERS})`)
  return sql`(
    SELECT CASE WHEN read.content ILIKE ${pattern}
      THEN substr(read.content, greatest(1, strpos(lower(read.content), lower(${words}::text)) - ${raw(LEAD_CHARACTERS)}), ${raw(EXCERPT_CHARACTERS)})
      ELSE ts_headline(m.lang, ${around}, query.query, ${marks}) END AS snippet, m.id AS message_id
    FROM chat_messages m CROSS JOIN query, LATERAL (
      SELECT translate(left(m.content, ${raw(MAX_READ_CHARACTERS)}), chr(2) || chr(3), '') AS content
    ) read
    WHERE m.session_id = s.id AND ${isMatch} ORDER BY m.created_at DESC, m.id DESC LIMIT 1
  )`
}

/** An excerpt in one line, with the searched text marked unless words are already marked. */
export function markWords(excerpt: string | null | undefined, query: string | undefined): string | null {
  if (excerpt === null || excerpt === undefined || query === undefined) return null
  const line = excerpt.replace(/\s+/g, ' ').trim()
  if (line.includes(MARK)) return line
  const typed = query.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\s+/g, ' ')
  return line.replace(new RegExp(typed, 'giu'), (match) => `${MARK}${match}${UNMARK}`)
}

/** An excerpt without its marks, and the ranges that they enclosed, in UTF-16 units, ends excluded. */
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
