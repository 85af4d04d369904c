import { type Evidence, strengthOf } from './evidence.ts'
import {
  type Candidate,
  type Correction,
  guessesLast,
  hasContentTerm,
  type SearchHit,
  significantWords,
  type WeightedTerms,
  withDetails,
  withTextsOfNames,
} from './hits.ts'
import type { MomentRow } from './memory.store.ts'
import { noPreferenceMatch, type PreferenceMatch } from './preferences.ts'
import { weights } from './weights.ts'

/** Figures of a query and a memory that the score is computed from. */
export interface Ranking extends WeightedTerms {
  /** Length of each item relative to the average; an item that isn't listed counts as 1. */
  itemLengths: ReadonlyMap<string, number>
  /** Trust in cosines, 0 to 1. */
  trust: number
  /** Cosines of a random sample of texts, for comparison. */
  background: { moments: number[]; items: number[] }
  /** location: one hit per frame, page, sentence or whole item; moment: one hit per text. */
  by: 'location' | 'moment'
  preferenceMatchOf(moment: MomentRow): PreferenceMatch
  /** True when the query only consists of preferences. */
  isOnlyPreferences: boolean
  /** True when the query asks for the contents of an item: the item's name then only says where to look. */
  isFramed: boolean
}

/** A ranking with the indexes of its content terms. */
interface Scoring extends Ranking {
  contentTerms: number[]
}

const MAX_HITS_PER_ITEM = 3

/**
 * Groups candidates into hits and ranks them, best first, with a certainty for each. No hit is left out for being uncertain.
 *
 * Score = words + (all words ? 0.3 : 0) + trust × (0.4 × moment + 0.4 × item) + 0.6 × looks + preference (`weights.score`).
 * - Words: half from the hit, half from all texts of its item, each scaled to the best. A hit's sum is BM25 over the terms
 *   (rarity × strength, from the best moment of each kind at the location, or from the item's name or description), plus a
 *   bonus for neighbouring terms and phrases.
 * - Moment and item: cosines, scaled to 0 … 1 between the query's farthest and nearest.
 *
 * The certainty is computed separately: from the share of the query's terms in the hit and its score relative to the best
 * possible one, or from the certainty by meaning alone. Hits that only match by guessed spellings come last and never count
 * as found.
 */
export function rankHits(candidates: Candidate[], ranking: Ranking, limit: number): SearchHit[] {
  const weight = weights.score
  const groups = groupsOf(candidates, ranking.by)
  const itemEvidence = itemEvidenceOf(candidates, ranking.terms.length)
  const names = namesOf(candidates)
  const itemWords = itemWordScores(candidates, ranking)
  const scoring = { ...ranking, contentTerms: contentTermsOf(ranking) }
  const measurements = [...groups].map(([key, members]) => measure(key, members, { itemEvidence, names }, scoring))

  const queryWeight = ranking.rarities.reduce(
    (sum, rarity, index) => sum + rarity * (ranking.terms[index]?.weight ?? 0),
    0,
  )
  const minBest = weight.minFullMatch * queryWeight
  const bestWords = Math.max(minBest, ...measurements.map(({ words }) => words)) || 1
  const bestItem = Math.max(minBest, ...itemWords.values()) || 1
  const scaleMoment = createScaler([...measurements.map(({ cosine }) => cosine), ...ranking.background.moments])
  const scaleItem = createScaler([...measurements.map(({ itemCosine }) => itemCosine), ...ranking.background.items])
  const trust = Math.max(weight.minTrust, ranking.trust)
  const boostOf = ({ share, boost }: PreferenceMatch) =>
    ranking.isOnlyPreferences ? weight.onlyPreference * share : boost
  const scored = measurements.map((hit) => {
    const { mediaId } = hit.best.moment
    const nearness = trust * (weight.moment * scaleMoment(hit.cosine) + weight.item * scaleItem(hit.itemCosine))
    const ofItem = (itemWords.get(mediaId) ?? 0) / bestItem
    const words = (1 - weight.itemWords) * (hit.words / bestWords) + weight.itemWords * ofItem
    const allWords = hit.hasAllWords ? weight.allWords : 0
    return { hit, score: words + allWords + nearness + weight.looks * hit.looks + boostOf(hit.preferenceMatch) }
  })
  scored.sort((one, other) => other.score - one.score || (one.hit.key < other.hit.key ? 1 : -1))

  const bestPossible =
    1 +
    (measurements.some(({ hasAllWords }) => hasAllWords) ? weight.allWords : 0) +
    ranking.trust * (weight.moment + weight.item)
  const bestFullMatch = Math.max(minBest, ...measurements.map(({ words, hasAllWords }) => (hasAllWords ? words : 0)))
  const ranked = scored.map(({ hit, score }) => {
    // A text with all typed words is no less certain because its nearness is unknown.
    const scoreShare = Math.max(
      Math.min(1, score / bestPossible),
      hit.hasAllWords ? hit.words / (bestFullMatch || 1) : 0,
    )
    return asHit(hit, score, scoreShare, ranking)
  })
  const hits = withDetails(withTextsOfNames(ranked, candidates, ranking), candidates, ranking)
  return limitPerItem(guessesLast(hits), ranking.by === 'location', limit)
}

/** Figures of a hit that its score and certainty are computed from. */
interface MeasuredHit {
  key: string
  best: Candidate
  /** BM25 sum of the query's words in the hit. */
  words: number
  cosine: number | null
  itemCosine: number | null
  looks: number
  /** Share of the query's own words that the hit contains, weighted by rarity, 0 to 1; `guessedCover` includes guesses. */
  cover: number
  guessedCover: number
  hasAllWords: boolean
  hasTypedWord: boolean
  isNamed: boolean
  /** Certainty by meaning or looks, weighted by the trust in the engine. */
  semanticScore: number
  /** Certainty by meaning or looks, regardless of the trust in the engine. */
  unweightedScore: number
  /** Best match of the hit's moments with the preferences. */
  preferenceMatch: PreferenceMatch
}

function measure(
  key: string,
  members: Candidate[],
  { itemEvidence, names }: { itemEvidence: Map<string, Evidence[]>; names: Map<string, number[]> },
  ranking: Scoring,
): MeasuredHit {
  const mediaId = members[0]?.moment.mediaId ?? ''
  const texts = members.flatMap(({ evidence }) => (evidence ? [evidence] : []))
  const evidenceOfItem = key === mediaId ? [] : (itemEvidence.get(mediaId) ?? [])
  const sumOf = (evidence: Evidence) => sumOfWords(evidence.strengths, evidence, ranking)
  const perKind = new Map<string, Evidence>()
  for (const { moment, evidence } of members) {
    const best = perKind.get(moment.kind)
    if (evidence && (!best || sumOf(evidence) > sumOf(best))) perKind.set(moment.kind, evidence)
  }
  const best = [...perKind.values()].reduce<Evidence | null>(
    (one, next) => (one && sumOf(one) >= sumOf(next) ? one : next),
    null,
  )
  const bestOfKinds = [...perKind.values()]
  const strengths = ranking.terms.map((_, index) =>
    Math.max(
      greatest(bestOfKinds, (one) => one.strengths[index]),
      weights.words.wholeItem * greatest(evidenceOfItem, (one) => one.strengths[index]),
    ),
  )
  const ofHit = [...texts, ...evidenceOfItem]
  const shares = ranking.terms.map((_, index) => greatest(ofHit, (one) => one.shares[index]))
  const isGuess = ofHit.some(({ guesses }) => guesses.size > 0)
  const guessedShares = isGuess
    ? shares.map((share, index) =>
        Math.max(share, ...ofHit.flatMap(({ guesses }) => [...(guesses.get(index)?.values() ?? [])])),
      )
    : shares
  const name = names.get(mediaId) ?? []
  const cosines = members.flatMap(({ cosine }) => cosine ?? [])
  const itemCosines = members.flatMap(({ itemCosine }) => itemCosine ?? [])
  const looks = members.filter(({ evidence }) => evidence === null)
  const { contentTerms } = ranking
  return {
    key,
    best: shownOf(members, ranking),
    words: best ? sumOfWords(strengths, best, ranking) : 0,
    cosine: cosines.length > 0 ? Math.max(...cosines) : null,
    itemCosine: itemCosines[0] ?? null,
    looks: Math.max(0, ...looks.map(({ semanticScore }) => semanticScore)),
    cover: coverOf(shares, name, ranking),
    guessedCover: coverOf(guessedShares, name, ranking),
    hasTypedWord: contentTerms.some((index) => (shares[index] ?? 0) > 0),
    isNamed: contentTerms.some((index) => (name[index] ?? 0) > 0),
    hasAllWords:
      ranking.terms.length > 0 && ranking.terms.every(({ weight }, index) => weight < 1 || (shares[index] ?? 0) > 0),
    semanticScore: Math.max(
      0,
      ...members.map(({ semanticScore, evidence }) =>
        evidence === null ? semanticScore : ranking.trust * semanticScore,
      ),
    ),
    unweightedScore: Math.max(0, ...members.map(({ semanticScore }) => semanticScore)),
    preferenceMatch: members
      .map(({ moment }) => ranking.preferenceMatchOf(moment))
      .reduce((one, other) => (other.boost > one.boost ? other : one), noPreferenceMatch),
  }
}

function asHit(
  hit: MeasuredHit,
  score: number,
  /** Score of the hit relative to the best possible one, 0 to 1. */
  scoreShare: number,
  ranking: Ranking,
): SearchHit {
  const { max, maxGuessed, power } = weights.certainty
  const { key, best, hasTypedWord, isNamed, looks } = hit
  const certaintyOf = (cover: number) => max * (cover * scoreShare) ** power
  const byWords = hasTypedWord ? certaintyOf(hit.cover) : Math.min(maxGuessed, certaintyOf(hit.guessedCover))
  const byPreference = ranking.isOnlyPreferences ? hit.preferenceMatch.share ** 2 : 0
  const byMeaning = Math.max(hit.semanticScore, maxGuessed * hit.unweightedScore)
  const probability = Math.max(byPreference, byMeaning, 1 - (1 - byWords) * (1 - hit.semanticScore))
  const isByMeaning = byMeaning > byWords || (hit.cosine !== null && hit.words === 0)
  const isByLooks = looks > 0 && looks >= byMeaning && best.evidence === null
  return {
    key,
    moment: best.moment,
    foundIn: best.moment.kind,
    isNamed,
    hasTypedWord,
    guesses: guessesOf(best.evidence, ranking),
    score,
    matched: !isByMeaning ? 'words' : isByLooks ? 'looks' : 'meaning',
    probability: Math.round(Math.min(max, probability) * 100) / 100,
    matchedWords: significantWords(best.evidence, ranking),
  }
}

/** Words of a text that may be meant by misspelled terms, most likely first. */
function guessesOf(evidence: Evidence | null, { terms }: Ranking): Correction[] {
  return [...(evidence?.guesses ?? [])].flatMap(([index, words]) =>
    [...words].sort(([, one], [, other]) => other - one).map(([to]) => ({ from: terms[index]?.word ?? '', to })),
  )
}

/** BM25 score of each item, from the words of all its candidates. */
function itemWordScores(candidates: Candidate[], { terms, rarities, itemLengths }: Ranking): Map<string, number> {
  const counts = new Map<string, number[]>()
  for (const { moment, evidence } of candidates) {
    const earlier = counts.get(moment.mediaId)
    if (evidence)
      counts.set(
        moment.mediaId,
        evidence.counts.map((count, index) => count + (earlier?.[index] ?? 0)),
      )
  }
  return new Map(
    [...counts].map(([mediaId, ofItem]) => {
      const length = itemLengths.get(mediaId) ?? 1
      const scores = ofItem.map(
        (count, index) => (rarities[index] ?? 0) * (terms[index]?.weight ?? 0) * strengthOf(count, length),
      )
      return [mediaId, scores.reduce((sum, score) => sum + score, 0)]
    }),
  )
}

/** BM25 sum of the terms' strengths, plus bonuses for neighbouring terms and phrases. */
function sumOfWords(strengths: number[], { pairs, phrases }: Evidence, { terms, rarities }: Ranking): number {
  const { k1, neighbours: neighboursWeight, phrase } = weights.words
  const weightOf = (index: number) => (rarities[index] ?? 0) * (terms[index]?.weight ?? 0)
  const words = strengths.reduce((sum, strength, index) => sum + strength * weightOf(index), 0)
  const saturated = (count: number, index: number) =>
    (Math.min(weightOf(index), weightOf(index + 1)) * (k1 + 1) * count) / (count + k1)
  const neighbours = pairs.reduce((sum, count, index) => sum + (count === 0 ? 0 : saturated(count, index)), 0)
  return words + neighboursWeight * neighbours + phrase * phrases
}

/**
 * Share of the query's content terms that match, weighted by rarity. When the query asks for the contents of a named item, the
 * terms in its `name` only count if enough of the other terms match, too.
 */
function coverOf(shares: number[], name: number[], { rarities, isFramed, contentTerms }: Scoring): number {
  const otherTerms = contentTerms.filter((index) => !(isFramed && (name[index] ?? 0) > 0))
  const shareOf = (indexes: number[]) => {
    const total = indexes.reduce((sum, index) => sum + (rarities[index] ?? 0), 0)
    const matched = indexes.reduce((sum, index) => sum + (shares[index] ?? 0) * (rarities[index] ?? 0), 0)
    return total === 0 ? 0 : matched / total
  }
  const contents = shareOf(otherTerms)
  return otherTerms.length > 0 && contents < weights.certainty.minContents ? contents : shareOf(contentTerms)
}

/** Indexes of the query's own terms, without stop words unless it has no other terms. */
function contentTermsOf({ terms }: Ranking): number[] {
  const own = [...terms.keys()].filter((index) => terms[index]?.weight === 1)
  const content = own.filter((index) => !terms[index]?.isStopWord)
  return content.length > 0 ? content : own
}

/** Candidate to show for a hit: the one whose words match best, or the nearest. A name only if no text has matching words. */
function shownOf(all: Candidate[], ranking: Ranking): Candidate {
  const texts = all.filter(({ moment, evidence }) => moment.kind !== 'name' && hasContentTerm(evidence, ranking))
  const members = texts.length > 0 ? texts : all
  const sumOf = ({ evidence }: Candidate) => (evidence ? sumOfWords(evidence.strengths, evidence, ranking) : 0)
  const nearnessOf = ({ cosine, semanticScore }: Candidate) => cosine ?? semanticScore - 1
  const isBetter = (one: Candidate, other: Candidate) => {
    const [sumOfOne, sumOfOther] = [sumOf(one), sumOf(other)]
    return sumOfOne === sumOfOther ? nearnessOf(one) > nearnessOf(other) : sumOfOne > sumOfOther
  }
  return members.reduce((best, member) => (isBetter(member, best) ? member : best))
}

/** Evidence in the name and description of each item, which also counts for hits inside the item. */
function itemEvidenceOf(candidates: Candidate[], terms: number): Map<string, Evidence[]> {
  const itemEvidence = new Map<string, Evidence[]>()
  if (terms === 0) return itemEvidence
  for (const { moment, evidence } of candidates) {
    const isWhole = locationKey(moment) === moment.mediaId && (moment.kind === 'name' || moment.kind === 'caption')
    if (isWhole && evidence) itemEvidence.set(moment.mediaId, [...(itemEvidence.get(moment.mediaId) ?? []), evidence])
  }
  return itemEvidence
}

/** Quality of each term's match in the name of each item. */
function namesOf(candidates: Candidate[]): Map<string, number[]> {
  const names = candidates.filter(({ moment }) => moment.kind === 'name')
  return new Map(names.map(({ moment, evidence }) => [moment.mediaId, evidence?.shares ?? []]))
}

/** Candidates grouped by hit. */
function groupsOf(candidates: Candidate[], by: Ranking['by']): Map<string, Candidate[]> {
  const groups = new Map<string, Candidate[]>()
  for (const candidate of candidates) {
    const { moment } = candidate
    const isWhole = moment.kind === 'name' || moment.kind === 'caption'
    const key = by === 'location' || isWhole ? locationKey(moment) : `${moment.mediaId} moment ${moment.id}`
    groups.set(key, [...(groups.get(key) ?? []), candidate])
  }
  return groups
}

/** Key of a moment's location. Moments of the same frame or page share one, and so do those of the item as a whole. */
export function locationKey({ id, mediaId, kind, frameNumber, page, startSeconds }: MomentRow): string {
  if (frameNumber !== null) return `${mediaId} frame ${frameNumber}`
  if (page !== null) return `${mediaId} page ${page}`
  if (kind === 'speech' || startSeconds !== null) return `${mediaId} moment ${id}`
  return mediaId
}

/** Greatest figure of some parts, at least 0. A plain loop is fastest, and this runs for each term of each hit. */
function greatest<Part>(parts: readonly Part[], read: (part: Part) => number | undefined): number {
  let max = 0
  for (const part of parts) max = Math.max(max, read(part) ?? 0)
  return max
}

/** Returns a function that scales figures to 0 … 1, from the least to the greatest; null becomes 0. */
function createScaler(figures: (number | null)[]): (figure: number | null) => number {
  const present = figures.filter((figure) => figure !== null)
  const [least, greatest] = [Math.min(...present), Math.max(...present)]
  return (figure) => (figure === null || greatest <= least ? 0 : (figure - least) / (greatest - least))
}

/** Cuts the list of hits, with at most three per item unless there is room for more. Keeps the order. */
function limitPerItem(ranked: SearchHit[], isLimited: boolean, limit: number): SearchHit[] {
  if (!isLimited) return ranked.slice(0, limit)
  const counts = new Map<string, number>()
  const first = new Set<SearchHit>()
  for (const hit of ranked) {
    const { mediaId } = hit.moment
    const count = counts.get(mediaId) ?? 0
    counts.set(mediaId, count + 1)
    if (count < MAX_HITS_PER_ITEM && first.size < limit) first.add(hit)
  }
  let remaining = limit - first.size
  return ranked.filter((hit) => first.has(hit) || remaining-- > 0)
}
