import { guessLanguage } from '../../offline/language/language.ts'
import type { LooksArm } from './arms/looks.ts'
import type { MeaningArm } from './arms/meaning.ts'
import type { StemsStore } from './indexing/stems.store.ts'
import type { KnownItemFigures, KnownItemsStore } from './known-items.store.ts'
import type { MemoryStore, MomentRow } from './memory.store.ts'
import type { Retrieval, RetrievalOptions } from './retrieval.ts'
import { locationKey } from './score.ts'
import { isUnspaced, wordsOf } from './split-words.ts'
import { understand } from './understand.ts'

/** Fewer words of a text may stand in any other. */
const MIN_WORDS = 5
const MAX_WORDS = 12
/** One word of so many is left out: what is asked stands nowhere as it is asked. */
const LEFT_OUT_OF = 3
/** The same of a script without spaces, in characters. */
const MIN_CHARACTERS = 8
const MAX_CHARACTERS = 12
const SENTENCE_END = /(?=\s)(?<=[.!?…]["'”’»)]*)\s+|(?<=[。！？])|\n+/u
const OUTER_MARKS = /^[^\p{L}\p{N}]+|[^\p{L}\p{N}\p{M}]+$/gu

/**
 * A part of one sentence of a text, by which a person who remembers some of it would look for it: every third word is left
 * out, of scripts without spaces the beginning. The same for the same text; null when it holds no sentence that is long
 * enough to be told from others.
 */
export function knownQuestionOf(text: string): string | null {
  const questions = text.split(SENTENCE_END).flatMap((sentence) => partOf(sentence) ?? [])
  // the first one often is a letterhead
  return questions[Math.floor(questions.length / 2)] ?? null
}

function partOf(sentence: string): string | null {
  if (isUnspaced(sentence)) {
    const characters = [...sentence.replace(/[^\p{L}\p{N}\p{M}]/gu, '')]
    if (characters.length < MIN_CHARACTERS) return null
    const begin = Math.floor(characters.length / LEFT_OUT_OF)
    return characters.slice(begin, begin + MAX_CHARACTERS).join('')
  }
  const words = sentence.split(/\s+/).flatMap((word) => word.replace(OUTER_MARKS, '') || [])
  if (new Set(words.flatMap(wordsOf)).size < MIN_WORDS) return null
  return words
    .slice(0, MAX_WORDS)
    .filter((_, at) => at % LEFT_OUT_OF !== LEFT_OUT_OF - 1)
    .join(' ')
}

export interface KnownItemsDeps {
  store: KnownItemsStore
  memory: Pick<MemoryStore, 'readMoments'>
  stems: Pick<StemsStore, 'stemsOf'>
  retrieval: Retrieval
  meaning: MeaningArm
  looks: LooksArm
}

/** Progress callbacks of a trial. */
export interface KnownItemsProgress {
  total(count: number): void
  done(): void
}

/** Result of a trial of all users' memories. */
export interface KnownItemsResult {
  asked: number
  found: number
}

export type KnownItems = ReturnType<typeof createKnownItems>

/** So many are looked for in one night, in all memories together. */
const MAX_ASKED = 100
/** Some of what is chosen is too short to be asked for. */
const CHOSEN_PER_ASKED = 4
/** Results visible without scrolling. */
const SEEN_HITS = 5
/** Several of the nearest texts may stand at one location. */
const NEAR_MOMENTS = 20
const PATIENCE_MS = 3000

/**
 * Tries whether what people's memories hold is found by a part of its own words: a sentence should lead to its page, a
 * caption to its picture. Nothing of it is recorded as a search, and figures alone are kept.
 */
export function createKnownItems({ store, memory, stems, retrieval, meaning, looks }: KnownItemsDeps) {
  const tryOne = async (userId: string, moment: MomentRow, question: string) => {
    const language = guessLanguage(moment.body)
    const caller = { userId, timeZone: 'UTC', language: language ?? 'en' }
    const understood = await understand(stems, caller, question, { isPlain: true })
    const options: RetrievalOptions = { language, by: 'location', patienceMs: PATIENCE_MS }
    const joined = await retrieval.find(understood, options, SEEN_HITS)
    const byWords = await retrieval.find(understood, { ...options, byMeaning: false }, SEEN_HITS)
    const query = { text: understood.text, language, patienceMs: PATIENCE_MS }
    const [near, pictures] = await Promise.all([
      meaning.find(query, understood.scope, NEAR_MOMENTS),
      looks.find(query, understood.scope, NEAR_MOMENTS),
    ])
    const isAnswered = near.compare !== null || pictures.looks.length > 0
    const isShown = (hits: { moment: MomentRow }[]) => hits.some((hit) => isSame(hit.moment, moment))
    return {
      isFound: isShown(joined.hits),
      isFoundByWords: isShown(byWords.hits),
      isFoundByMeaning: isAnswered ? isShown([...(await nearestHits(userId, near.moments)), ...pictures.looks]) : null,
    }
  }

  /** The nearest locations, and no more than are seen. */
  const nearestHits = async (userId: string, moments: Map<string, number>): Promise<{ moment: MomentRow }[]> => {
    if (moments.size === 0) return []
    const rows = new Map((await memory.readMoments(userId, [...moments.keys()])).map((row) => [row.id, row]))
    const nearest = new Map<string, { moment: MomentRow }>()
    for (const id of moments.keys()) {
      const moment = rows.get(id)
      if (moment && !nearest.has(locationKey(moment))) nearest.set(locationKey(moment), { moment })
    }
    return [...nearest.values()].slice(0, SEEN_HITS)
  }

  const tryPerson = async (userId: string, most: number, done: () => void, signal: AbortSignal) => {
    const chosen = await store.sample(userId, most * CHOSEN_PER_ASKED)
    const asked = chosen.flatMap((moment) => {
      const question = knownQuestionOf(moment.body)
      return question === null ? [] : [{ moment, question }]
    })
    const figures = { asked: 0, found: 0, foundByWords: 0, askedByMeaning: 0, foundByMeaning: 0 }
    for (const { moment, question } of asked.slice(0, most)) {
      signal.throwIfAborted()
      const { isFound, isFoundByWords, isFoundByMeaning } = await tryOne(userId, moment, question)
      figures.asked++
      if (isFound) figures.found++
      if (isFoundByWords) figures.foundByWords++
      if (isFoundByMeaning !== null) figures.askedByMeaning++
      if (isFoundByMeaning) figures.foundByMeaning++
      done()
    }
    const isByMeaning = figures.askedByMeaning > 0
    return isByMeaning ? figures : { ...figures, askedByMeaning: null, foundByMeaning: null }
  }

  return {
    /** Tries everybody's memory, as many as one night allows; who was not tried for longest comes first. */
    async measure(at: Date, progress: KnownItemsProgress, signal: AbortSignal): Promise<KnownItemsResult> {
      // who has little leaves room for others
      const people = (await store.people(MAX_ASKED)).sort((one, other) => one.moments - other.moments)
      progress.total(
        Math.min(
          MAX_ASKED,
          people.reduce((sum, { moments }) => sum + moments, 0),
        ),
      )
      const all: KnownItemsResult = { asked: 0, found: 0 }
      for (const [index, { userId }] of people.entries()) {
        signal.throwIfAborted()
        const most = Math.floor((MAX_ASKED - all.asked) / (people.length - index))
        const figures: KnownItemFigures = await tryPerson(userId, most, progress.done, signal)
        await store.keep(userId, at, figures)
        all.asked += figures.asked
        all.found += figures.found
      }
      return all
    },

    latest: store.latest,
  }
}

/** True when a hit is at the moment's location, or has the same text. */
function isSame(shown: MomentRow, known: MomentRow): boolean {
  // pictures of a film that follow one another look alike, and lead to the same location
  if (known.kind === 'caption' && shown.mediaId === known.mediaId) return true
  return locationKey(shown) === locationKey(known) || shown.body.startsWith(known.body)
}
