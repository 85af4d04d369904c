import type { SearchAnswerJson, SearchResultJson } from '@mira/shared'

/** An item that was found: its best place, and the others. */
export interface FoundItem {
  result: SearchResultJson
  others: SearchResultJson[]
}

export interface GroupedResults {
  found: FoundItem[]
  perhaps: FoundItem[]
}

/**
 * Least scores of a near result. Below the first it only shares a word that most texts contain; meaning and looks score
 * low in a small library, and 0 for what is about something else.
 */
const [MIN_NEAR_BY_WORDS, MIN_NEAR] = [0.25, 0.05]

/** Results as the page shows them: each item once, without those too far off. */
export function groupedResults({ results }: Pick<SearchAnswerJson, 'results'>): GroupedResults {
  const found = grouped(results.filter(({ certainty }) => certainty !== 'perhaps'))
  const isShown = new Set(found.map(({ result }) => result.media_id))
  const perhaps = grouped(results.filter((result) => result.certainty === 'perhaps' && isNear(result)))
  for (const { result, others } of perhaps.filter(({ result }) => isShown.has(result.media_id))) {
    found.find((one) => one.result.media_id === result.media_id)?.others.push(result, ...others)
  }
  return { found, perhaps: perhaps.filter(({ result }) => !isShown.has(result.media_id)) }
}

/** True for a result that is near enough to be shown; where the last isn't, more would not be either. */
export function isNear(result: SearchResultJson | undefined): boolean {
  if (result === undefined) return false
  const minimum = result.matched === 'words' ? MIN_NEAR_BY_WORDS : MIN_NEAR
  return result.is_guess === true || result.similarity_score >= minimum
}

function grouped(results: SearchResultJson[]): FoundItem[] {
  const items = new Map<string, FoundItem>()
  for (const result of results) {
    const known = items.get(result.media_id)
    if (known) known.others.push(result)
    else items.set(result.media_id, { result, others: [] })
  }
  return [...items.values()]
}
