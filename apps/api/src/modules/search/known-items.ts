import { guessLanguage } from '../../offline/language/language.ts'
import type { ImageSearch, SemanticSearch } from './arms/meaning.ts'
import type { StemsStore } from './indexing/words.store.ts'
import type { KnownItemFigures, KnownItemsStore, TestableUser } from './known-items.store.ts'
import type { MemoryStore, MomentRow } from './memory.store.ts'
import type { Retrieval, RetrievalOptions } from './retrieval.ts'
import { locationKey } from './score.ts'
import { isUnspaced, wordsOf } from './terms.ts'
import { understand } from './understand.ts'

/** Minimum words of a sentence that becomes a question; a shorter sentence may occur in any text. */
const MIN_WORDS = 5
const MAX_WORDS = 12
/** Every third word is left out, so that no text contains the question verbatim. */
const SKIP_EVERY = 3
/** Minimum and maximum length of a question in a script without spaces. */
const MIN_CHARACTERS = 8
const MAX_CHARACTERS = 12
const SENTENCE_END = /(?=\s)(?<=[.!?…]["'”’»)]*)\s+|(?<=[。！？])|\n+/u
const OUTER_MARKS = /^[^\p{L}\p{N}]+|[^\p{L}\p{N}\p{M}]+$/gu

/**
 * Query of a user who remembers part of a text: the words of one sentence without every third; in scripts without spaces, the
 * sentence's middle. Deterministic; null when no sentence is long enough to identify the text.
 */
export function knownQuestionOf(text: string): string | null {
  const questions = text.split(SENTENCE_END).flatMap((sentence) => questionOf(sentence) ?? [])
  // A sentence from the middle, since the first one is often a letterhead.
  return questions[Math.floor(questions.length / 2)] ?? null
}

function questionOf(sentence: string): string | null {
  if (isUnspaced(sentence)) {
    const characters = [...sentence.replace(/[^\p{L}\p{N}\p{M}]/gu, '')]
    if (characters.length < MIN_CHARACTERS) return null
    const begin = Math.floor(characters.length / SKIP_EVERY)
    return characters.slice(begin, begin + MAX_CHARACTERS).join('')
  }
  const words = sentence.split(/\s+/).flatMap((word) => word.replace(OUTER_MARKS, '') || [])
  if (new Set(words.flatMap(wordsOf)).size < MIN_WORDS) return null
  return words
    .slice(0, MAX_WORDS)
    .filter((_, index) => index % SKIP_EVERY !== SKIP_EVERY - 1)
    .join(' ')
}

export interface KnownItemsDeps {
  store: KnownItemsStore
  memory: Pick<MemoryStore, 'readMoments'>
  stems: Pick<StemsStore, 'stemsOf'>
  retrieval: Retrieval
  meaning: SemanticSearch
  looks: ImageSearch
}

/** Progress callbacks of a trial. */
export interface KnownItemsProgress {
  total(count: number): void
  done(): void
}

/** Result of a trial of all users' memories. */
export interface KnownItemsResult {
  askedCount: number
  foundCount: number
}

export type KnownItems = ReturnType<typeof createKnownItems>

/** Maximum searches in one night, for all users together. */
const MAX_SEARCHES = 100
/** Sampled moments per search, since some are too short for a question. */
const SAMPLES_PER_SEARCH = 4
/** Results visible without scrolling. */
const VISIBLE_HITS = 5
/** Moments to find by meaning: more than the visible results, since several may be at one location. */
const NEAR_MOMENTS = 20
const MAX_WAIT_MS = 3000

/**
 * Nightly trial of the search. It takes texts, captions and speech from users' memories, searches for some of their words, and
 * counts how often the search finds the page, picture or passage. Only figures are stored, and the searches aren't recorded.
 */
export function createKnownItems({ store, memory, stems, retrieval, meaning, looks }: KnownItemsDeps) {
  const tryOne = async (userId: string, moment: MomentRow, question: string) => {
    const language = guessLanguage(moment.body)
    const caller = { userId, timeZone: 'UTC', language: language ?? 'en' }
    const understood = await understand(stems, caller, question, { isPlain: true })
    const options: RetrievalOptions = { language, by: 'location', maxWaitMs: MAX_WAIT_MS }
    const combined = await retrieval.find(understood, options, VISIBLE_HITS)
    const byWords = await retrieval.find(understood, { ...options, byMeaning: false }, VISIBLE_HITS)
    const query = { text: understood.text, language, maxWaitMs: MAX_WAIT_MS }
    const [near, pictures] = await Promise.all([
      meaning.find(query, understood.scope, NEAR_MOMENTS),
      looks.find(query, understood.scope, NEAR_MOMENTS),
    ])
    const isEngineAvailable = near.compare !== null || pictures.looks.length > 0
    const isShown = (hits: { moment: MomentRow }[]) => hits.some((hit) => isSameFinding(hit.moment, moment))
    return {
      isFound: isShown(combined.hits),
      isFoundByWords: isShown(byWords.hits),
      isFoundByMeaning: isEngineAvailable
        ? isShown([...(await nearestHits(userId, near.moments)), ...pictures.looks])
        : null,
    }
  }

  /** The nearest moments, one per location, as many as are visible as results. */
  const nearestHits = async (userId: string, moments: Map<string, number>): Promise<{ moment: MomentRow }[]> => {
    if (moments.size === 0) return []
    const rows = new Map((await memory.readMoments(userId, [...moments.keys()])).map((row) => [row.id, row]))
    const nearest = new Map<string, { moment: MomentRow }>()
    for (const id of moments.keys()) {
      const moment = rows.get(id)
      if (moment && !nearest.has(locationKey(moment))) nearest.set(locationKey(moment), { moment })
    }
    return [...nearest.values()].slice(0, VISIBLE_HITS)
  }

  const tryUser = async (userId: string, max: number, markDone: () => void, signal: AbortSignal) => {
    const samples = await store.sample(userId, max * SAMPLES_PER_SEARCH)
    const questions = samples.flatMap((moment) => {
      const question = knownQuestionOf(moment.body)
      return question === null ? [] : [{ moment, question }]
    })
    const figures = { askedCount: 0, foundCount: 0, foundByWords: 0, askedByMeaning: 0, foundByMeaning: 0 }
    for (const { moment, question } of questions.slice(0, max)) {
      signal.throwIfAborted()
      const { isFound, isFoundByWords, isFoundByMeaning } = await tryOne(userId, moment, question)
      figures.askedCount++
      if (isFound) figures.foundCount++
      if (isFoundByWords) figures.foundByWords++
      if (isFoundByMeaning !== null) figures.askedByMeaning++
      if (isFoundByMeaning) figures.foundByMeaning++
      markDone()
    }
    const isByMeaning = figures.askedByMeaning > 0
    return isByMeaning ? figures : { ...figures, askedByMeaning: null, foundByMeaning: null }
  }

  return {
    /**
     * Tries as many users' memories as one night allows, least recently tried first.
     * @throws the first failure, after trying the others.
     */
    async measure(measuredAt: Date, progress: KnownItemsProgress, signal: AbortSignal): Promise<KnownItemsResult> {
      const totals: KnownItemsResult = { askedCount: 0, foundCount: 0 }
      const failures: unknown[] = []
      let users: TestableUser[] = []
      let momentCount = 0
      let userCount = 0
      let limit = MAX_SEARCHES
      do {
        // Continues after users whose trial failed, so that they don't block others, night after night.
        users = await store.usersToTry(measuredAt, { skip: failures.length, limit })
        // Small memories first: they don't use up their share of the searches, which is left for the others.
        users.sort((one, other) => one.moments - other.moments)
        momentCount += users.reduce((sum, { moments }) => sum + moments, 0)
        progress.total(Math.min(MAX_SEARCHES, momentCount))
        for (const [index, { userId }] of users.entries()) {
          signal.throwIfAborted()
          const max = Math.floor((MAX_SEARCHES - totals.askedCount) / (users.length - index))
          try {
            const figures: KnownItemFigures = await tryUser(userId, max, progress.done, signal)
            await store.save(userId, measuredAt, figures)
            totals.askedCount += figures.askedCount
            totals.foundCount += figures.foundCount
            userCount++
          } catch (error) {
            signal.throwIfAborted()
            failures.push(error)
          }
        }
        limit = MAX_SEARCHES - Math.max(userCount, totals.askedCount)
      } while (users.length > 0 && limit > 0)
      if (failures.length > 0) throw failures[0]
      return totals
    },

    latest: store.latest,
  }
}

/** True when a hit is at the moment's location, or has the same text. */
function isSameFinding(hit: MomentRow, target: MomentRow): boolean {
  // Any frame of the video counts, since consecutive frames look alike.
  if (target.kind === 'caption' && hit.mediaId === target.mediaId) return true
  return locationKey(hit) === locationKey(target) || hit.body.startsWith(target.body)
}
