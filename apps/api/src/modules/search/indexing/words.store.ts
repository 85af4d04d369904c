import { buildIndex } from '../../../platform/database/build-index.ts'
import type { Database } from '../../../platform/database/client.ts'
import { prepared } from '../../../platform/database/prepared.ts'
import { raw, sql } from '../../../platform/database/sql.ts'

export type WordIndexStore = ReturnType<typeof createWordIndexStore>

/** Number of moments from which a word is looked up among those of its user, as the database estimates it. */
const MANY_MOMENTS = 50_000
const BY_USER = 'moments_user_id_tsv_idx'

/**
 * Moments whose words were written by the rules of a version before, and on a server an index of words by user: in that of all,
 * a common word of somebody with 5,000 moments among a million is looked up among everybody's.
 */
export function createWordIndexStore(
  { pool, engine, connectUnlimited }: Pick<Database, 'pool' | 'engine' | 'connectUnlimited'>,
  { manyMoments = MANY_MOMENTS } = {},
) {
  return {
    /** True where the index by user is worth it, isn't there, and could be built. */
    async lacksIndexByUser(): Promise<boolean> {
      if (engine === 'embedded') return false
      const { rows } = await pool.query<{ lacks: boolean }>(
        sql`SELECT reltuples >= ${manyMoments}
           AND NOT EXISTS (SELECT FROM pg_index WHERE indexrelid = to_regclass(${BY_USER}) AND indisvalid)
           AND (EXISTS (SELECT FROM pg_extension WHERE extname = 'btree_gin')
             OR (EXISTS (SELECT FROM pg_available_extensions WHERE name = 'btree_gin')
               AND has_database_privilege(current_database(), 'CREATE'))) AS lacks
         FROM pg_class WHERE oid = 'moments'::regclass`,
      )
      return rows[0]?.lacks === true
    },

    /** False while another server builds it. */
    async buildIndexByUser(): Promise<boolean> {
      await pool.query('CREATE EXTENSION IF NOT EXISTS btree_gin')
      return buildIndex(
        { connectUnlimited },
        BY_USER,
        'moments USING gin (user_id, tsv) WITH (gin_pending_list_limit = 128)',
      )
    },

    async hasOld(): Promise<boolean> {
      return (await pool.query('SELECT FROM moments WHERE indexed_as IS NULL LIMIT 1')).rowCount === 1
    },

    /** Recomputes the words of some of them, as the trigger does for every moment; returns their number. */
    async renew(limit: number): Promise<number> {
      const { rowCount } = await pool.query(
        sql`UPDATE moments SET lang = lang WHERE id IN (
           SELECT id FROM moments WHERE indexed_as IS NULL ORDER BY id LIMIT ${limit} FOR UPDATE SKIP LOCKED
         )`,
      )
      return rowCount ?? 0
    },
  }
}

/** Text search configurations that know the stems of a language. */
export const stemmedLanguages = ['english', 'spanish', 'french', 'german'] as const
export type StemmedLanguage = (typeof stemmedLanguages)[number]

/** The language of an ISO 639-1 code; null when none of these. */
export function stemmedLanguageOf(code: string | null): StemmedLanguage | null {
  const names: Record<string, StemmedLanguage> = { en: 'english', es: 'spanish', fr: 'french', de: 'german' }
  return names[code ?? ''] ?? null
}

/** The stem of a word in each language; null where it has none. */
export type Stems = Record<StemmedLanguage, string | null>

export type StemsStore = ReturnType<typeof createStemsStore>

const MAX_KEPT = 20_000
/** Languages from which on a word is hardly one to look for in a text of an unknown one. */
const SHARED_BY = 2

/** Stems of `word` in each language, and whether it only joins others there. */
const STEM_COLUMNS = raw(
  stemmedLanguages
    .map(
      (language) => `(ts_lexize('public.${language}_words', word))[1] AS ${language},
        ts_lexize('${language}_stem', word) = '{}' AS joins_${language}`,
    )
    .join(', '),
)

type JoinsIn = Record<`joins_${StemmedLanguage}`, boolean>

interface Known {
  stems: Stems
  /** Languages in which the word only joins others, as PostgreSQL knows them. */
  joinsIn: StemmedLanguage[]
}

/** Reduces words to their stems as the full text index does; stems never change, so they are cached. */
export function createStemsStore({ pool }: Pick<Database, 'pool'>) {
  const cache = new Map<string, Known>()

  return {
    /** The stems of each of these words, which are in lower case. */
    async stemsOf(words: Iterable<string>): Promise<Map<string, Stems>> {
      const stems = new Map<string, Stems>()
      const missing: string[] = []
      for (const word of new Set(words)) {
        const cached = cache.get(word)
        if (cached) stems.set(word, cached.stems)
        else missing.push(word)
      }
      if (missing.length === 0) return stems
      const { rows } = await pool.query<Stems & JoinsIn & { word: string }>(
        prepared(sql`SELECT word, ${STEM_COLUMNS} FROM unnest(${missing}::text[]) AS asked (word)`),
      )
      if (cache.size > MAX_KEPT) cache.clear()
      for (const row of rows) {
        const { english, spanish, french, german } = row
        const entry = {
          stems: { english, spanish, french, german },
          joinsIn: stemmedLanguages.filter((language) => row[`joins_${language}`]),
        }
        stems.set(row.word, entry.stems)
        cache.set(row.word, entry)
      }
      return stems
    },

    /**
     * Stop words of a language among these, according to PostgreSQL; only for words whose stems are loaded. Where the
     * language is only guessed, so are those of two other ones: "de la" is Spanish and French.
     */
    joiningOf(words: string[], language: StemmedLanguage | null, { isGuessed = false } = {}): Set<string> {
      return new Set(
        words.filter((word) => {
          const joinsIn = cache.get(word)?.joinsIn ?? []
          return (language !== null && joinsIn.includes(language)) || (isGuessed && joinsIn.length >= SHARED_BY)
        }),
      )
    },
  }
}
