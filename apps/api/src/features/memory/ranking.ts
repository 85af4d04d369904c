import type { TermMatch } from './matching.ts'
import type { MomentRow } from './memory.store.ts'

/** A moment with what of the query its text holds; `matches` follow the terms. */
export interface WordHit {
  moment: MomentRow
  matches: TermMatch[]
}

/** A moment or picture that lies near the query's vector. */
export interface VectorHit {
  kind: 'meaning' | 'looks'
  moment: MomentRow
  /** 0 to 1: how sure it is that this is what was meant. */
  probability: number
}

/** A place in an item that is found, with everything that speaks for it. */
export interface FoundPlace {
  key: string
  /** What is shown: the moment that speaks most for the place. */
  moment: MomentRow
  matched: 'words' | 'meaning' | 'looks'
  /** 0 to 1. */
  score: number
  /** Of the moment that is shown. */
  matchedWords: Set<string>
}

/** Below this, a place is not shown. */
export const LEAST_SCORE = 0.2
/** Beside something much better, a weak match is chance. */
const LEAST_SHARE_OF_BEST = 0.3
/** Of reciprocal rank fusion, as its authors chose it. */
const FUSION_CONSTANT = 60
const MOST_PLACES_PER_ITEM = 3
/** What the name or description of a whole item adds to a place inside it. */
const WHOLE_ITEM_SHARE = 0.6
/** How much of a certainty words alone give, even when all are there. */
const MOST_CERTAIN = 0.98
/** What is left to the density of the words when all are there. */
const DENSITY_SHARE = 0.15

/**
 * Joins what the arms of a search found into places, best first.
 *
 * Words: c is the part of the query's terms that a place holds, each term weighed by how rare it is among what was
 * found (1 / (1 + ln(1 + n))) and by how exactly it is there; r is the density of the words in the text against the best
 * one. p = c^1.5 × (0.85 + 0.15 r). Meaning and looks: p as calibrate.ts tells it. What several arms say independently is
 * joined as 1 - (1 - p) × (1 - q). Places below 0.2, or below 0.3 of the best, are left out. Which places are looked at
 * first, and which of two equal ones comes first, is decided by reciprocal rank fusion: the sum of p / (60 + rank) over
 * the arms.
 * @param weights of the terms.
 */
export function rankPlaces(words: WordHit[], weights: number[], vectors: VectorHit[], limit: number): FoundPlace[] {
  const arms = [wordPlaces(words, weights), vectorPlaces(vectors, 'meaning'), vectorPlaces(vectors, 'looks')]
  const joined = new Map<string, FoundPlace & { fused: number; best: number }>()
  for (const places of arms) {
    places.sort((a, b) => b.score - a.score)
    for (const [at, place] of places.entries()) {
      const fused = place.score / (FUSION_CONSTANT + at + 1)
      const known = joined.get(place.key)
      if (!known) {
        joined.set(place.key, { ...place, fused, best: place.score })
        continue
      }
      const score = 1 - (1 - known.score) * (1 - place.score)
      const shown = place.score > known.best ? place : known
      // its meaning may speak more for a text; the words that were looked for stand in it all the same
      const isSameText = place.moment.id === known.moment.id
      const { matchedWords } = isSameText && known.matched === 'words' ? known : shown
      const best = Math.max(known.best, place.score)
      joined.set(place.key, { ...shown, matchedWords, score, fused: known.fused + fused, best })
    }
  }
  const ranked = [...joined.values()]
    .map((place) => ({ ...place, score: Math.round(Math.min(MOST_CERTAIN, place.score) * 100) / 100 }))
    .sort((a, b) => b.score - a.score || b.fused - a.fused)
  const least = Math.max(LEAST_SCORE, (ranked[0]?.score ?? 0) * LEAST_SHARE_OF_BEST)
  return spread(
    ranked.filter(({ score }) => score >= least),
    limit,
  )
}

/** At most a few places of each item, unless there is room for more; the order stays. */
function spread<Ranked extends { moment: MomentRow }>(ranked: Ranked[], limit: number): Ranked[] {
  const counts = new Map<string, number>()
  const first = new Set<Ranked>()
  for (const place of ranked) {
    const { mediaId } = place.moment
    const count = counts.get(mediaId) ?? 0
    counts.set(mediaId, count + 1)
    if (count < MOST_PLACES_PER_ITEM && first.size < limit) first.add(place)
  }
  let room = limit - first.size
  return ranked.filter((place) => first.has(place) || room-- > 0)
}

/** Several moments of one frame, page or stretch of speech, or of the item as a whole, are one place. */
export function placeKey({ id, mediaId, kind, frameNumber, page, startSeconds }: MomentRow): string {
  if (frameNumber !== null) return `${mediaId} frame ${frameNumber}`
  if (page !== null) return `${mediaId} page ${page}`
  if (kind === 'speech' || startSeconds !== null) return `${mediaId} moment ${id}`
  return mediaId
}

function wordPlaces(hits: WordHit[], weights: number[]): FoundPlace[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const densest = Math.max(...hits.map(({ moment }) => moment.rank), 0)
  const coverOf = (shares: number[]) =>
    total === 0 ? 0 : shares.reduce((sum, share, at) => sum + share * (weights[at] ?? 0), 0) / total
  const groups = new Map<string, { hits: WordHit[]; shares: number[]; rank: number }>()
  for (const hit of hits) {
    const key = placeKey(hit.moment)
    const group = groups.get(key) ?? { hits: [], shares: weights.map(() => 0), rank: 0 }
    groups.set(key, group)
    group.hits.push(hit)
    group.rank = Math.max(group.rank, hit.moment.rank)
    for (const [at, { weight }] of hit.matches.entries()) group.shares[at] = Math.max(group.shares[at] ?? 0, weight)
  }
  return [...groups].map(([key, group]) => {
    const whole = key === group.hits[0]?.moment.mediaId ? undefined : groups.get(group.hits[0]?.moment.mediaId ?? '')
    const shares = group.shares.map((share, at) => Math.max(share, WHOLE_ITEM_SHARE * (whole?.shares[at] ?? 0)))
    const density = densest > 0 ? group.rank / densest : 1
    const shown = group.hits.reduce((best, hit) =>
      coverOf(hit.matches.map(({ weight }) => weight)) > coverOf(best.matches.map(({ weight }) => weight)) ? hit : best,
    )
    return {
      key,
      moment: shown.moment,
      matched: 'words' as const,
      score: MOST_CERTAIN * coverOf(shares) ** 1.5 * (1 - DENSITY_SHARE + DENSITY_SHARE * density),
      matchedWords: new Set(shown.matches.flatMap(({ words }) => [...words])),
    }
  })
}

function vectorPlaces(hits: VectorHit[], kind: VectorHit['kind']): FoundPlace[] {
  const places = new Map<string, FoundPlace>()
  for (const { kind: of, moment, probability } of hits) {
    if (of !== kind) continue
    const key = placeKey(moment)
    if ((places.get(key)?.score ?? -1) >= probability) continue
    places.set(key, { key, moment, matched: kind, score: probability, matchedWords: new Set() })
  }
  return [...places.values()]
}
