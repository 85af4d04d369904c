import type { SearchResultJson } from '@mira/shared'

/** Reason for a result; each has a text under `why` with the result's time and page filled in. */
export type Why =
  | 'saidAt'
  | 'said'
  | 'onScreenAt'
  | 'seenAt'
  | 'page'
  | 'inPicture'
  | 'inText'
  | 'caption'
  | 'name'
  | 'looks'
  | 'looksAt'
  | 'meaning'
  | 'guess'
  | 'taken'
  | 'dated'

type Found = Pick<
  SearchResultJson,
  'matched' | 'found_in' | 'media_type' | 'timestamp_seconds' | 'page' | 'is_named' | 'is_guess'
>

/**
 * Reasons for a result, the way it matched before its place.
 * @param isDated true where the query is only a time or a kind.
 */
export function whyFound(result: Found, isDated = false): Why[] {
  if (isDated) return [result.media_type === 'image' || result.media_type === 'video' ? 'taken' : 'dated']
  if (result.matched === 'looks') return [result.timestamp_seconds === null ? 'looks' : 'looksAt']
  const place = placeOf(result)
  const how: Why[] = result.is_guess ? ['guess'] : result.matched === 'meaning' ? ['meaning'] : []
  return [...how, place, ...(result.is_named && place !== 'name' ? (['name'] as const) : [])]
}

function placeOf({ found_in, media_type, timestamp_seconds, page }: Found): Why {
  const hasTime = timestamp_seconds !== null
  if (found_in === 'name') return 'name'
  if (found_in === 'speech') return hasTime ? 'saidAt' : 'said'
  if (found_in === 'caption') return hasTime ? 'seenAt' : 'caption'
  if (found_in === 'picture') return hasTime ? 'looksAt' : 'looks'
  if (page !== null) return 'page'
  if (hasTime) return 'onScreenAt'
  return media_type === 'image' ? 'inPicture' : 'inText'
}
