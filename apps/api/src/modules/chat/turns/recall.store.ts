import type { Source } from '@mira/shared'
import { cutText } from '@mira/shared/constants/cut-text'
import type { ChatMessage } from '../../../engines/chat-engine.ts'
import { isFraming, languageOfConfiguration } from '../../../offline/language/language.ts'
import type { Database } from '../../../platform/database/client.ts'
import { prepared, preparedWhereEmbedded } from '../../../platform/database/prepared.ts'
import { nothing, raw, type SqlText, sql } from '../../../platform/database/sql.ts'
import { type DaySpan, expressionOf, misspellingPatterns, quoteLexeme, withEarlierYears } from '../../search/index.ts'
import { MESSAGE_BEFORE, NEWEST_REPLY } from '../conversations/branch-steps.ts'
import { hasFewMessages, messagesOf } from '../conversations/own-messages.ts'

/** A message that may answer a question, with an excerpt of the matching part. */
interface RecalledRow {
  sessionId: string
  messageId: string
  sessionName: string
  role: 'user' | 'assistant'
  snippet: string
  createdAt: Date
}

interface RecallQuery {
  userId: string
  text: string
  /** Text search configuration of the language of the question. */
  searchConfiguration: string
  /** Id of the question's own message, which is left out. */
  exceptMessageId: string
  /** Conversation to leave out; null for none. */
  exceptSessionId: string | null
  /** Range of the times of messages: `from` is inclusive, `to` exclusive. */
  from?: Date | undefined
  to?: Date | undefined
  limit: number
}

/** Search of a user's earlier conversations for a question. */
interface ConversationsQuery {
  userId: string
  /** The whole question; messages that ask the same are left out. */
  question: string
  /** Words of the question to search for. */
  text: string
  /** Text search configuration of the language of the question. */
  searchConfiguration: string
  /** The conversation of the question; null for one that isn't stored. */
  exceptSessionId: string | null
  /** Periods named in the question; messages from these periods rank higher. */
  days: DaySpan[]
  /** IANA name; decides when days begin. */
  timeZone: string
  limit: number
}

/** The message of an earlier conversation that fits a question best. */
interface ConversationRow extends RecalledRow {
  /** Share of the question's words in the conversation, weighted by rarity, 0 to 1. */
  share: number
}

/** A message near another one, with its beginning. */
export interface NearbyMessage {
  id: string
  /** Id of the message that it's near. */
  nearId: string
  /** Number of messages after that one; negative before it. */
  offset: number
  role: 'user' | 'assistant'
  text: string
}

/** A message of the branch that a question continues. */
export interface HistoryRow extends ChatMessage {
  id: string
  /**
   * True when the message may quote files or the web: an answer whose model had read such text, a message with pictures or from
   * another program or person, or the first message that was read of a longer conversation.
   */
  hasOutsideText?: boolean
  /** True for an answer that used the user's reminders. */
  hasReminders?: boolean
  /** True for a user's message that was imported from another program or person, or edits such a one: its words aren't this user's. */
  isForeign?: boolean
  /** Names of the calls in it that the user allowed with a click. */
  allowedCalls?: string[]
  /** Sources of a message near the end; empty for earlier ones, undefined for a message that isn't stored. */
  sources?: Source[]
}

/** A word of a question, in lower case, with its stem. */
interface Word {
  word: string
  stem: string
}

export type RecallStore = ReturnType<typeof createRecallStore>

const MAX_QUERY_CHARACTERS = 500
const MAX_WORDS = 12
/** Maximum messages compared with misspelled words. */
const MAX_JUDGED_MESSAGES = 100
const MAX_JUDGED_CHARACTERS = 4000
/** Length of the pieces of a message to compare with a word: the time grows with the square of the length. */
const PIECE_CHARACTERS = 400
/** Overlap of the pieces, longer than any searched word, so that each word is whole in some piece. */
const OVERLAP_CHARACTERS = 60
const MAX_MISSPELLED = 3
/** Maximum messages of all users to compare per spelling. */
const MAX_COMPARED = 200
/** Maximum messages of the user per spelling. */
const MAX_PER_PATTERN = 40
/** Number of spellings to look up even when the time is over. */
const MIN_PATTERNS = 2
/** Time after which no further spelling is looked up. */
export const MISSPELLED_MS = 300
/** Words that may be misspelled: shorter ones resemble too many others, and much longer ones aren't words. */
const MAY_BE_MISSPELLED = /^[\p{L}\p{N}]{6,40}$/u
/** More messages than a model ever gets, so that messages to be summarised are read together with the rest. */
const MAX_HISTORY_MESSAGES = 480
/** Maximum length of a message that's quoted whole. */
const WHOLE_SNIPPET_CHARACTERS = 240
/** Minimum similarity of a misspelled word, 0 to 1. */
const MIN_SIMILARITY = 0.5
/** Minimum share of the question's words in a message. */
const MIN_SHARE = 0.4
/** Weight of a user's own questions, which rarely contain the answer; that of other messages is 1. */
const QUESTION_WEIGHT = 0.5

/** Regular expression of PostgreSQL for the end of a question. */
const QUESTION_END = '[?？]\\s*$'
/** Longer messages don't count as questions, so that they needn't be read. */
const MAX_QUESTION_BYTES = 1000

/** Maximum words of a question for ranking conversations. */
const MAX_RANKED_WORDS = 32
/** Maximum messages looked up for one word; a more common word hardly matters. */
const MAX_PER_WORD = 5000
/** Minimum number of messages to assume: with fewer, a word that occurs in none would outweigh all others. */
const MIN_TOTAL_MESSAGES = 100
/** Usual length of a message in bytes, and BM25's parameters. */
const [USUAL_BYTES, SATURATION, LENGTH_WEIGHT] = [600, 1.2, 0.75]
/** Weight of the words of a whole conversation beside its best message, and bonus for a period named in the question. */
const [WHOLE_TALK_WEIGHT, PERIOD_BONUS] = [0.5, 0.25]
const QUOTED_WORDS = 90
/** Maximum length of the best message of a conversation that's quoted whole; about as long as that many words. */
const WHOLE_QUOTE_CHARACTERS = 600
/** Maximum messages to read on each side of another one, and characters of each. */
const [MAX_NEARBY, NEARBY_CHARACTERS] = [4, 400]

/** Number of last messages to read with their sources, which show what the conversation is about. */
const MESSAGES_WITH_SOURCES = 8

/**
 * Messages up to the given one, oldest first, limited to about `maxCharacters`: a recursive CTE, and the query that reads it.
 */
export function historyOf(lastMessageId: SqlText, maxCharacters: number) {
  return {
    branch: sql`branch AS (
      SELECT id, parent_id, role, content, 1 AS depth, length(content) AS total
      FROM chat_messages WHERE id = ${lastMessageId}
      UNION ALL
      SELECT m.id, m.parent_id, m.role, m.content, b.depth + 1, b.total + length(m.content)
      FROM ${MESSAGE_BEFORE}
      WHERE b.depth < ${raw(MAX_HISTORY_MESSAGES)} AND b.total < ${maxCharacters}::int
    )`,
    select: sql`SELECT b.id, b.role, b.content, (
        m.read_outside OR m.sources <> '[]' OR m.agent_calls @> '[{"quotes_others": true}]'
          OR EXISTS (SELECT FROM chat_message_images i WHERE i.message_id = b.id)
          OR (m.parent_id IS NOT NULL AND NOT EXISTS (SELECT FROM branch p WHERE p.id = m.parent_id))
      ) AS "hasOutsideText",
      m.agent_calls @> '[{"name": "ReminderAgent", "state": "finished"}]' AS "hasReminders",
      m.read_outside AND m.role = 'user' AS "isForeign", (
        SELECT coalesce(jsonb_agg(DISTINCT c->>'name'), '[]') FROM jsonb_array_elements(m.agent_calls) c
        WHERE c->'allowed' = 'true'
      ) AS "allowedCalls", CASE WHEN b.depth <= ${raw(MESSAGES_WITH_SOURCES)} THEN m.sources ELSE '[]' END AS sources
      FROM branch b JOIN chat_messages m ON m.id = b.id ORDER BY b.depth DESC`,
  }
}

/** Reads users' conversations for answers: the messages before a question, and a search in all others. */
export function createRecallStore({ pool, engine }: Pick<Database, 'pool' | 'engine'>) {
  const preparedIfEmbedded = preparedWhereEmbedded(engine)
  const hasFewOwnMessages = (userId: string) => hasFewMessages({ pool, engine }, userId)

  /** Words of a question with their stems. Leaves out stop words and, unless nothing else remains, words such as "mentioned". */
  const readWords = async (
    { text, searchConfiguration }: Pick<RecallQuery, 'text' | 'searchConfiguration'>,
    limit = MAX_WORDS,
  ): Promise<Word[]> => {
    const { rows } = await pool.query<Word>(
      preparedIfEmbedded(sql`SELECT lower(token) AS word, min(lexemes[1]) AS stem
       FROM ts_debug(${searchConfiguration}::text::regconfig,
         ${cutText(text, MAX_QUERY_CHARACTERS)}) WITH ORDINALITY AS parsed
         (alias, description, token, dictionaries, dictionary, lexemes, position)
       WHERE lexemes <> '{}' AND alias NOT IN ('blank', 'tag') AND length(token) > 1
       GROUP BY lower(token) ORDER BY min(position) LIMIT ${limit}`),
    )
    const language = languageOfConfiguration(searchConfiguration)
    const content = rows.filter(({ word }) => !isFraming(word, language))
    return content.length > 0 ? content : rows
  }

  /**
   * Finds messages with the words, or with similar spellings of the misspelled ones. Each kind of match uses its own index; only
   * the messages found there are read, and only a few of them are compared with other spellings.
   */
  const find = async (
    query: RecallQuery,
    words: Word[],
    misspelled: Word[],
    scansOwnMessages: boolean,
  ): Promise<RecalledRow[]> => {
    const messages = scansOwnMessages ? messagesOf(sql`s.id`) : sql`chat_messages m`
    const patterns = words.map(({ word, stem }) => `${quoteLexeme(stem)} | ${quoteLexeme(word)}`)
    const anyPattern = patterns.join(' | ')
    const isMisspelled = words.map((word) => misspelled.includes(word))
    const hasMisspelled = misspelled.length > 0
    const perWord = misspelled.map(({ word }) => misspellingPatterns(word).map(expressionOf))
    const longest = Math.max(0, ...perWord.map(({ length }) => length))
    // The first spelling of each word, then the second of each, so that the time limit cuts all words alike.
    const spellings = Array.from({ length: longest }, (_, index) => perWord.flatMap((all) => all[index] ?? [])).flat()
    const isSimilar = sql`m.lang IS NOT NULL AND m.content ~* pattern`
    const similar = scansOwnMessages
      ? sql`SELECT m.id FROM chat_sessions s CROSS JOIN ${messages} WHERE s.user_id = ${query.userId} AND ${isSimilar}`
      : sql`SELECT c.id FROM (SELECT m.id, m.session_id FROM ${messages} WHERE ${isSimilar} OFFSET 0) c
           JOIN chat_sessions s ON s.id = c.session_id WHERE s.user_id = ${query.userId}`
    const alike = sql`input AS MATERIALIZED (
         SELECT set_config('gin_fuzzy_search_limit', ${String(MAX_COMPARED)}, true), ${spellings}::text[] AS patterns,
           clock_timestamp() + ${MISSPELLED_MS}::float8 * interval '1 ms' AS deadline
       ), alike AS MATERIALIZED (
         SELECT DISTINCT hit.id FROM input, unnest(input.patterns) WITH ORDINALITY AS listed (pattern, place) CROSS JOIN LATERAL (
           ${similar} LIMIT ${raw(MAX_PER_PATTERN)}
         ) hit
         WHERE place <= ${raw(MIN_PATTERNS)} OR clock_timestamp() < deadline
       ), `
    const similarity = sql`(SELECT CASE WHEN w.is_misspelled AND alike >= ${raw(MIN_SIMILARITY)} THEN alike ELSE 0 END
      FROM (
        SELECT max(strict_word_similarity(w.word, substr(m.content, at, ${raw(PIECE_CHARACTERS + OVERLAP_CHARACTERS)}))) AS alike
        FROM generate_series(1, least(length(m.content), ${raw(MAX_JUDGED_CHARACTERS)}), ${raw(PIECE_CHARACTERS)}) at
        WHERE w.is_misspelled
      ) judged)`
    const { rows } = await pool.query<RecalledRow>(
      preparedIfEmbedded(sql`WITH ${hasMisspelled ? alike : nothing}matches AS MATERIALIZED (
         SELECT m.id, m.session_id, m.role, m.content, m.lang, m.tsv, m.created_at, s.session_name
         FROM chat_sessions s CROSS JOIN ${messages}
         WHERE s.id = m.session_id AND s.user_id = ${query.userId} AND m.id <> ${query.exceptMessageId} AND m.content <> ''
           AND s.id IS DISTINCT FROM ${query.exceptSessionId}::uuid
           AND m.created_at >= coalesce(${query.from ?? null}::timestamptz, '-infinity')
           AND m.created_at < coalesce(${query.to ?? null}::timestamptz, 'infinity')
           AND m.lang IS NOT NULL AND m.engine IS DISTINCT FROM 'built-in'
           AND ${differsFromQuestion(sql`m.content`, query.text)}
           AND (m.tsv @@ ${anyPattern}::tsquery ${hasMisspelled ? sql`OR m.id IN (SELECT id FROM alike)` : nothing})
         ${hasMisspelled ? sql`ORDER BY m.created_at DESC LIMIT ${raw(MAX_JUDGED_MESSAGES)}` : nothing}
       ), candidates AS (
         SELECT m.*,
           (SELECT sum(CASE WHEN m.tsv @@ w.query::tsquery THEN 1 ELSE ${hasMisspelled ? similarity : raw(0)} END)
              / count(*) FROM unnest(${patterns}::text[], ${words.map(({ word }) => word)}::text[], ${isMisspelled}::bool[])
              AS w (query, word, is_misspelled)) AS share
         FROM matches m
       )
       SELECT session_id AS "sessionId", id AS "messageId", session_name AS "sessionName", role, created_at AS "createdAt",
         CASE WHEN length(content) <= ${raw(WHOLE_SNIPPET_CHARACTERS)} THEN content
           ELSE ts_headline(lang, left(content, 20000), ${anyPattern}::tsquery,
             'MaxFragments=1, MaxWords=35, MinWords=15, StartSel="", StopSel=""') END AS snippet
       FROM candidates WHERE share >= ${raw(MIN_SHARE)}
       ORDER BY share * CASE WHEN role = 'user' AND octet_length(content) <= ${raw(MAX_QUESTION_BYTES)} AND content ~ ${QUESTION_END} THEN ${raw(QUESTION_WEIGHT)} ELSE 1 END DESC,
         (role = 'user') DESC, created_at DESC LIMIT ${query.limit}`),
    )
    return rows.map((row) => ({ ...row, snippet: row.snippet.replace(/\s+/g, ' ').trim() }))
  }

  return {
    /** Messages up to the given one, oldest first, limited to about `maxCharacters`. */
    async readHistory(lastMessageId: string | null, maxCharacters: number): Promise<HistoryRow[]> {
      if (lastMessageId === null) return []
      const { branch, select } = historyOf(sql`${lastMessageId}::uuid`, maxCharacters)
      const { rows } = await pool.query<HistoryRow>(prepared(sql`WITH RECURSIVE ${branch} ${select}`))
      return rows
    },

    /**
     * Messages of a user that contain many of the question's words, best first; when none does, those with similarly spelled
     * words. Stop words of the question's language don't count. Leaves out answers of the built-in engine, which only quote, and
     * messages that ask the same question.
     */
    async search(query: RecallQuery): Promise<RecalledRow[]> {
      const [words, scansOwnMessages] = await Promise.all([readWords(query), hasFewOwnMessages(query.userId)])
      if (words.length === 0) return []
      const exact = await find(query, words, [], scansOwnMessages)
      const misspelled = words.filter(({ word }) => MAY_BE_MISSPELLED.test(word)).slice(0, MAX_MISSPELLED)
      return exact.length > 0 || misspelled.length === 0 ? exact : find(query, words, misspelled, scansOwnMessages)
    },

    /**
     * Earlier conversations that contain some of a question's words, best first, each represented by its best message. Rare words
     * count for more, as do words of the same message, and messages from a time named in the question.
     */
    async findConversations(query: ConversationsQuery): Promise<ConversationRow[]> {
      const [words, scansOwnMessages] = await Promise.all([
        readWords(query, MAX_RANKED_WORDS),
        hasFewOwnMessages(query.userId),
      ])
      if (words.length === 0) return []
      const patterns = words.map(({ word, stem }) => `${quoteLexeme(stem)} | ${quoteLexeme(word)}`)
      const spans = query.days.flatMap(withEarlierYears)
      const isSearched = sql`m.lang IS NOT NULL AND m.engine IS DISTINCT FROM 'built-in' AND m.content <> ''
               AND ${differsFromQuestion(sql`m.content`, query.question)}`
      const hits = scansOwnMessages
        ? sql`SELECT listed.at, m.id, m.session_id, octet_length(m.content) AS bytes
           FROM own CROSS JOIN ${messagesOf(sql`own.id`)}
             JOIN unnest(${patterns}::text[]) WITH ORDINALITY AS listed (query, at) ON m.tsv @@ listed.query::tsquery
           WHERE m.tsv @@ ${patterns.join(' | ')}::tsquery AND ${isSearched}`
        : sql`SELECT listed.at, hit.* FROM unnest(${patterns}::text[]) WITH ORDINALITY AS listed (query, at) CROSS JOIN LATERAL (
             SELECT m.id, m.session_id, octet_length(m.content) AS bytes FROM chat_messages m
             WHERE m.tsv @@ listed.query::tsquery AND m.session_id IN (SELECT id FROM own) AND ${isSearched}
             LIMIT ${raw(MAX_PER_WORD)}
           ) hit`
      const strength = sql`${raw(SATURATION + 1)} / (1 + ${raw(SATURATION)} * (${raw(1 - LENGTH_WEIGHT)} + ${raw(LENGTH_WEIGHT)} * bytes / ${raw(USUAL_BYTES)}.0))::float8`
      const { rows } = await pool.query<ConversationRow>(
        preparedIfEmbedded(sql`WITH own AS MATERIALIZED (
           SELECT id FROM chat_sessions WHERE user_id = ${query.userId} AND id IS DISTINCT FROM ${query.exceptSessionId}::uuid
         ), size AS (
           SELECT greatest(count(*), ${raw(MIN_TOTAL_MESSAGES)})::float8 AS messages FROM own JOIN chat_messages m ON m.session_id = own.id
         ), hits AS MATERIALIZED (
           ${hits}
         ), weighted AS (
           SELECT at, ln(1 + (messages - held + 0.5) / (held + 0.5)) AS weight FROM size, LATERAL (
             SELECT listed.at, (SELECT count(*) FROM hits WHERE hits.at = listed.at)::float8 AS held
             FROM generate_series(1, ${patterns.length}::int) AS listed (at)
           ) counted
         ), messages AS (
           SELECT id, session_id, sum(weight * ${strength}) AS score FROM hits JOIN weighted USING (at) GROUP BY id, session_id
         ), best AS (
           SELECT DISTINCT ON (session_id) session_id, id, score FROM messages ORDER BY session_id, score DESC, id DESC
         ), whole AS (
           SELECT session_id, sum(weight) AS covered FROM (SELECT DISTINCT session_id, at FROM hits) held JOIN weighted USING (at)
           GROUP BY session_id
         ), chosen AS (
           SELECT best.id, covered / total AS share, score / total + ${raw(WHOLE_TALK_WEIGHT)} * covered / total + CASE WHEN EXISTS (
             SELECT FROM unnest(${spans.map(({ first }) => first ?? '')}::text[], ${spans.map(({ last }) => last ?? '9')}::text[]) AS span (first, last)
             WHERE to_char(m.created_at AT TIME ZONE ${query.timeZone}::text, 'YYYY-MM-DD') BETWEEN first AND last
           ) THEN ${raw(PERIOD_BONUS)} ELSE 0 END AS score
           FROM best JOIN whole USING (session_id) JOIN chat_messages m ON m.id = best.id,
             (SELECT greatest(sum(weight), 1e-9) AS total FROM weighted) totals
           ORDER BY score DESC, best.id DESC LIMIT ${query.limit}
         )
         SELECT s.id AS "sessionId", m.id AS "messageId", s.session_name AS "sessionName", m.role, m.created_at AS "createdAt", share,
           CASE WHEN length(m.content) <= ${raw(WHOLE_QUOTE_CHARACTERS)} THEN m.content
             ELSE ts_headline(m.lang, left(m.content, 20000), ${patterns.join(' | ')}::tsquery,
               'MaxFragments=1, MaxWords=${raw(QUOTED_WORDS)}, MinWords=30, StartSel="", StopSel=""') END AS snippet
         FROM chosen JOIN chat_messages m USING (id) JOIN chat_sessions s ON s.id = m.session_id ORDER BY chosen.score DESC, m.id DESC`),
      )
      return rows.map((row) => ({ ...row, snippet: row.snippet.replace(/\s+/g, ' ').trim() }))
    },

    /**
     * Messages of a user within a day before and after each of the given ones, nearest first; of several replies, the newest is
     * followed. Leaves out answers of the built-in engine, which only quote.
     */
    async readNearby(userId: string, messageIds: string[]): Promise<NearbyMessage[]> {
      if (messageIds.length === 0) return []
      const start = sql`SELECT m.id AS near_id, m.created_at AS near_at, m.id, m.parent_id, m.role, m.content, m.engine,
          m.created_at, 0 AS "offset"
        FROM chat_messages m JOIN chat_sessions s ON s.id = m.session_id
        WHERE m.id = ANY (${messageIds}::uuid[]) AND s.user_id = ${userId}`
      const step = sql`SELECT b.near_id, b.near_at, m.id, m.parent_id, m.role, m.content, m.engine, m.created_at, b."offset"`
      const { rows } = await pool.query<NearbyMessage>(
        preparedIfEmbedded(sql`WITH RECURSIVE branch AS (
           ${start} UNION ALL ${step} - 1 FROM ${MESSAGE_BEFORE} WHERE b."offset" > ${raw(-MAX_NEARBY)}
         ), replies AS (
           ${start} UNION ALL ${step} + 1 FROM ${NEWEST_REPLY} WHERE b."offset" < ${raw(MAX_NEARBY)}
         )
         SELECT near_id AS "nearId", id, "offset", role, left(content, ${raw(NEARBY_CHARACTERS)}) AS text
         FROM (TABLE branch UNION ALL TABLE replies) nearby
         WHERE "offset" <> 0 AND content <> '' AND engine IS DISTINCT FROM 'built-in'
           AND created_at BETWEEN near_at - interval '1 day' AND near_at + interval '1 day'
         ORDER BY near_id, abs("offset"), "offset"`),
      )
      return rows.map((row) => ({ ...row, text: row.text.replace(/\s+/g, ' ').trim() }))
    },
  }
}

/** Maximum bytes of punctuation around a repeated question; a longer message is always another one. */
const MAX_AROUND_BYTES = 100

/** SQL condition that a message doesn't repeat the question. Judges long messages by their length, since thousands are compared. */
function differsFromQuestion(content: SqlText, question: string): SqlText {
  const normalisedText = (text: SqlText) => sql`lower(btrim(${text}, E' \\n\\t.?!…¿¡'))`
  const longest = Buffer.byteLength(question) + MAX_AROUND_BYTES
  return sql`(octet_length(${content}) > ${longest}::int OR ${normalisedText(content)} <> ${normalisedText(sql`${question}::text`)})`
}
