import type { SearchResponseJson, SearchResultJson } from '@mira/shared'

/** An item that was found: its best place, and the others. */
export interface FoundItem {
  result: SearchResultJson
  others: SearchResultJson[]
}

export interface GroupedResults {
  sure: FoundItem[]
  perhaps: FoundItem[]
}

/** Least score of a near result: below it, it only shares a word that most texts contain. */
const MIN_NEAR = 0.25
/** Results by meaning or looks that are shown whatever they score: in a small library nothing tells how far to trust them. */
const MAX_UNPROVEN = 5

/** Results as the page shows them: each item once, without those too far off. */
export function groupedResults({ results }: Pick<SearchResponseJson, 'results'>): GroupedResults {
  const sure = grouped(results.filter(({ certainty }) => certainty !== 'perhaps'))
  const isShown = new Set(sure.map(({ result }) => result.media_id))
  const unsure = results.filter(({ certainty }) => certainty === 'perhaps')
  const unproven = new Set(unsure.filter(({ matched }) => matched !== 'words').slice(0, MAX_UNPROVEN))
  const perhaps = grouped(unsure.filter((result) => isNear(result) || unproven.has(result)))
  for (const { result, others } of perhaps.filter(({ result }) => isShown.has(result.media_id))) {
    sure.find((one) => one.result.media_id === result.media_id)?.others.push(result, ...others)
  }
  return { sure, perhaps: perhaps.filter(({ result }) => !isShown.has(result.media_id)) }
}

/** True for a result that is near enough to be shown; where the last isn't, more would not be either. */
export function isNear(result: SearchResultJson | undefined): boolean {
  return result !== undefined && (result.is_guess === true || result.similarity_score >= MIN_NEAR)
}

function grouped(results: SearchResultJson[]): FoundItem[] {
  const items = new Map<string, FoundItem>()
  for (const result of results) {
    const entry = items.get(result.media_id)
    if (entry) entry.others.push(result)
    else items.set(result.media_id, { result, others: [] })
  }
  return [...items.values()]
}
