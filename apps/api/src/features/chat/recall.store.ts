import type { Database } from '../../db/client.ts'
import type { HistoryMessage } from './history.ts'

/** A message of an earlier conversation that answers a question, with the part that does. */
export interface RecalledRow {
  sessionId: string
  sessionName: string
  role: 'user' | 'assistant'
  snippet: string
  createdAt: Date
}

/** What is searched for. */
export interface RecallQuery {
  userId: string
  text: string
  /** Text search configuration of the language of the question. */
  searchConfiguration: string
  /** The question itself, which must not answer itself. */
  exceptMessageId: string
  limit: number
}

export type RecallStore = ReturnType<typeof createRecallStore>

const LONGEST_QUERY_CHARACTERS = 500
const MOST_HISTORY_MESSAGES = 400
/** A message that is shorter is quoted whole. */
const WHOLE_SNIPPET_CHARACTERS = 240
/** How much of a word must be alike when it is spelled differently (0 to 1). */
const LEAST_SIMILARITY = 0.5
/** Part of the question's words that a message must hold. */
const LEAST_SHARE = 0.4

/** What a person's conversations hold that helps to answer: the messages before a question, and a search in all others. */
export function createRecallStore({ pool }: Pick<Database, 'pool'>) {
  return {
    /** The messages up to one, oldest first, until this many characters are reached. */
    async readHistory(lastMessageId: string | null, maxCharacters: number): Promise<HistoryMessage[]> {
      if (lastMessageId === null) return []
      const { rows } = await pool.query<HistoryMessage>(
        `WITH RECURSIVE branch AS (
           SELECT parent_id, role, content, 1 AS depth, length(content) AS total FROM chat_messages WHERE id = $1
           UNION ALL
           SELECT m.parent_id, m.role, m.content, b.depth + 1, b.total + length(m.content)
           FROM branch b JOIN chat_messages m ON m.id = b.parent_id
           WHERE b.depth < ${MOST_HISTORY_MESSAGES} AND b.total < $2
         )
         SELECT role, content FROM branch ORDER BY depth DESC`,
        [lastMessageId, maxCharacters],
      )
      return rows
    },

    /**
     * Messages of a person that hold most of the question's words, best first: stemmed, or spelled nearly so. Words
     * that say nothing in the question's language are left out; answers that only quote are, too.
     */
    async search({ userId, text, searchConfiguration, exceptMessageId, limit }: RecallQuery): Promise<RecalledRow[]> {
      const { rows } = await pool.query<RecalledRow>(
        `WITH words AS MATERIALIZED (
           SELECT min(position) AS position, lower(token) AS word, min(lexemes[1]) AS lexeme
           FROM ts_debug($2::text::regconfig, $3) WITH ORDINALITY AS parsed
             (alias, description, token, dictionaries, dictionary, lexemes, position)
           WHERE lexemes <> '{}' AND alias NOT IN ('blank', 'tag') AND length(token) > 1
           GROUP BY lower(token) ORDER BY 1 LIMIT 12
         ), wanted AS (
           SELECT word, (quote_literal(lexeme) || ' | ' || quote_literal(word))::tsquery AS query, length(word) > 3 AS is_long
           FROM words
         ), candidates AS (
           SELECT m.id, m.session_id, m.role, m.content, m.lang, m.created_at, s.session_name,
             (SELECT sum(CASE
                WHEN m.tsv @@ w.query THEN 1
                WHEN w.is_long THEN (SELECT CASE WHEN alike >= ${LEAST_SIMILARITY} THEN alike ELSE 0 END
                  FROM (SELECT strict_word_similarity(w.word, m.content) AS alike) judged)
                ELSE 0 END) / count(*) FROM wanted w) AS share
           FROM chat_messages m JOIN chat_sessions s ON s.id = m.session_id
           WHERE s.user_id = $1 AND m.id <> $4 AND m.content <> '' AND m.engine IS DISTINCT FROM 'built-in'
             AND EXISTS (SELECT FROM wanted w WHERE m.tsv @@ w.query OR (w.is_long AND m.content %>> w.word))
         )
         SELECT session_id AS "sessionId", session_name AS "sessionName", role, created_at AS "createdAt",
           CASE WHEN length(content) <= ${WHOLE_SNIPPET_CHARACTERS} THEN content
             ELSE ts_headline(lang, left(content, 20000), (SELECT string_agg(query::text, ' | ')::tsquery FROM wanted),
               'MaxFragments=1, MaxWords=35, MinWords=15, StartSel="", StopSel=""') END AS snippet
         FROM candidates WHERE share >= ${LEAST_SHARE}
         ORDER BY share DESC, (role = 'user') DESC, created_at DESC LIMIT $5`,
        [userId, searchConfiguration, text.slice(0, LONGEST_QUERY_CHARACTERS), exceptMessageId, limit],
      )
      return rows.map((row) => ({ ...row, snippet: row.snippet.replace(/\s+/g, ' ').trim() }))
    },
  }
}
