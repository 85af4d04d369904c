import type { Database } from '../../db/client.ts'
import { prepared } from '../../db/prepared.ts'
import { type Stems, stemmedLanguages } from './stems.ts'

export type StemsStore = ReturnType<typeof createStemsStore>

const MOST_KEPT = 20_000

const selectStems = prepared(
  `SELECT word, ${stemmedLanguages.map((language) => `(ts_lexize('${language}_stem', word))[1] AS ${language}`)}
   FROM unnest($1::text[]) AS asked (word)`,
)

/** Reduces words to their stems as the full text index does; stems never change, so those that were asked for are kept. */
export function createStemsStore({ pool }: Pick<Database, 'pool'>) {
  const kept = new Map<string, Stems>()

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
  }
}
