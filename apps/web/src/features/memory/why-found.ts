import type { SearchResultJson } from '@mira/shared'

/** Why a result was found; each is a text under `why`, filled in with the result's time and page. */
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

type Found = Pick<SearchResultJson, 'matched' | 'found_in' | 'media_type' | 'timestamp_seconds' | 'page'>

/** Why a result was found, the way it was matched before the place where. */
export function whyFound(result: Found): Why[] {
  if (result.matched === 'looks') return [result.timestamp_seconds === null ? 'looks' : 'looksAt']
  const place = placeOf(result)
  return result.matched === 'meaning' ? ['meaning', place] : [place]
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
