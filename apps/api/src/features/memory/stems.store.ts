import type { Database } from '../../db/client.ts'
import { prepared } from '../../db/prepared.ts'
import { type StemmedLanguage, type Stems, stemmedLanguages } from './stems.ts'

export type StemsStore = ReturnType<typeof createStemsStore>

const MOST_KEPT = 20_000

const selectStems = prepared(
  `SELECT word, ${stemmedLanguages.map((language) => `(ts_lexize('public.${language}_words', word))[1] AS ${language}`)}
   FROM unnest($1::text[]) AS asked (word)`,
)

const selectJoining = prepared(
  `SELECT word, ts_lexize(($2::text || '_stem')::regdictionary, word) = '{}' AS joins FROM unnest($1::text[]) AS asked (word)`,
)

/** Reduces words to their stems as the full text index does; stems never change, so those that were asked for are kept. */
export function createStemsStore({ pool }: Pick<Database, 'pool'>) {
  const kept = new Map<string, Stems>()
  const joining = new Map<string, boolean>()

  return {
    /** The stems of each of these words, which are in lower case. */
    async stemsOf(words: Iterable<string>): Promise<Map<string, Stems>> {
      const stems = new Map<string, Stems>()
      const missing: string[] = []
      for (const word of new Set(words)) {
        const known = kept.get(word)
        if (known) stems.set(word, known)
        else missing.push(word)
      }
      if (missing.length === 0) return stems
      const { rows } = await pool.query<Stems & { word: string }>(selectStems([missing]))
      if (kept.size > MOST_KEPT) kept.clear()
      for (const { word, ...found } of rows) {
        stems.set(word, found)
        kept.set(word, found)
      }
      return stems
    },

    /** Those of some words that only join others in a language, as PostgreSQL knows them. */
    async joiningOf(words: string[], language: StemmedLanguage): Promise<Set<string>> {
      const missing = words.filter((word) => !joining.has(`${language} ${word}`))
      if (missing.length > 0) {
        const { rows } = await pool.query<{ word: string; joins: boolean }>(selectJoining([missing, language]))
        if (joining.size > MOST_KEPT) joining.clear()
        for (const { word, joins } of rows) joining.set(`${language} ${word}`, joins)
      }
      return new Set(words.filter((word) => joining.get(`${language} ${word}`)))
    },
  }
}
