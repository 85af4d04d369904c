import type { MediaType, UnderstoodQuery } from '@mira/shared'
import { earlier, later, type ParsedQuery, parseQuery } from './query.ts'
import { understandPhrases } from './query-phrases.ts'
import { phraseConditionOf } from './quoted-phrases.ts'
import type { RankingPreferences } from './retrieval.ts'
import type { SearchScope } from './scope.ts'
import { askedWordsOf } from './split-words.ts'
import type { StemsStore } from './stems.store.ts'
import { noStems, tsqueryOf } from './terms.ts'

/** User and settings that decide the meaning of a query. */
export interface QueryAuthor {
  userId: string
  /** IANA name, in which days are read. */
  timeZone: string
  /** ISO 639-1 code, for words whose language cannot be told. */
  language: string
}

/** Filters of a request. */
export interface Narrowing {
  mediaTypes?: MediaType[] | undefined
  from?: Date | undefined
  to?: Date | undefined
  items?: string[] | undefined
  includesFrames?: boolean | undefined
  /** Phrases that are words to look for, whatever time or kind they seem to name. */
  literal?: string[] | undefined
  /** A sentence of a conversation: what looks like a filter or stands in quotes means nothing else in it. */
  isPlain?: boolean | undefined
}

/** A query, apart: what is looked for, where, and what comes first. */
export interface Understood {
  /** The words without filters and phrases in quotes. */
  text: string
  /** Parts of the query that were understood as a time or a type, but may be meant literally. */
  context: string[]
  /** To be found letter by letter. */
  phrases: string[]
  scope: SearchScope
  /** True when filters in the query narrow the scope. */
  isFiltered: boolean
  preferences?: RankingPreferences | undefined
  /** The same for whoever asked. */
  told: UnderstoodQuery
}

export interface UnderstandingDeps {
  stems: StemsStore
  /** ISO 639-1 code of a text's language; null when unsure. */
  guessLanguage(text: string): string | null
  now?: () => Date
}

const noFilters = { phrases: [], excluded: [], types: null, tags: [], from: null, to: null }

export type UnderstandQuery = ReturnType<typeof createUnderstanding>

/** Reads what a query asks for, in words, filters, and phrases of time and kind. */
export function createUnderstanding({ stems, guessLanguage, now = () => new Date() }: UnderstandingDeps) {
  const scopeOf = async (
    { userId, timeZone }: QueryAuthor,
    parsed: ParsedQuery,
    narrowing: Narrowing,
  ): Promise<SearchScope> => {
    const { mediaTypes: types, from, to, items, includesFrames = true } = narrowing
    const chunks = [...parsed.phrases, ...parsed.excluded]
    const known = await stems.stemsOf(chunks.flatMap(askedWordsOf))
    const stemsOf = (word: string) => known.get(word) ?? noStems
    const excluded = parsed.excluded.map((chunk) => {
      const words = askedWordsOf(chunk)
      return words.map((word) => `(${tsqueryOf({ word, stems: stemsOf(word), isOpen: false })})`).join(' & ')
    })
    const queries = excluded.filter((query) => query !== '').map((query) => `(${query})`)
    return {
      userId,
      items,
      includesFrames,
      tags: parsed.tags,
      types:
        parsed.types && types ? parsed.types.filter((type) => types.includes(type)) : (parsed.types ?? types ?? null),
      from: later(parsed.from, from ?? null),
      to: earlier(parsed.to, to ?? null),
      timeZone,
      phrases: parsed.phrases.map((phrase) => phraseConditionOf(phrase, stemsOf)),
      excluded: queries.length > 0 ? queries.join(' | ') : null,
    }
  }

  return async (asker: QueryAuthor, query: string, narrowing: Narrowing = {}): Promise<Understood> => {
    const { timeZone } = asker
    const language = guessLanguage(query) ?? asker.language
    const read = understandPhrases(query, { now: now(), timeZone, language, literal: narrowing.literal ?? [] })
    const parsed = narrowing.isPlain ? { ...noFilters, words: [read.text] } : parseQuery(read.text, timeZone)
    const words = parsed.words.join(' ')
    const { mediaTypes, from, to, phrases, isOnlyPhrases } = read
    return {
      text: isOnlyPhrases ? '' : words,
      context: isOnlyPhrases ? [words] : phrases.map(({ text }) => text),
      phrases: parsed.phrases,
      scope: await scopeOf(asker, parsed, narrowing),
      isFiltered: parsed.types !== null || parsed.tags.length > 0 || parsed.from !== null || parsed.to !== null,
      preferences: phrases.length > 0 ? { mediaTypes, from, to, isAll: isOnlyPhrases } : undefined,
      told: {
        words: isOnlyPhrases ? '' : [words, ...parsed.phrases].join(' ').trim(),
        ...(mediaTypes && { media_types: mediaTypes }),
        ...(from && { from }),
        ...(to && { to }),
        phrases: phrases.map(({ mediaTypes: types, ...phrase }) => ({
          ...phrase,
          ...(types && { media_types: types }),
        })),
      },
    }
  }
}
