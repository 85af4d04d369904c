import { type Candidate, type Ranking, tellingWords } from './candidate.ts'
import type { MomentRow } from './memory.store.ts'
import type { SearchHit } from './search-hit.ts'
import { wordsOf } from './split-words.ts'

/** Between a file's name, the words in it, and what else it is known by. */
const BETWEEN = ' · '

const isName = ({ moment }: Pick<SearchHit, 'moment'>) => moment.kind === 'name'

/**
 * Shows what a thing says in the place of its name: where another hit of it follows or goes before, the two are one, in the better
 * place; else its text that holds most of the words.
 */
export function withTextsOfNames(
  hits: SearchHit[],
  candidates: Candidate[],
  ranking: Pick<Ranking, 'terms' | 'rarities'>,
): SearchHit[] {
  const texts = new Map<string, SearchHit>()
  for (const hit of hits) if (!isName(hit) && !texts.has(hit.moment.mediaId)) texts.set(hit.moment.mediaId, hit)
  const names = new Map(hits.filter(isName).map((hit) => [hit.moment.mediaId, hit]))
  const shown = new Set<SearchHit>()
  return hits.flatMap((hit) => {
    const { mediaId } = hit.moment
    const [name, text] = [names.get(mediaId), texts.get(mediaId)]
    if (isName(hit) && !text) return [withBestText(hit, candidates, ranking)]
    if (!name || !text || (hit !== name && hit !== text)) return [hit]
    if (shown.has(text)) return []
    shown.add(text)
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

function withBestText(
  hit: SearchHit,
  candidates: Candidate[],
  ranking: Pick<Ranking, 'terms' | 'rarities'>,
): SearchHit {
  const tells = ({ evidence }: Candidate) =>
    (evidence?.strengths ?? []).reduce((sum, strength, at) => sum + strength * (ranking.rarities[at] ?? 0), 0)
  const [best] = candidates
    .filter(({ moment, evidence }) => {
      const isOfItem = moment.mediaId === hit.moment.mediaId && moment.kind !== 'name'
      return isOfItem && tellingWords(evidence, ranking).size > 0
    })
    .sort((one, other) => tells(other) - tells(one))
  if (!best) return hit
  const { moment, evidence } = best
  return { ...hit, moment, foundIn: moment.kind, isNamed: true, matchedWords: tellingWords(evidence, ranking) }
}

/** Shows how things begin that were found by the name of their file alone; what says nothing is shown by its name. */
export async function withBeginnings(
  hits: SearchHit[],
  readBeginnings: (ids: string[]) => Promise<MomentRow[]>,
): Promise<SearchHit[]> {
  const bare = hits.filter((hit) => isName(hit) && isOfFilename(hit))
  if (bare.length === 0) return hits
  const beginnings = new Map(
    (await readBeginnings(bare.map(({ moment }) => moment.mediaId))).map((one) => [one.mediaId, one]),
  )
  return hits.map((hit) => {
    const beginning = bare.includes(hit) ? beginnings.get(hit.moment.mediaId) : undefined
    // the whole of it was found, and no place in it
    const whole = { frameNumber: null, page: null, startSeconds: null, endSeconds: null, box: null }
    return beginning ? { ...hit, moment: { ...beginning, ...whole }, matchedWords: new Set() } : hit
  })
}

/** True where the file name alone holds what was found, and not the title or the camera beside it. */
function isOfFilename({ moment, matchedWords }: SearchHit): boolean {
  const words = new Set(moment.body.split(BETWEEN).slice(0, 2).flatMap(wordsOf))
  return [...matchedWords].every((word) => words.has(word))
}
