import {
  type MediaType,
  type SearchQuery,
  type SearchResponse,
  searchQuerySchema,
  type UnderstoodQuery,
} from '@mira/shared'
import type { Caller } from '../../caller.ts'
import { NotFoundError } from '../../errors.ts'
import type { ActivityRecord } from '../../platform/database/activity.ts'
import { newId } from '../../platform/database/new-id.ts'
import type { Events } from '../../platform/events/events.service.ts'
import type { PathSigner } from '../../platform/lib/path-signer.ts'
import type { Semaphore } from '../../platform/lib/semaphore.ts'
import { type SearchHit, withOpeningTexts } from './hits.ts'
import type { ItemMomentsStore } from './indexing/item-moments.store.ts'
import type { StemsStore } from './indexing/words.store.ts'
import type { MemoryStore } from './memory.store.ts'
import { certaintyOf, presentResult, shownProbabilities } from './present.ts'
import type { Retrieval } from './retrieval.ts'
import type { SearchScope } from './scope.ts'
import type { SearchRecordStore } from './search-record.store.ts'
import { placedWordsOf, wordsOf } from './terms.ts'
import { type Understood, understand } from './understand.ts'

/** The user who searches, and the limits of the search. */
export interface Searcher extends Pick<Caller, 'userId' | 'timeZone' | 'language' | 'countsInAnalytics'> {
  /** Ids of the items to search; undefined for all items. */
  items?: string[] | undefined
  /** Content types to search; undefined for all types. */
  contentTypes?: readonly string[] | undefined
  /** True when times in the query mean the time added, never the time taken. */
  isByTimeAdded?: boolean
  /** False for a search that isn't recorded, such as a part of an agent's call. */
  isRecorded?: boolean
  /** True when the user may still be typing the query, so that its last word may begin a longer one. */
  isTyping?: boolean
}

export interface MemoryDeps {
  store: Pick<MemoryStore, 'listItems' | 'readResults'>
  items: Pick<ItemMomentsStore, 'readFirstWords'>
  records: SearchRecordStore
  stems: StemsStore
  retrieval: Retrieval
  semaphore: Semaphore
  signedPaths: PathSigner
  events: Pick<Events, 'publish'>
}

export type MemoryService = ReturnType<typeof createMemoryService>

/** Maximum number of alternative spellings shown for a word that no text contains. */
const MAX_CORRECTIONS = 3
/** Maximum wait of an interactive search for an embedding engine. */
const MAX_WAIT_MS = 1000
const MAX_SAVED_SEARCH_HITS = 100
/** Minimum number of unquoted words for a query with a quote to count as a question. */
const MIN_QUESTION_WORDS = 6

/** Interactive search of a user's memory. */
export function createMemoryService(deps: MemoryDeps) {
  const { store, items, stems, records, retrieval, semaphore, signedPaths, events } = deps

  /** Items that match the filters of a query without words, newest first. */
  const listItems = async (scope: SearchScope, limit: number): Promise<SearchHit[]> => {
    const moments = await store.listItems(scope, limit)
    const hits = moments.map(
      (moment): SearchHit => ({
        key: moment.mediaId,
        foundIn: moment.kind,
        matched: 'words',
        score: 1,
        probability: 1,
        matchedWords: new Set(),
        isNamed: false,
        hasTypedWord: false,
        guesses: [],
        moment: { ...moment, frameNumber: null, page: null, startSeconds: null },
      }),
    )
    return withOpeningTexts(hits, (ids) => items.readFirstWords(scope.userId, ids))
  }

  /** @param startedAt performance.now() when the search was requested. */
  const runSearch = async (searcher: Searcher, query: SearchQuery, startedAt: number): Promise<SearchResponse> => {
    const { userId, countsInAnalytics, isRecorded = true, isTyping = false } = searcher
    const narrowing = {
      mediaTypes: query.media_types as MediaType[] | undefined,
      from: query.from === undefined ? undefined : new Date(query.from),
      to: query.to === undefined ? undefined : new Date(query.to),
      includesFrames: query.include_frames,
      literal: query.literal,
      items: searcher.items,
      contentTypes: searcher.contentTypes,
      isByTimeAdded: searcher.isByTimeAdded,
    }
    const understood = await understand(stems, searcher, query.query, narrowing)
    const { text, phrases, scope } = understood
    const typed = [text, ...phrases].join(' ').trim()
    const find = (reading: Understood) =>
      retrieval.find(
        reading,
        {
          language: reading.language ?? searcher.language,
          by: 'location',
          maxWaitMs: MAX_WAIT_MS,
          mayEndInPrefix: isTyping && phrases.length === 0,
          isExact: query.exact,
        },
        query.limit,
      )
    const quotedSearch = await find(understood)
    // A long question may quote something that no text contains literally. It's then searched for without the quotes.
    const isQuestion = phrases.length > 0 && !understood.isFiltered && wordsOf(text).length >= MIN_QUESTION_WORDS
    const usesQuotes = quotedSearch.hits.length > 0 || !isQuestion
    const { hits, ...outcome } = usesQuotes
      ? quotedSearch
      : await find(await understand(stems, searcher, query.query, { ...narrowing, isPlain: true }))
    const shownPhrases = usesQuotes ? phrases : []
    const isListing = typed === '' && understood.isFiltered && hits.length === 0
    const listedHits = isListing ? await listItems(scope, query.limit) : hits
    const searchId = newId()
    const sign = (path: string) => signedPaths.sign(userId, path)
    const quoted = new Set(shownPhrases.flatMap(wordsOf))
    for (const word of wordsOf(text)) quoted.delete(word)
    const probabilities = shownProbabilities(listedHits)
    const rows = await store.readResults(
      userId,
      listedHits.map(({ moment }) => moment),
    )
    const results = listedHits.flatMap((hit, index) => {
      const row = rows[index]
      const probability = probabilities[index] ?? hit.probability
      const matchedWords = new Set([...hit.matchedWords].filter((word) => !quoted.has(word)))
      return row
        ? [presentResult({ ...hit, matchedWords, probability }, row, { phrases: shownPhrases, typedText: typed, sign })]
        : []
    })
    const tookMs = Math.round((performance.now() - startedAt) * 10) / 10
    if (isRecorded) {
      const isFound = (hit: SearchHit) => isListing || certaintyOf(hit) === 'found'
      const foundItems = new Set(listedHits.filter(isFound).map(({ moment }) => moment.mediaId))
      const detail = { action: 'searched', query: query.query, results: foundItems.size, mode: outcome.mode }
      const durationMs = Math.round(tookMs)
      await records.record({ id: searchId, userId, kind: 'search', durationMs, detail, countsInAnalytics })
      events.publish(userId, { type: 'activity.recorded', kind: 'search' })
    }
    const response = {
      search_id: searchId,
      results,
      took_ms: tookMs,
      ...outcome,
      understood: { ...understood.response, ...correctionsOf(listedHits) },
    }
    return isListing ? { ...response, is_listing: true } : response
  }

  const search = (searcher: Searcher, query: SearchQuery): Promise<SearchResponse> => {
    // The wait for a permit counts as part of the search.
    const startedAt = performance.now()
    return semaphore.run(() => runSearch(searcher, query, startedAt), { userId: searcher.userId })
  }

  return {
    /** Ids of items that a saved search finds, best first. It isn't recorded as a search by the user. @throws as `search`. */
    async findItems(reader: Pick<Caller, 'userId' | 'language' | 'timeZone'>, saved: string): Promise<string[]> {
      const searcher = { ...reader, countsInAnalytics: false, isRecorded: false }
      const { results } = await search(
        searcher,
        searchQuerySchema.parse({ query: saved, limit: MAX_SAVED_SEARCH_HITS }),
      )
      return [...new Set(results.filter(({ certainty }) => certainty === 'found').map(({ media_id }) => media_id))]
    },

    /**
     * Searches the user's memory. The search is recorded unless `isRecorded` is false.
     * @throws TooManyRequestsError, UnavailableError when too many searches are waiting.
     */
    search,

    /** Records that a result was opened. @throws NotFoundError when the search or the result isn't the user's or no longer exists. */
    async recordOpened(result: {
      userId: string
      searchId: string
      resultId: string
      countsInAnalytics: boolean
    }): Promise<void> {
      const { userId, searchId, resultId, countsInAnalytics } = result
      const [hasSearched, mediaId] = await Promise.all([
        records.hasSearched(userId, searchId),
        records.itemOf(userId, resultId),
      ])
      if (!hasSearched || mediaId === null) throw new NotFoundError('This search result no longer exists.')
      const opened: ActivityRecord = {
        userId,
        kind: 'search',
        subjectId: mediaId,
        detailId: searchId,
        detail: { action: 'opened' },
        countsInAnalytics,
      }
      await records.recordOpened(opened)
      events.publish(userId, { type: 'activity.recorded', kind: 'search' })
    },
  }
}

/** Spellings to suggest for words that no text contains, best first, as written in the texts. */
function correctionsOf(hits: SearchHit[]): Pick<UnderstoodQuery, 'corrections'> {
  const corrections = new Map<string, Map<string, string>>()
  for (const { guesses, moment } of hits) {
    const wordsWithRanges = guesses.length > 0 ? placedWordsOf(moment.body) : []
    for (const { from: typed, to: suggested } of guesses) {
      const spellings = corrections.get(typed) ?? new Map<string, string>()
      corrections.set(typed, spellings)
      const range = wordsWithRanges.find(({ word }) => word === suggested)
      if (spellings.size < MAX_CORRECTIONS && !spellings.has(suggested))
        spellings.set(suggested, range ? moment.body.slice(range.from, range.to) : suggested)
    }
  }
  const all = [...corrections].flatMap(([from, spellings]) => [...spellings.values()].map((to) => ({ from, to })))
  return all.length > 0 ? { corrections: all } : {}
}
