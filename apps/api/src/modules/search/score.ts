import { type Evidence, strengthOf } from './evidence.ts'
import {
  type Candidate,
  type Correction,
  guessesLast,
  isTelling,
  type SearchHit,
  tellingWords,
  type WeighedTerms,
  withTextsOfNames,
} from './hits.ts'
import type { MomentRow } from './memory.store.ts'
import { weights } from './weights.ts'

/** Match of a moment and its item with a query's preferences. */
export interface Preferred {
  /** Part of the preferences that is met, 0 to 1. */
  share: number
  /** Addition to the score. */
  lead: number
}

export const notPreferred: Preferred = { share: 0, lead: 0 }

/** Figures of a query and a memory that the score needs. */
export interface Ranking extends WeighedTerms {
  /** Lengths of items relative to others; missing items have the usual length. */
  itemLengths: ReadonlyMap<string, number>
  /** Trust in cosines, 0 to 1. */
  trust: number
  /** Cosines of texts that are about anything. */
  background: { moments: number[]; items: number[] }
  /** location: a frame, page, sentence or whole item is found once; moment: each text is. */
  by: 'location' | 'moment'
  preferred(moment: MomentRow): Preferred
  /** True when the query only consists of preferences. */
  isAllPreferred: boolean
  /** True when the query asks for the contents of something: its name then only says where to look. */
  isFramed: boolean
}

/** A ranking with the indexes of its telling terms. */
interface Scoring extends Ranking {
  telling: number[]
}

const MAX_HITS_PER_ITEM = 3

/**
 * Ranks candidates, best first, with a certainty for each; nothing is left out.
 *
 * Score = words + (all words ? 0.3) + trust × (0.4 × moment + 0.4 × item) + 0.6 × looks + preference (`weights.score`).
 * - Words: half from the hit, half from all texts of its item, each scaled to the best. A hit's sum is BM25 over the terms
 *   (rarity × strength, taken from the best moment of each kind at the location, or from the item's name or description), and
 *   extra for neighbours and phrases.
 * - Moment and item: cosines, scaled to 0 … 1 between the farthest and the nearest of the query.
 *
 * Certainty is apart from the order: the part of the query's terms that a hit holds × its score as a part of the best possible
 * one, or what nearness alone makes certain. Hits with nothing but guesses at other spellings come last and never count as found.
 */
export function rankHits(candidates: Candidate[], ranking: Ranking, limit: number): SearchHit[] {
  const weight = weights.score
  const groups = groupsOf(candidates, ranking.by)
  const wholes = wholeItems(candidates, ranking.terms.length)
  const names = namesOf(candidates)
  const itemWords = wordsOfItems(candidates, ranking)
  const scoring = { ...ranking, telling: tellingTerms(ranking) }
  const measurements = [...groups].map(([key, members]) => measure(key, members, { wholes, names }, scoring))

  const query = ranking.rarities.reduce((sum, rarity, index) => sum + rarity * (ranking.terms[index]?.weight ?? 0), 0)
  const least = weight.minFullMatch * query
  const bestWords = Math.max(least, ...measurements.map(({ words }) => words)) || 1
  const bestItem = Math.max(least, ...itemWords.values()) || 1
  const scaleMoment = scaler([...measurements.map(({ cosine }) => cosine), ...ranking.background.moments])
  const scaleItem = scaler([...measurements.map(({ itemCosine }) => itemCosine), ...ranking.background.items])
  const trust = Math.max(weight.minTrust, ranking.trust)
  const leadOf = ({ share, lead }: Preferred) => (ranking.isAllPreferred ? weight.onlyPreference * share : lead)
  const scored = measurements.map((hit) => {
    const { mediaId } = hit.best.moment
    const near = trust * (weight.moment * scaleMoment(hit.cosine) + weight.item * scaleItem(hit.itemCosine))
    const ofItem = (itemWords.get(mediaId) ?? 0) / bestItem
    const words = (1 - weight.itemWords) * (hit.words / bestWords) + weight.itemWords * ofItem
    const all = hit.holdsAll ? weight.allWords : 0
    return { hit, score: words + all + near + weight.looks * hit.looks + leadOf(hit.preferred) }
  })
  scored.sort((one, other) => other.score - one.score || (one.hit.key < other.hit.key ? 1 : -1))

  const bestPossible =
    1 +
    (measurements.some(({ holdsAll }) => holdsAll) ? weight.allWords : 0) +
    ranking.trust * (weight.moment + weight.item)
  const bestOfAll = Math.max(least, ...measurements.map(({ words, holdsAll }) => (holdsAll ? words : 0)))
  const ranked = scored.map(({ hit, score }) => {
    // A text with all typed words is no less certain because nothing is known of its nearness.
    const evidence = Math.max(Math.min(1, score / bestPossible), hit.holdsAll ? hit.words / (bestOfAll || 1) : 0)
    return asHit(hit, score, evidence, ranking)
  })
  return spread(guessesLast(withTextsOfNames(ranked, candidates, ranking)), ranking.by === 'location', limit)
}

/** Everything that the score and the certainty of a hit are made of. */
interface MeasuredHit {
  key: string
  best: Candidate
  /** BM25 sum of its words. */
  words: number
  cosine: number | null
  itemCosine: number | null
  looks: number
  /** Part of the query's own words that it holds, weighed by rarity, 0 to 1; `guessedCover` with other spellings. */
  cover: number
  guessedCover: number
  holdsAll: boolean
  holdsTyped: boolean
  isNamed: boolean
  /** Certainty by meaning or looks: weighted by the trust in the engine, and at full trust. */
  semanticScore: number
  guessed: number
  /** Match of the best of its moments with the preferences. */
  preferred: Preferred
}

function measure(
  key: string,
  members: Candidate[],
  { wholes, names }: { wholes: Map<string, Evidence[]>; names: Map<string, number[]> },
  ranking: Scoring,
): MeasuredHit {
  const mediaId = members[0]?.moment.mediaId ?? ''
  const texts = members.flatMap(({ evidence }) => (evidence ? [evidence] : []))
  const ofWhole = key === mediaId ? [] : (wholes.get(mediaId) ?? [])
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
  const ofKinds = [...perKind.values()]
  const strengths = ranking.terms.map((_, index) =>
    Math.max(
      greatest(ofKinds, (one) => one.strengths[index]),
      weights.words.wholeItem * greatest(ofWhole, (one) => one.strengths[index]),
    ),
  )
  const ofHit = [...texts, ...ofWhole]
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
  const { telling } = ranking
  return {
    key,
    best: shownOf(members, ranking),
    words: best ? sumOfWords(strengths, best, ranking) : 0,
    cosine: cosines.length > 0 ? Math.max(...cosines) : null,
    itemCosine: itemCosines[0] ?? null,
    looks: Math.max(0, ...looks.map(({ semanticScore }) => semanticScore)),
    cover: coverOf(shares, name, ranking),
    guessedCover: coverOf(guessedShares, name, ranking),
    holdsTyped: telling.some((index) => (shares[index] ?? 0) > 0),
    isNamed: telling.some((index) => (name[index] ?? 0) > 0),
    holdsAll:
      ranking.terms.length > 0 && ranking.terms.every(({ weight }, index) => weight < 1 || (shares[index] ?? 0) > 0),
    semanticScore: Math.max(
      0,
      ...members.map(({ semanticScore, evidence }) =>
        evidence === null ? semanticScore : ranking.trust * semanticScore,
      ),
    ),
    guessed: Math.max(0, ...members.map(({ semanticScore }) => semanticScore)),
    preferred: members
      .map(({ moment }) => ranking.preferred(moment))
      .reduce((one, other) => (other.lead > one.lead ? other : one), notPreferred),
  }
}

function asHit(
  hit: MeasuredHit,
  score: number,
  /** Score as a part of the best possible one, 0 to 1. */
  evidence: number,
  ranking: Ranking,
): SearchHit {
  const { max, maxGuessed, power } = weights.certainty
  const { key, best, holdsTyped, isNamed, looks } = hit
  const certaintyOf = (cover: number) => max * (cover * evidence) ** power
  const byWords = holdsTyped ? certaintyOf(hit.cover) : Math.min(maxGuessed, certaintyOf(hit.guessedCover))
  const byPreference = ranking.isAllPreferred ? hit.preferred.share ** 2 : 0
  const byMeaning = Math.max(hit.semanticScore, maxGuessed * hit.guessed)
  const probability = Math.max(byPreference, byMeaning, 1 - (1 - byWords) * (1 - hit.semanticScore))
  const isNear = byMeaning > byWords || (hit.cosine !== null && hit.words === 0)
  const isLook = looks > 0 && looks >= byMeaning && best.evidence === null
  return {
    key,
    moment: best.moment,
    foundIn: best.moment.kind,
    isNamed,
    holdsTyped,
    guesses: guessesOf(best.evidence, ranking),
    score,
    matched: !isNear ? 'words' : isLook ? 'looks' : 'meaning',
    probability: Math.round(Math.min(max, probability) * 100) / 100,
    matchedWords: tellingWords(best.evidence, ranking),
  }
}

/** Other spellings that may be meant, the most likely first. */
function guessesOf(evidence: Evidence | null, { terms }: Ranking): Correction[] {
  return [...(evidence?.guesses ?? [])].flatMap(([index, words]) =>
    [...words].sort(([, one], [, other]) => other - one).map(([to]) => ({ from: terms[index]?.word ?? '', to })),
  )
}

/** BM25 scores of whole items, from all of their moments that were read. */
function wordsOfItems(candidates: Candidate[], { terms, rarities, itemLengths }: Ranking): Map<string, number> {
  const counts = new Map<string, number[]>()
  for (const { moment, evidence } of candidates) {
    const before = counts.get(moment.mediaId)
    if (evidence)
      counts.set(
        moment.mediaId,
        evidence.counts.map((count, index) => count + (before?.[index] ?? 0)),
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

/** BM25 sum of strengths, with neighbours and phrases. */
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
 * Matched part of the query's own words; earlier text and joining words don't count. When the query asks for the contents of an
 * item, its `name` only counts together with some of the contents.
 */
function coverOf(shares: number[], name: number[], { rarities, isFramed, telling }: Scoring): number {
  const sought = telling.filter((index) => !(isFramed && (name[index] ?? 0) > 0))
  const partOf = (indexes: number[]) => {
    const total = indexes.reduce((sum, index) => sum + (rarities[index] ?? 0), 0)
    const matched = indexes.reduce((sum, index) => sum + (shares[index] ?? 0) * (rarities[index] ?? 0), 0)
    return total === 0 ? 0 : matched / total
  }
  const contents = partOf(sought)
  return sought.length > 0 && contents < weights.certainty.minSought ? contents : partOf(telling)
}

/** Indexes of the query's own words that don't only join others; all of its own where there are no others. */
function tellingTerms({ terms }: Ranking): number[] {
  const own = [...terms.keys()].filter((index) => terms[index]?.weight === 1)
  const telling = own.filter((index) => !terms[index]?.isJoining)
  return telling.length > 0 ? telling : own
}

/** The candidate with the best words, a name only where no text has any; the nearest where none has. */
function shownOf(all: Candidate[], ranking: Ranking): Candidate {
  const texts = all.filter(({ moment, evidence }) => moment.kind !== 'name' && isTelling(evidence, ranking))
  const members = texts.length > 0 ? texts : all
  const sumOf = ({ evidence }: Candidate) => (evidence ? sumOfWords(evidence.strengths, evidence, ranking) : 0)
  const nearnessOf = ({ cosine, semanticScore }: Candidate) => cosine ?? semanticScore - 1
  const isBetter = (one: Candidate, other: Candidate) => {
    const [sumOfOne, sumOfOther] = [sumOf(one), sumOf(other)]
    return sumOfOne === sumOfOther ? nearnessOf(one) > nearnessOf(other) : sumOfOne > sumOfOther
  }
  return members.reduce((best, member) => (isBetter(member, best) ? member : best))
}

/** Evidence of each item's name or description, for the hits inside it. */
function wholeItems(candidates: Candidate[], terms: number): Map<string, Evidence[]> {
  const wholes = new Map<string, Evidence[]>()
  if (terms === 0) return wholes
  for (const { moment, evidence } of candidates) {
    const isWhole = locationKey(moment) === moment.mediaId && (moment.kind === 'name' || moment.kind === 'caption')
    if (isWhole && evidence) wholes.set(moment.mediaId, [...(wholes.get(moment.mediaId) ?? []), evidence])
  }
  return wholes
}

/** Match of each item's name with the terms. */
function namesOf(candidates: Candidate[]): Map<string, number[]> {
  const names = candidates.filter(({ moment }) => moment.kind === 'name')
  return new Map(names.map(({ moment, evidence }) => [moment.mediaId, evidence?.shares ?? []]))
}

/** Candidates by the hit that they belong to. */
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

/** Several moments of one frame, page or stretch of speech, or of the item as a whole, are one location. */
export function locationKey({ id, mediaId, kind, frameNumber, page, startSeconds }: MomentRow): string {
  if (frameNumber !== null) return `${mediaId} frame ${frameNumber}`
  if (page !== null) return `${mediaId} page ${page}`
  if (kind === 'speech' || startSeconds !== null) return `${mediaId} moment ${id}`
  return mediaId
}

/** The greatest figure of some parts, at least 0. Every search does this for each term of each hit. */
function greatest<Part>(parts: readonly Part[], read: (part: Part) => number | undefined): number {
  let most = 0
  for (const part of parts) most = Math.max(most, read(part) ?? 0)
  return most
}

/** Scales figures to 0 … 1 between the least and the greatest; a missing one is 0. */
function scaler(figures: (number | null)[]): (figure: number | null) => number {
  const present = figures.filter((figure) => figure !== null)
  const [least, greatest] = [Math.min(...present), Math.max(...present)]
  return (figure) => (figure === null || greatest <= least ? 0 : (figure - least) / (greatest - least))
}

/** At most a few hits of each item, unless there is room for more; the order stays. */
function spread(ranked: SearchHit[], isSpread: boolean, limit: number): SearchHit[] {
  if (!isSpread) return ranked.slice(0, limit)
  const counts = new Map<string, number>()
  const first = new Set<SearchHit>()
  for (const hit of ranked) {
    const { mediaId } = hit.moment
    const count = counts.get(mediaId) ?? 0
    counts.set(mediaId, count + 1)
    if (count < MAX_HITS_PER_ITEM && first.size < limit) first.add(hit)
  }
  let openPlaces = limit - first.size
  return ranked.filter((hit) => first.has(hit) || openPlaces-- > 0)
}
