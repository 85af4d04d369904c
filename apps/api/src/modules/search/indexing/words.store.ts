import type { Database } from '../../../platform/database/client.ts'
import { prepared } from '../../../platform/database/prepared.ts'
import { raw, sql } from '../../../platform/database/sql.ts'

export type WordIndexStore = ReturnType<typeof createWordIndexStore>

/** Moments whose words were written by the rules of a version before. */
export function createWordIndexStore({ pool }: Pick<Database, 'pool'>) {
  return {
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
