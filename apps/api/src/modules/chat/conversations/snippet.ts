import { raw, type SqlText, sql } from '../../../platform/database/sql.ts'

/** The matched words of a snippet stand between these. */
const [MARK, UNMARK] = ['\u0002', '\u0003']
/** Characters of an excerpt before the match, and around it. */
const [BEFORE, AROUND] = [60, 240]
/** Further in, words are found but not shown: looking for them would take long. */
const LONGEST_READ = 50_000
/** Characters among which forms of words are marked; what follows is not shown. */
const MARKED_CHARACTERS = 600
const MAX_FORMS = 40
/** Behind this many letters a stem may lack some of a word, or have another last letter. */
const SHORTEST_BEGINNING = 4
/** Words that must not be there, and the one between alternatives. */
const NOT_SHOWN = /(?<!\S)(?:-(?:"[^"]*"?|\S+)|or(?!\S))/giu

/** SQL: a text with letters as stems have them, as long as it was. */
const plainLetters = (text: string) => `translate(lower(${text}), 'äöüáéíóúàèìòùâêîôûëïñç', 'aouaeiouaeiouaeioueinc')`

export interface SnippetSearch {
  words: string
  /** Pattern of ILIKE that the words match. */
  pattern: string
  /** Condition that a message `m` matches. */
  isMatch: SqlText
}

/** The words of a query that an excerpt may show. */
export const shownWords = (query: string): string => query.replace(NOT_SHOWN, ' ')

/**
 * SQL of a row with the words of a text as a tsquery of any of them, and as a regular expression of how they begin. They
 * have no order and no neighbours: finding the places that satisfy those takes time without bounds.
 * @param configurations names of the text search configurations in which they are read.
 */
export function anyWord(words: string, configurations: string[]): SqlText {
  const beginning = `CASE WHEN length(lexeme) > ${SHORTEST_BEGINNING} THEN left(lexeme, -1) ELSE lexeme END`
  const begins = raw(`regexp_replace(${plainLetters(beginning)}, '([^[:alnum:]])', '\\\\\\1', 'g')`)
  return sql`
    SELECT string_agg('''' || replace(replace(lexeme, '\\', '\\\\'), '''', '''''') || '''', ' | ')::tsquery AS query,
      '\\m(?:' || string_agg(DISTINCT ${begins}, '|') || ')' AS begins
    FROM (
      SELECT lexeme FROM unnest(${configurations}::text[]::regconfig[]) configuration,
        unnest(to_tsvector(configuration, ${words}::text))
      GROUP BY lexeme ORDER BY min(positions[1]), lexeme LIMIT ${raw(MAX_FORMS)}
    ) forms`
}

/**
 * SQL of the newest message of a session `s` that is found (`message_id`) with an excerpt of it (`snippet`); no row when
 * there is none. What the user typed is looked for as it is, and then by other forms of its words (the row `asked` of
 * `anyWord`), which are marked from the first of them on.
 */
export function foundMessage({ words, pattern, isMatch }: SnippetSearch): SqlText {
  const marks = raw(`'StartSel=' || chr(2) || ', StopSel=' || chr(3) || ', MaxFragments=1, MaxWords=30, MinWords=12'`)
  const first = `regexp_instr(${plainLetters('read.content')}, asked.begins)`
  const around = raw(`substr(read.content, greatest(1, ${first} - ${BEFORE}), ${MARKED_CHARACTERS})`)
  return sql`(
    SELECT CASE WHEN read.content ILIKE ${pattern}
      THEN substr(read.content, greatest(1, strpos(lower(read.content), lower(${words}::text)) - ${raw(BEFORE)}), ${raw(AROUND)})
      ELSE ts_headline(m.lang, ${around}, asked.query, ${marks}) END AS snippet, m.id AS message_id
    FROM chat_messages m CROSS JOIN asked, LATERAL (
      SELECT translate(left(m.content, ${raw(LONGEST_READ)}), chr(2) || chr(3), '') AS content
    ) read
    WHERE m.session_id = s.id AND ${isMatch} ORDER BY m.created_at DESC, m.id DESC LIMIT 1
  )`
}

/** An excerpt in one line, with the searched text marked unless words are marked already. */
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
