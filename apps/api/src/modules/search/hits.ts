import type { Evidence } from './evidence.ts'
import type { MomentKind, MomentRow } from './memory.store.ts'
import { type Term, wordsOf } from './terms.ts'
import { weights } from './weights.ts'

/** A moment that a search may return, with its matches; also a picture, in the form of a moment. */
export interface Candidate {
  moment: MomentRow
  /** Matches of the query's words; null for a picture found by its looks. */
  evidence: Evidence | null
  /** Cosine with the query; null when unknown. */
  cosine: number | null
  /** Cosine of the item with the query; null when unknown. */
  itemCosine: number | null
  /** Probability that the candidate was meant, by its meaning or looks, 0 to 1. */
  semanticScore: number
}

/** A word that no text contains, and another spelling of it in a text, both in lower case. */
export interface Correction {
  from: string
  to: string
}

/** A found location in an item. */
export interface SearchHit {
  key: string
  /** Best moment of the hit, which is shown. */
  moment: MomentRow
  /** Kind of the text that matched. It may differ from the kind of `moment`, since an item found by its name shows its text. */
  foundIn: MomentKind
  /** True when the item's name contains words of the query. */
  isNamed: boolean
  /** True when these words are in the title, the camera or another detail, but not in the file name itself. */
  isInDetails?: boolean
  matched: 'words' | 'meaning' | 'looks'
  /** True when the hit, or its item's name or caption, contains a typed word in any form. */
  hasTypedWord: boolean
  /** Words of the hit that the user may have meant by typed words that no text contains. */
  guesses: Correction[]
  /** Sort key of the hits. */
  score: number
  /** Certainty that this hit was meant, 0 to 1. */
  probability: number
  /** Matched words of the shown moment, without insignificant ones, in lower case. */
  matchedWords: Set<string>
}

/** Probability from which a hit counts as found. */
export const FOUND_PROBABILITY = 0.5

/** Separator in a moment of kind `name`: between the file name, its separate words, and other details. */
const NAME_SEPARATOR = ' · '

/** True when a hit contains no typed word, only guesses at them, and doesn't count as found. */
export function isGuess({ hasTypedWord, guesses, probability }: SearchHit): boolean {
  return !hasTypedWord && guesses.length > 0 && probability < FOUND_PROBABILITY
}

/** Moves guesses behind the last hit that was found or contains a typed word; otherwise keeps the order. */
export function guessesLast(hits: SearchHit[]): SearchHit[] {
  const last = hits.findLastIndex((hit) => hit.hasTypedWord || hit.probability >= FOUND_PROBABILITY)
  const others = hits.filter((hit, index) => index <= last && !isGuess(hit))
  return [...others, ...hits.filter((hit, index) => index > last || isGuess(hit))]
}

/** Terms of a query, each with a weight by its rarity. */
export interface WeightedTerms {
  terms: Term[]
  rarities: number[]
}

/** Words of a text that match the query, in lower case, without words much more common than the rarest of them. */
export function significantWords(evidence: Evidence | null, { terms, rarities }: WeightedTerms): Set<string> {
  const words = evidence?.words ?? new Map<number, Set<string>>()
  const matched = matchedContentTerms(evidence, terms)
  const minRarity = weights.words.marked * Math.max(0, ...matched.map((index) => rarities[index] ?? 0))
  const significant = matched.filter((index) => (rarities[index] ?? 0) >= minRarity)
  return new Set(significant.flatMap((index) => [...(words.get(index) ?? [])]))
}

export function hasContentTerm(evidence: Evidence | null, { terms }: WeightedTerms): boolean {
  return matchedContentTerms(evidence, terms).length > 0
}

/** Indexes of the terms that a text contains, without stop words unless the query has no other words. */
function matchedContentTerms(evidence: Evidence | null, terms: Term[]): number[] {
  if (evidence === null || evidence.words.size === 0) return []
  const hasOnlyStopWords = terms.every(({ isStopWord }) => isStopWord)
  return [...terms.keys()].filter(
    (index) => evidence.words.has(index) && (hasOnlyStopWords || terms[index]?.isStopWord === false),
  )
}

const isName = ({ moment }: Pick<SearchHit, 'moment'>) => moment.kind === 'name'

/**
 * Replaces hits of items' names with hits of their texts. If the item has another hit, both are merged at the better rank;
 * otherwise the text with the best matches is shown, if any matches.
 */
export function withTextsOfNames(hits: SearchHit[], candidates: Candidate[], words: WeightedTerms): SearchHit[] {
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
    return [mergeHits(name, text)]
  })
}

function mergeHits(name: SearchHit, text: SearchHit): SearchHit {
  return {
    ...text,
    isNamed: true,
    hasTypedWord: name.hasTypedWord || text.hasTypedWord,
    score: Math.max(name.score, text.score),
    probability: Math.max(name.probability, text.probability),
  }
}

function withBestText(hit: SearchHit, candidates: Candidate[], words: WeightedTerms): SearchHit {
  const wordScoreOf = ({ evidence }: Candidate) =>
    (evidence?.strengths ?? []).reduce((sum, strength, index) => sum + strength * (words.rarities[index] ?? 0), 0)
  const [best] = candidates
    .filter(({ moment, evidence }) => {
      const isOfItem = moment.mediaId === hit.moment.mediaId && moment.kind !== 'name'
      return isOfItem && hasContentTerm(evidence, words)
    })
    .sort((one, other) => wordScoreOf(other) - wordScoreOf(one))
  if (!best) return hit
  const { moment, evidence } = best
  return { ...hit, moment, foundIn: moment.kind, isNamed: true, matchedWords: significantWords(evidence, words) }
}

/** Marks hits whose words are only in the details after the file name. */
export function withDetails(hits: SearchHit[], candidates: Candidate[], words: WeightedTerms): SearchHit[] {
  const names = new Map(candidates.filter(isName).map((candidate) => [candidate.moment.mediaId, candidate]))
  return hits.map((hit) => {
    const name = hit.isNamed ? names.get(hit.moment.mediaId) : undefined
    if (name === undefined) return hit
    const filenameWords = wordsOfFilename(name.moment)
    const matchedWords = significantWords(name.evidence, words)
    return [...matchedWords].some((word) => filenameWords.has(word)) ? hit : { ...hit, isInDetails: true }
  })
}

/** Replaces hits of file names alone with the beginning of the items' texts; an item without text keeps its name. */
export async function withOpeningTexts(
  hits: SearchHit[],
  readOpeningTexts: (ids: string[]) => Promise<MomentRow[]>,
): Promise<SearchHit[]> {
  const foundByFilename = hits.filter((hit) => isName(hit) && matchesOnlyFilename(hit))
  if (foundByFilename.length === 0) return hits
  const rows = await readOpeningTexts(foundByFilename.map(({ moment }) => moment.mediaId))
  const openingTexts = new Map(rows.map((row) => [row.mediaId, row]))
  return hits.map((hit) => {
    const openingText = foundByFilename.includes(hit) ? openingTexts.get(hit.moment.mediaId) : undefined
    // The whole item was found, not a location in it.
    const whole = { frameNumber: null, page: null, startSeconds: null, endSeconds: null, box: null }
    return openingText ? { ...hit, moment: { ...openingText, ...whole }, matchedWords: new Set() } : hit
  })
}

/** True when all matched words are in the file name, none only in the details after it. */
function matchesOnlyFilename({ moment, matchedWords }: SearchHit): boolean {
  const words = wordsOfFilename(moment)
  return [...matchedWords].every((word) => words.has(word))
}

/** Words of the file name in a moment of kind `name`. */
const wordsOfFilename = ({ body }: MomentRow) => new Set(body.split(NAME_SEPARATOR).slice(0, 2).flatMap(wordsOf))
