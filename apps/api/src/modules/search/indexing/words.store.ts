import { buildIndex } from '../../../platform/database/build-index.ts'
import type { Database } from '../../../platform/database/client.ts'
import { prepared } from '../../../platform/database/prepared.ts'
import { raw, sql } from '../../../platform/database/sql.ts'

export type WordIndexStore = ReturnType<typeof createWordIndexStore>

/** Number of all users' moments, as the database estimates it, from which an index of words by user is built. */
const MANY_MOMENTS = 50_000
const INDEX_BY_USER = 'moments_user_id_tsv_idx'

/**
 * Updates moments whose words were indexed by the rules of a previous version. On a database server, it also builds an index of
 * words by user: with the common index, a word that is frequent for all users is looked up among everyone's moments.
 */
export function createWordIndexStore(
  { pool, engine, connectUnlimited }: Pick<Database, 'pool' | 'engine' | 'connectUnlimited'>,
  { manyMoments = MANY_MOMENTS } = {},
) {
  return {
    /** True when the index by user would be worthwhile, is missing, and can be built. */
    async lacksIndexByUser(): Promise<boolean> {
      if (engine === 'embedded') return false
      const { rows } = await pool.query<{ lacks: boolean }>(
        sql`SELECT reltuples >= ${manyMoments}
           AND NOT EXISTS (SELECT FROM pg_index WHERE indexrelid = to_regclass(${INDEX_BY_USER}) AND indisvalid)
           AND (EXISTS (SELECT FROM pg_extension WHERE extname = 'btree_gin')
             OR (EXISTS (SELECT FROM pg_available_extensions WHERE name = 'btree_gin')
               AND has_database_privilege(current_database(), 'CREATE'))) AS lacks
         FROM pg_class WHERE oid = 'moments'::regclass`,
      )
      return rows[0]?.lacks === true
    },

    /** Builds the index of words by user. @returns false while another server builds it. */
    async buildIndexByUser(): Promise<boolean> {
      await pool.query('CREATE EXTENSION IF NOT EXISTS btree_gin')
      return buildIndex(
        { connectUnlimited },
        INDEX_BY_USER,
        'moments USING gin (user_id, tsv) WITH (gin_pending_list_limit = 128)',
      )
    },

    async hasOutdated(): Promise<boolean> {
      return (await pool.query('SELECT FROM moments WHERE indexed_as IS NULL LIMIT 1')).rowCount === 1
    },

    /** Updates outdated moments, so that the trigger recomputes their words. @returns the number of moments. */
    async update(limit: number): Promise<number> {
      const { rowCount } = await pool.query(
        sql`UPDATE moments SET lang = lang WHERE id IN (
           SELECT id FROM moments WHERE indexed_as IS NULL ORDER BY id LIMIT ${limit} FOR UPDATE SKIP LOCKED
         )`,
      )
      return rowCount ?? 0
    },
  }
}

/** Text search configurations with a stemmer. */
export const stemmedLanguages = ['english', 'spanish', 'french', 'german'] as const
export type StemmedLanguage = (typeof stemmedLanguages)[number]

/** Text search configuration for an ISO 639-1 code; null for a language without a stemmer. */
export function stemmedLanguageOf(code: string | null): StemmedLanguage | null {
  const names: Record<string, StemmedLanguage> = { en: 'english', es: 'spanish', fr: 'french', de: 'german' }
  return names[code ?? ''] ?? null
}

/** Stem of a word in each language; null in a language in which it has none. */
export type Stems = Record<StemmedLanguage, string | null>

export type StemsStore = ReturnType<typeof createStemsStore>

const MAX_CACHED = 20_000
/** Number of languages in which a word must be a stop word to count as one in an unknown language. */
const MIN_STOP_WORD_LANGUAGES = 2

/** SQL for the stems of `word` in each language, and whether it's a stop word there. */
const STEM_COLUMNS = raw(
  stemmedLanguages
    .map(
      (language) => `(ts_lexize('public.${language}_words', word))[1] AS ${language},
        ts_lexize('${language}_stem', word) = '{}' AS is_stop_${language}`,
    )
    .join(', '),
)

type StopWordColumns = Record<`is_stop_${StemmedLanguage}`, boolean>

interface CachedWord {
  stems: Stems
  /** Languages in which PostgreSQL treats the word as a stop word. */
  stopWordIn: StemmedLanguage[]
}

/** Stems words as the full text index does. Stems never change, so they're cached. */
export function createStemsStore({ pool }: Pick<Database, 'pool'>) {
  const cache = new Map<string, CachedWord>()

  return {
    /** Stems of words in lower case. */
    async stemsOf(words: Iterable<string>): Promise<Map<string, Stems>> {
      const stems = new Map<string, Stems>()
      const missing: string[] = []
      for (const word of new Set(words)) {
        const cached = cache.get(word)
        if (cached) stems.set(word, cached.stems)
        else missing.push(word)
      }
      if (missing.length === 0) return stems
      const { rows } = await pool.query<Stems & StopWordColumns & { word: string }>(
        prepared(sql`SELECT word, ${STEM_COLUMNS} FROM unnest(${missing}::text[]) AS words (word)`),
      )
      if (cache.size > MAX_CACHED) cache.clear()
      for (const row of rows) {
        const { english, spanish, french, german } = row
        const entry = {
          stems: { english, spanish, french, german },
          stopWordIn: stemmedLanguages.filter((language) => row[`is_stop_${language}`]),
        }
        stems.set(row.word, entry.stems)
        cache.set(row.word, entry)
      }
      return stems
    },

    /**
     * The given words that are stop words of a language according to PostgreSQL; their stems must have been loaded.
     * @param isGuessed stop words of any two languages count, too: "de la" is Spanish and French.
     */
    stopWordsOf(words: string[], language: StemmedLanguage | null, { isGuessed = false } = {}): Set<string> {
      return new Set(
        words.filter((word) => {
          const languages = cache.get(word)?.stopWordIn ?? []
          const isSharedStopWord = isGuessed && languages.length >= MIN_STOP_WORD_LANGUAGES
          return isSharedStopWord || (language !== null && languages.includes(language))
        }),
      )
    },
  }
}
