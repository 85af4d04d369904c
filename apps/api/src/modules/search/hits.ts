import type { Evidence } from './evidence.ts'
import type { MomentKind, MomentRow } from './memory.store.ts'
import { type Term, wordsOf } from './terms.ts'
import { weights } from './weights.ts'

/** A moment, or a picture as if it were one, with everything that speaks for it. */
export interface Candidate {
  moment: MomentRow
  /** Matching words; null for a picture that was found by its looks. */
  evidence: Evidence | null
  /** Cosines with the query, of itself and of its item; null where there is none. */
  cosine: number | null
  itemCosine: number | null
  /** Probability that its meaning or its looks were meant, 0 to 1. */
  semanticScore: number
}

/** A word in no text, and another spelling of it in one, both in lower case. */
export interface Correction {
  from: string
  to: string
}

/** A location in an item that was found. */
export interface SearchHit {
  key: string
  /** The moment that speaks most for the hit: this one is shown. */
  moment: MomentRow
  /** Kind of the text that led here; an item found by its name is shown by its text. */
  foundIn: MomentKind
  /** True where the item's name holds words of the query. */
  isNamed: boolean
  matched: 'words' | 'meaning' | 'looks'
  /** True where it, or its item's name or caption, holds a typed word in any form. */
  holdsTyped: boolean
  /** Words of it that may have been meant by words in no text. */
  guesses: Correction[]
  /** Sort key of the hits. */
  score: number
  /** Certainty that this was meant, 0 to 1. */
  probability: number
  /** Telling words of the moment that is shown, in lower case. */
  matchedWords: Set<string>
}

/** From this probability on, a hit counts as found. */
export const FOUND_PROBABILITY = 0.5

/** A file's name, the words in it, and what else it is known by are separated by this. */
const NAME_SEPARATOR = ' · '

/** True where a hit holds guesses at typed words only. */
export function isGuess({ holdsTyped, guesses, probability }: SearchHit): boolean {
  return !holdsTyped && guesses.length > 0 && probability < FOUND_PROBABILITY
}

/** Moves guesses behind hits that were found or hold a typed word; the order stays otherwise. */
export function guessesLast(hits: SearchHit[]): SearchHit[] {
  const last = hits.findLastIndex((hit) => hit.holdsTyped || hit.probability >= FOUND_PROBABILITY)
  const sure = hits.filter((hit, index) => index <= last && !isGuess(hit))
  return [...sure, ...hits.filter((hit, index) => index > last || isGuess(hit))]
}

/** Terms and the weight of each by its rarity. */
export interface WeighedTerms {
  terms: Term[]
  rarities: number[]
}

/** Words of a text that matter to the query. */
export function tellingWords(evidence: Evidence | null, { terms, rarities }: WeighedTerms): Set<string> {
  const words = evidence?.words ?? new Map<number, Set<string>>()
  const matched = markedTerms(evidence, terms)
  const least = weights.words.marked * Math.max(0, ...matched.map((index) => rarities[index] ?? 0))
  const telling = matched.filter((index) => (rarities[index] ?? 0) >= least)
  return new Set(telling.flatMap((index) => [...(words.get(index) ?? [])]))
}

/** True for a text with telling words. */
export function isTelling(evidence: Evidence | null, { terms }: WeighedTerms): boolean {
  return markedTerms(evidence, terms).length > 0
}

/** Indexes of the terms in a text, in the query's order; joining words don't count unless there are no others in the query. */
function markedTerms(evidence: Evidence | null, terms: Term[]): number[] {
  if (evidence === null || evidence.words.size === 0) return []
  const isAllJoining = terms.every(({ isJoining }) => isJoining)
  return [...terms.keys()].filter(
    (index) => evidence.words.has(index) && (isAllJoining || terms[index]?.isJoining === false),
  )
}

const isName = ({ moment }: Pick<SearchHit, 'moment'>) => moment.kind === 'name'

/**
 * Shows the text of an item in place of its name: another hit of the item is joined with the name's, in the better place;
 * without one, the text with most of the words is shown.
 */
export function withTextsOfNames(hits: SearchHit[], candidates: Candidate[], words: WeighedTerms): SearchHit[] {
  const texts = new Map<string, SearchHit>()
  for (const hit of hits) if (!isName(hit) && !texts.has(hit.moment.mediaId)) texts.set(hit.moment.mediaId, hit)
  const names = new Map(hits.filter(isName).map((hit) => [hit.moment.mediaId, hit]))
  const listedNames = new Set<SearchHit>()
  return hits.flatMap((hit) => {
    const { mediaId } = hit.moment
    const [name, text] = [names.get(mediaId), texts.get(mediaId)]
    if (isName(hit) && !text) return [withBestText(hit, candidates, words)]
    if (!name || !text || (hit !== name && hit !== text)) return [hit]
    if (listedNames.has(text)) return []
    listedNames.add(text)
    return [joined(name, text)]
  })
}

function joined(name: SearchHit, text: SearchHit): SearchHit {
  return {
    ...text,
    isNamed: true,
    holdsTyped: name.holdsTyped || text.holdsTyped,
    score: Math.max(name.score, text.score),
    probability: Math.max(name.probability, text.probability),
  }
}

function withBestText(hit: SearchHit, candidates: Candidate[], words: WeighedTerms): SearchHit {
  const tells = ({ evidence }: Candidate) =>
    (evidence?.strengths ?? []).reduce((sum, strength, index) => sum + strength * (words.rarities[index] ?? 0), 0)
  const [best] = candidates
    .filter(({ moment, evidence }) => {
      const isOfItem = moment.mediaId === hit.moment.mediaId && moment.kind !== 'name'
      return isOfItem && isTelling(evidence, words)
    })
    .sort((one, other) => tells(other) - tells(one))
  if (!best) return hit
  const { moment, evidence } = best
  return { ...hit, moment, foundIn: moment.kind, isNamed: true, matchedWords: tellingWords(evidence, words) }
}

/** Shows the beginning of items that were found by their file name alone; an item without text keeps its name. */
export async function withBeginnings(
  hits: SearchHit[],
  readBeginnings: (ids: string[]) => Promise<MomentRow[]>,
): Promise<SearchHit[]> {
  const bare = hits.filter((hit) => isName(hit) && isOfFilename(hit))
  if (bare.length === 0) return hits
  const rows = await readBeginnings(bare.map(({ moment }) => moment.mediaId))
  const beginnings = new Map(rows.map((row) => [row.mediaId, row]))
  return hits.map((hit) => {
    const beginning = bare.includes(hit) ? beginnings.get(hit.moment.mediaId) : undefined
    // The whole item was found, and no place in it.
    const whole = { frameNumber: null, page: null, startSeconds: null, endSeconds: null, box: null }
    return beginning ? { ...hit, moment: { ...beginning, ...whole }, matchedWords: new Set() } : hit
  })
}

/** True where the file name alone holds the matches, and not the title or the camera after it. */
function isOfFilename({ moment, matchedWords }: SearchHit): boolean {
  const words = new Set(moment.body.split(NAME_SEPARATOR).slice(0, 2).flatMap(wordsOf))
  return [...matchedWords].every((word) => words.has(word))
}
