import type { SearchAnswer, SearchQuery, UserEventJson } from '@mira/shared'
import type { ActivityRecord } from '../../db/activity.ts'
import { NotFoundError } from '../../errors.ts'
import type { MeaningSearch } from './meaning.ts'
import type { MemoryStore, SearchScope } from './memory.store.ts'
import { presentResult } from './present.ts'
import { earlier, later, parseQuery } from './query.ts'
import { type FoundPlace, rankPlaces } from './ranking.ts'
import type { SearchRecordStore } from './search-record.store.ts'
import type { StemsStore } from './stems.store.ts'
import type { StemmedLanguage } from './stems.ts'
import { type Term, termsOf, wordsOf } from './terms.ts'
import type { TakeSearchTurn } from './turns.ts'
import type { WordSearch } from './words.ts'

/** Who searches. */
export interface Searcher {
  userId: string
  /** IANA name, in which the dates of filters are read. */
  timeZone: string
  /** ISO 639-1 code, for words whose language cannot be told. */
  language: string
  inAnalytics: boolean
  /** False for a search that is recorded as a part of something else: the call of an agent. */
  isRecorded?: boolean
}

export interface MemoryDeps {
  store: MemoryStore
  records: SearchRecordStore
  stems: StemsStore
  words: WordSearch
  meaning: MeaningSearch
  takeTurn: TakeSearchTurn
  /** Text search configuration of a text's language; simple when unsure. */
  searchConfigurationOf(text: string): string
  /** Text search configuration of an ISO 639-1 code. */
  searchConfigurationOfLanguage(code: string): string
  /** Makes a path of the API one that a browser can load by itself. */
  signPath(userId: string, path: string): string
  newId(): string
  /** Tells every listener of a user. */
  publish(userId: string, event: UserEventJson): void
}

export type MemoryService = ReturnType<typeof createMemoryService>

/** Moments that are judged for each result that is wanted. */
const JUDGED_PER_RESULT = 5
const LEAST_JUDGED = 100
const LISTED_SCORE = 1
/** Nearest moments and pictures that are judged. */
const NEAR_MOMENTS = 50

/** Finds again what a person has shown to the assistant. */
export function createMemoryService(deps: MemoryDeps) {
  const { store, records, stems, words, meaning, signPath } = deps

  const languageOf = (text: string, searcher: Searcher): StemmedLanguage | null => {
    const guessed = deps.searchConfigurationOf(text)
    const language = guessed === 'simple' ? deps.searchConfigurationOfLanguage(searcher.language) : guessed
    return language === 'simple' ? null : (language as StemmedLanguage)
  }

  /** The query as terms, and the scope that its filters and the request's make. */
  const read = async (searcher: Searcher, query: SearchQuery) => {
    const parsed = parseQuery(query.query, searcher.timeZone)
    const excludedWords = parsed.excluded.flatMap(wordsOf)
    const known = await stems.stemsOf([...[...parsed.words, ...parsed.phrases].flatMap(wordsOf), ...excludedWords])
    const terms = termsOf(parsed, languageOf(parsed.words.join(' '), searcher), known)
    const excluded = termsOf({ ...parsed, words: parsed.excluded, phrases: [] }, null, known)
    const excludedQueries = (await words.conditionsOf(excluded.map(asTyped))).map(({ tsquery }) => `(${tsquery})`)
    const types = query.media_types
    const scope: SearchScope = {
      userId: searcher.userId,
      types:
        parsed.types && types ? parsed.types.filter((type) => types.includes(type)) : (parsed.types ?? types ?? null),
      tags: parsed.tags,
      from: later(parsed.from, query.from ? new Date(query.from) : null),
      to: earlier(parsed.to, query.to ? new Date(query.to) : null),
      includesFrames: query.include_frames,
      phrases: await words.conditionsOf(terms.filter(({ kind }) => kind === 'phrase')),
      excluded: excludedQueries.length > 0 ? excludedQueries.join(' | ') : null,
    }
    const isFiltered = parsed.types !== null || parsed.tags.length > 0 || parsed.from !== null || parsed.to !== null
    return { parsed, terms, scope, isFiltered }
  }

  /** What filters alone find: items, the newest first. */
  const list = async (scope: SearchScope, limit: number): Promise<FoundPlace[]> => {
    const moments = await store.listItems(scope, limit)
    return moments.map((moment) => ({
      key: moment.mediaId,
      moment: { ...moment, frameNumber: null, page: null, startSeconds: null },
      matched: 'words',
      score: LISTED_SCORE,
      matchedWords: new Set(),
    }))
  }

  const search = async (searcher: Searcher, query: SearchQuery): Promise<SearchAnswer> => {
    const startedAt = performance.now()
    const { userId } = searcher
    const { parsed, terms, scope, isFiltered } = await read(searcher, query)
    const judged = Math.max(LEAST_JUDGED, query.limit * JUDGED_PER_RESULT)
    const typed = [...parsed.words, ...parsed.phrases].join(' ')
    // words in quotes are meant as they stand
    const near = parsed.words.length > 0 ? meaning.find(scope, typed, NEAR_MOMENTS) : null
    const [found, { hits, ...mode }] = await Promise.all([
      words.find(scope, terms, query.limit, judged),
      near ?? { hits: [], mode: 'words' as const },
    ])
    const isListing = terms.length === 0 && isFiltered
    const places = isListing ? await list(scope, query.limit) : rankPlaces(found.hits, found.weights, hits, query.limit)
    const searchId = deps.newId()
    const durationMs = Math.round(performance.now() - startedAt)
    const detail = { action: 'searched', query: query.query, results: places.length, mode: mode.mode }
    const { inAnalytics, isRecorded = true } = searcher
    const [rows] = await Promise.all([
      store.readResults(
        userId,
        places.map(({ moment }) => moment),
      ),
      isRecorded && records.record({ id: searchId, userId, kind: 'search', durationMs, detail, inAnalytics }),
    ])
    if (isRecorded) deps.publish(userId, { type: 'activity.recorded', kind: 'search' })
    const sign = (path: string) => signPath(userId, path)
    const results = places.flatMap((place, at) => {
      const row = rows[at]
      return row ? [presentResult(place, row, { terms, typed, sign })] : []
    })
    const tookMs = Math.round((performance.now() - startedAt) * 10) / 10
    return { search_id: searchId, results, took_ms: tookMs, ...mode }
  }

  return {
    /**
     * The places that a query finds, best first; recorded as one search of the person, unless they say otherwise.
     * @throws TooManyRequestsError, UnavailableError when too many searches wait already.
     */
    search: (searcher: Searcher, query: SearchQuery): Promise<SearchAnswer> =>
      deps.takeTurn(searcher.userId, () => search(searcher, query)),

    /** @throws NotFoundError when the search or the result is not the person's, or not there any more. */
    async opened(result: { userId: string; searchId: string; resultId: string; inAnalytics: boolean }): Promise<void> {
      const { userId, searchId, resultId, inAnalytics } = result
      const [hasSearched, mediaId] = await Promise.all([
        records.hasSearched(userId, searchId),
        records.itemOf(userId, resultId),
      ])
      if (!hasSearched || mediaId === null) throw new NotFoundError('This search result is not there any more.')
      const opened: ActivityRecord = {
        userId,
        kind: 'search',
        subjectId: mediaId,
        detailId: searchId,
        detail: { action: 'opened' },
        inAnalytics,
      }
      await records.recordOpened(opened)
      deps.publish(userId, { type: 'activity.recorded', kind: 'search' })
    },
  }
}

/** What is excluded was typed to its end. */
function asTyped(term: Term): Term {
  return term.kind === 'word' ? { ...term, isLast: false } : term
}
