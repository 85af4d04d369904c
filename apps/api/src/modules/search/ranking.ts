import { type Candidate, type Ranking, tellingWords } from './candidate.ts'
import { type Evidence, strengthOf } from './evidence.ts'
import type { MomentRow } from './memory.store.ts'
import { withTextsOfNames } from './name-hits.ts'
import { type Correction, guessesLast, type SearchHit } from './search-hit.ts'

/** Shares of the nearest moment and item, where the best match of words counts 1. */
const [MOMENT_SHARE, ITEM_SHARE] = [0.4, 0.4]
/** Share of the words of the whole item: matches are often spread over several pages or sentences. */
const ITEM_WORDS_SHARE = 0.5
const LOOKS_SHARE = 0.6
/** An engine that could not even be shown to know words still tells hits apart that hold none of them. */
const MIN_TRUST = 0.05
/** Bonus for neighbouring terms that are neighbours in the text, too. */
const NEIGHBOURS_SHARE = 0.2
/** A phrase that was asked for letter by letter outweighs its words anywhere else. */
const PHRASE_WEIGHT = 10
/** Bonus of an item's name or description for hits inside it. */
const WHOLE_ITEM_SHARE = 0.6
/** Words that tell less than this of what the query asks are not scaled up to a full match. */
const MIN_FULL_MATCH = 0.5
/** Bonus for a preferred type or time. */
const PREFERENCE_SHARE = 0.4
const ONLY_PREFERENCE_SHARE = 2
/** Highest certainty from words alone, even when all of them match. */
const MAX_CERTAIN = 0.98
/** An engine whose nearness tells little makes nothing more certain than that. */
const MAX_GUESSED = 0.45
/** Growth of certainty with the matched part of the query and the rank: at 0.19 of both it's 50 per cent. */
const CERTAINTY_POWER = 0.41
/** So much of what is looked for in an item makes a place that is named so what was asked for. */
const MIN_SOUGHT = 0.25
/** Lead of a hit with every word of the query over one with the rarer ones in a shorter text. */
const ALL_WORDS_SHARE = 0.3
const MAX_HITS_PER_ITEM = 3

/**
 * Joins what speaks for candidates into hits, best first.
 *
 * Words: BM25, the sum over the terms of rarity × strength, the best moment of each kind at a location counting for its
 * terms, and what the whole item is called or described as for 0.6; neighbours add a fifth; and the same sum over all that
 * was read of the item, each for half. Nearness: the cosine of the
 * nearest moment and that of the whole item. Each is scaled to 0 … 1 for the query, and joined as
 * words + trust × (0.4 × moment + 0.4 × item). Nothing is left out: how sure it is that a hit was meant is told apart
 * from its order, by the part of the query's terms that it holds, together with how much of the most that could speak for
 * a hit speaks for it (of a text that holds every word, as much as its words do beside the best that does), and by what
 * nearness alone makes certain. What holds only words that are spelled nearly as asked comes after everything that holds one as it
 * was typed, and is never found.
 */
export function rankHits(candidates: Candidate[], ranking: Ranking, limit: number): SearchHit[] {
  const groups = groupsOf(candidates, ranking.by)
  const wholes = wholeItems(candidates, ranking.terms.length)
  const names = namesOf(candidates)
  const itemWords = wordsOfItems(candidates, ranking)
  const judged = [...groups].map(([key, members]) => scoreHit(key, members, { wholes, names }, ranking))
  const told = ranking.rarities.reduce((sum, rarity, at) => sum + rarity * (ranking.terms[at]?.weight ?? 0), 0)
  const bestWords = Math.max(MIN_FULL_MATCH * told, ...judged.map(({ words }) => words)) || 1
  const bestItem = Math.max(MIN_FULL_MATCH * told, ...itemWords.values()) || 1
  const { moments, items } = ranking.background
  const scaleCosine = scaler([...judged.map(({ cosine }) => cosine), ...moments])
  const scaleItem = scaler([...judged.map(({ itemCosine }) => itemCosine), ...items])
  const trust = Math.max(MIN_TRUST, ranking.trust)
  const most =
    1 + (judged.some(({ holdsAll }) => holdsAll) ? ALL_WORDS_SHARE : 0) + ranking.trust * (MOMENT_SHARE + ITEM_SHARE)
  const bestOfAll = Math.max(MIN_FULL_MATCH * told, ...judged.map(({ words, holdsAll }) => (holdsAll ? words : 0)))
  const hits = judged.map((hit) => {
    const near = trust * (MOMENT_SHARE * scaleCosine(hit.cosine) + ITEM_SHARE * scaleItem(hit.itemCosine))
    const ofItem = (itemWords.get(hit.shown.moment.mediaId) ?? 0) / bestItem
    const words = (1 - ITEM_WORDS_SHARE) * (hit.words / bestWords) + ITEM_WORDS_SHARE * ofItem
    const share = ranking.isAllPreferred ? ONLY_PREFERENCE_SHARE : PREFERENCE_SHARE
    const preference = share * ranking.preferred(hit.shown.moment.mediaId)
    return {
      hit,
      score: words + (hit.holdsAll ? ALL_WORDS_SHARE : 0) + near + LOOKS_SHARE * hit.looks + preference,
    }
  })
  hits.sort((one, other) => other.score - one.score || (one.hit.key < other.hit.key ? 1 : -1))
  const ranked = hits.map(({ hit, score }) => {
    // a text that holds all that was typed is no less sure where nearness says nothing of it
    const speaks = Math.max(Math.min(1, score / most), hit.holdsAll ? hit.words / (bestOfAll || 1) : 0)
    return asFound(hit, score, speaks, ranking)
  })
  return spread(guessesLast(withTextsOfNames(ranked, candidates, ranking)), ranking.by === 'location', limit)
}

interface ScoredHit {
  key: string
  shown: Candidate
  /** Score of its words. */
  words: number
  cosine: number | null
  itemCosine: number | null
  looks: number
  /** The part of what the query's own terms tell that it holds, 0 to 1. */
  cover: number
  holdsAll: boolean
  holdsTyped: boolean
  /** The same part, with words that are spelled nearly so. */
  guessedCover: number
  isNamed: boolean
  /** Certainty by cosine: weighted by the trust in the engine, and at full trust. */
  meant: number
  guessed: number
}

function scoreHit(
  key: string,
  members: Candidate[],
  { wholes, names }: { wholes: Map<string, Evidence[]>; names: Map<string, number[]> },
  ranking: Ranking,
): ScoredHit {
  const texts = members.flatMap(({ evidence }) => (evidence ? [evidence] : []))
  const ofWhole = key === members[0]?.moment.mediaId ? [] : (wholes.get(members[0]?.moment.mediaId ?? '') ?? [])
  const tells = (evidence: Evidence) => wordsTell(evidence.strengths, evidence, ranking)
  const perKind = new Map<string, Evidence>()
  for (const { moment, evidence } of members) {
    const best = perKind.get(moment.kind)
    if (evidence && (!best || tells(evidence) > tells(best))) perKind.set(moment.kind, evidence)
  }
  const best = [...perKind.values()].reduce<Evidence | null>(
    (one, next) => (one && tells(one) >= tells(next) ? one : next),
    null,
  )
  const strengths = ranking.terms.map((_, at) =>
    Math.max(
      0,
      ...[...perKind.values()].map((one) => one.strengths[at] ?? 0),
      ...ofWhole.map((one) => WHOLE_ITEM_SHARE * (one.strengths[at] ?? 0)),
    ),
  )
  const ofHit = [...texts, ...ofWhole]
  const shares = ranking.terms.map((_, at) => Math.max(0, ...ofHit.map((one) => one.shares[at] ?? 0)))
  const guessed = shares.map((share, at) =>
    Math.max(share, ...ofHit.flatMap(({ guesses }) => [...(guesses.get(at)?.values() ?? [])])),
  )
  const name = names.get(members[0]?.moment.mediaId ?? '') ?? []
  const cosines = members.flatMap(({ cosine }) => cosine ?? [])
  const itemCosines = members.flatMap(({ itemCosine }) => itemCosine ?? [])
  const looks = members.filter(({ evidence }) => evidence === null)
  return {
    key,
    shown: shownOf(members, ranking),
    words: best ? wordsTell(strengths, best, ranking) : 0,
    cosine: cosines.length > 0 ? Math.max(...cosines) : null,
    itemCosine: itemCosines[0] ?? null,
    looks: Math.max(0, ...looks.map(({ meant }) => meant)),
    cover: coverOf(shares, name, ranking),
    guessedCover: coverOf(guessed, name, ranking),
    holdsTyped: tellingTerms(ranking).some((at) => (shares[at] ?? 0) > 0),
    isNamed: tellingTerms(ranking).some((at) => (name[at] ?? 0) > 0),
    holdsAll: ranking.terms.length > 0 && ranking.terms.every(({ weight }, at) => weight < 1 || (shares[at] ?? 0) > 0),
    meant: Math.max(0, ...members.map(({ meant, evidence }) => (evidence === null ? meant : ranking.trust * meant))),
    guessed: Math.max(0, ...members.map(({ meant }) => meant)),
  }
}

/** BM25 scores of whole items, from all of their moments that were read. */
function wordsOfItems(candidates: Candidate[], { terms, rarities, itemLengths }: Ranking): Map<string, number> {
  const counts = new Map<string, number[]>()
  for (const { moment, evidence } of candidates) {
    const known = counts.get(moment.mediaId)
    if (evidence)
      counts.set(
        moment.mediaId,
        evidence.counts.map((count, at) => count + (known?.[at] ?? 0)),
      )
  }
  return new Map(
    [...counts].map(([mediaId, ofItem]) => {
      const length = itemLengths.get(mediaId) ?? 1
      const tells = ofItem.map(
        (count, at) => (rarities[at] ?? 0) * (terms[at]?.weight ?? 0) * strengthOf(count, length),
      )
      return [mediaId, tells.reduce((sum, one) => sum + one, 0)]
    }),
  )
}

/** The sum that BM25 makes of the strengths, with what neighbours and phrases add. */
function wordsTell(strengths: number[], { pairs, phrases }: Evidence, { terms, rarities }: Ranking): number {
  const tells = (at: number) => (rarities[at] ?? 0) * (terms[at]?.weight ?? 0)
  const words = strengths.reduce((sum, strength, at) => sum + strength * tells(at), 0)
  const neighbours = pairs.reduce(
    (sum, count, at) => sum + (count === 0 ? 0 : (Math.min(tells(at), tells(at + 1)) * 2.2 * count) / (count + 1.2)),
    0,
  )
  return words + NEIGHBOURS_SHARE * neighbours + PHRASE_WEIGHT * phrases
}

/**
 * Matched part of the query's own words; earlier text and joining words don't count. When the query asks for the
 * contents of an item, its `name` only counts together with some of the contents.
 */
function coverOf(shares: number[], name: number[], ranking: Ranking): number {
  const { rarities, isFramed } = ranking
  const asked = tellingTerms(ranking)
  const sought = asked.filter((at) => !(isFramed && (name[at] ?? 0) > 0))
  const part = (of: number[]) => {
    const total = of.reduce((sum, at) => sum + (rarities[at] ?? 0), 0)
    return total === 0 ? 0 : of.reduce((sum, at) => sum + (shares[at] ?? 0) * (rarities[at] ?? 0), 0) / total
  }
  const found = part(sought)
  return sought.length > 0 && found < MIN_SOUGHT ? found : part(asked)
}

/** The query's own words that do not only join others; all of them where there are no others. */
function tellingTerms({ terms }: Ranking): number[] {
  const own = [...terms.keys()].filter((at) => terms[at]?.weight === 1)
  const telling = own.filter((at) => !terms[at]?.isJoining)
  return telling.length > 0 ? telling : own
}

/** The one whose words tell most, a name only where no text holds any; where none do, the nearest. */
function shownOf(all: Candidate[], ranking: Ranking): Candidate {
  const texts = all.filter(({ moment, evidence }) => moment.kind !== 'name' && tellingWords(evidence, ranking).size > 0)
  const members = texts.length > 0 ? texts : all
  const tells = ({ evidence }: Candidate) => (evidence ? wordsTell(evidence.strengths, evidence, ranking) : 0)
  const isBetter = (one: Candidate, other: Candidate) => {
    const [mine, theirs] = [tells(one), tells(other)]
    return mine === theirs ? nearnessOf(one) > nearnessOf(other) : mine > theirs
  }
  return members.reduce((best, member) => (isBetter(member, best) ? member : best))
}

function nearnessOf({ cosine, meant }: Candidate): number {
  return cosine ?? meant - 1
}

function asFound(
  { key, shown, cover, guessedCover, holdsTyped, isNamed, meant: told, guessed, looks, words, cosine }: ScoredHit,
  score: number,
  /** Score as a part of the best possible one, 0 to 1. */
  speaks: number,
  ranking: Ranking,
): SearchHit {
  const certain = (part: number) => MAX_CERTAIN * (part * speaks) ** CERTAINTY_POWER
  const byWords = holdsTyped ? certain(cover) : Math.min(MAX_GUESSED, certain(guessedCover))
  const byPreference = ranking.isAllPreferred ? ranking.preferred(shown.moment.mediaId) ** 2 : 0
  const meant = Math.max(told, MAX_GUESSED * guessed)
  const probability = Math.max(byPreference, meant, 1 - (1 - byWords) * (1 - told))
  const isNear = meant > byWords || (cosine !== null && words === 0)
  const matched = isNear ? (looks > 0 && looks >= meant && shown.evidence === null ? 'looks' : 'meaning') : 'words'
  return {
    key,
    moment: shown.moment,
    foundIn: shown.moment.kind,
    isNamed,
    holdsTyped,
    guesses: guessesOf(shown.evidence, ranking),
    score,
    matched,
    probability: Math.round(Math.min(MAX_CERTAIN, probability) * 100) / 100,
    matchedWords: tellingWords(shown.evidence, ranking),
  }
}

/** The words that are spelled most nearly so come first. */
function guessesOf(evidence: Evidence | null, { terms }: Ranking): Correction[] {
  return [...(evidence?.guesses ?? [])].flatMap(([at, words]) =>
    [...words].sort(([, one], [, other]) => other - one).map(([to]) => ({ from: terms[at]?.word ?? '', to })),
  )
}

/** Matches in each item's name or description, apart from the hits inside it. */
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

/** Puts figures between the least and the greatest of them; what has none is as far as can be. */
function scaler(figures: (number | null)[]): (figure: number | null) => number {
  const known = figures.filter((figure) => figure !== null)
  const [least, greatest] = [Math.min(...known), Math.max(...known)]
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
  let room = limit - first.size
  return ranked.filter((hit) => first.has(hit) || room-- > 0)
}
