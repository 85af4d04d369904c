import type { Evidence } from './evidence.ts'
import type { MomentRow } from './memory.store.ts'
import type { Term } from './terms.ts'

/** A moment, or a picture as if it were one, with everything that speaks for it. */
export interface Candidate {
  moment: MomentRow
  /** Matching words; null for a picture that was found by its looks. */
  evidence: Evidence | null
  /** Cosines with the query, of itself and of its item; null where there is none. */
  cosine: number | null
  itemCosine: number | null
  /** Probability that its meaning or its looks were meant, 0 to 1. */
  meant: number
}

/** Input for ranking candidates. */
export interface Ranking {
  terms: Term[]
  /** Weight of each term. */
  rarities: number[]
  /** Lengths of items relative to others; missing items have the usual length. */
  itemLengths: ReadonlyMap<string, number>
  /** Trust in cosines, 0 to 1. */
  trust: number
  /** Cosines of texts that are about anything. */
  background: { moments: number[]; items: number[] }
  /** location: a frame, page, sentence or whole item is found once; moment: each text is. */
  by: 'location' | 'moment'
  /** Match of an item with the query's preferences, 0 to 1. */
  preferred(mediaId: string): number
  /** True when the query only consists of preferences. */
  isAllPreferred: boolean
  /** True when the query asks for the contents of something: its name then only says where to look. */
  isFramed: boolean
}

/** A word is marked when it tells at least so much of what the one that tells most does. */
const MARKED_SHARE = 0.3

/** Words of a text which tell something of the query. */
export function tellingWords(
  evidence: Evidence | null,
  { terms, rarities }: Pick<Ranking, 'terms' | 'rarities'>,
): Set<string> {
  const isAllJoining = terms.every(({ isJoining }) => isJoining)
  const isMarked = (at: number) => (evidence?.words[at]?.size ?? 0) > 0 && !(terms[at]?.isJoining && !isAllJoining)
  const held = terms.map((_, at) => (isMarked(at) ? (rarities[at] ?? 0) : 0))
  const least = MARKED_SHARE * Math.max(...held)
  const telling = terms.flatMap((_, at) =>
    isMarked(at) && (rarities[at] ?? 0) >= least ? [...(evidence?.words[at] ?? [])] : [],
  )
  return new Set(telling)
}
