import { type DaySpan, fitOfWrittenDays } from '../../offline/phrases/written-days.ts'
import type { MemoryStore, MomentRow } from './memory.store.ts'
import type { SearchScope } from './scope.ts'
import type { RankingPreferences } from './understand.ts'
import { weights } from './weights.ts'

/** Match of a moment and its item with a query's preferences. */
export interface PreferenceMatch {
  /** Share of the preferences that the moment and its item meet, 0 to 1. */
  share: number
  /** Addition to the score of the hit. */
  boost: number
}

export const noPreferenceMatch: PreferenceMatch = { share: 0, boost: 0 }

/** Maximum length of a short time span: a season. Few texts name one of its days by chance. */
const SHORT_SPAN_DAYS = 92
const DAY_MS = 86_400_000

/** True when spans are so short that few texts name one of their days by chance. */
function isShort(spans: readonly DaySpan[]): boolean {
  return spans.every(({ first, last }) => {
    const days = (Date.parse(last ?? '') - Date.parse(first ?? '')) / DAY_MS
    return days <= SHORT_SPAN_DAYS
  })
}

/** Matches each moment and its item against the preferences. */
export async function readPreferenceMatches(
  store: Pick<MemoryStore, 'readKinds'>,
  { userId, timeZone }: SearchScope,
  preferences: RankingPreferences | undefined,
  moments: MomentRow[],
): Promise<(moment: MomentRow) => PreferenceMatch> {
  if (!preferences) return () => noPreferenceMatch
  const { mediaTypes, from, to, isByTimeAdded = false, days = [] } = preferences
  const ids = [...new Set(moments.map(({ mediaId }) => mediaId))]
  const kinds = await store.readKinds(userId, ids, { from: from ?? null, to: to ?? null, timeZone, isByTimeAdded })
  const kindOf = new Map(kinds.map((kind) => [kind.mediaId, kind]))
  const { preference, time, undated, onlyAdded } = weights.score
  const timeBoost = isShort(days) ? time : preference
  const match = (moment: MomentRow): PreferenceMatch => {
    const kind = kindOf.get(moment.mediaId)
    if (kind === undefined) return noPreferenceMatch
    const matchTime = (): PreferenceMatch => {
      if (isByTimeAdded) return kind.isInTime ? { share: 1, boost: timeBoost } : noPreferenceMatch
      const written = fitOfWrittenDays(moment.body, days)
      if (kind.isTaken && kind.isInTime) return { share: 1, boost: timeBoost }
      if (written !== null && written > 0) return { share: written, boost: written * timeBoost }
      if (kind.isTaken) return noPreferenceMatch
      // A text that names only other days is hardly meant, even if its item was added in the range.
      const added = kind.isInTime ? (written === null ? 1 : onlyAdded) : 0
      return { share: added, boost: Math.max(added * preference, written === null ? undated * timeBoost : 0) }
    }
    const ofType = (isMatch: boolean): PreferenceMatch =>
      isMatch ? { share: 1, boost: preference } : noPreferenceMatch
    const checks = [
      ...(mediaTypes ? [ofType(mediaTypes.includes(kind.mediaType))] : []),
      ...(from || to ? [matchTime()] : []),
    ]
    const mean = (figure: keyof PreferenceMatch) =>
      checks.reduce((sum, check) => sum + check[figure], 0) / Math.max(1, checks.length)
    return { share: mean('share'), boost: mean('boost') }
  }
  const cachedMatches = new Map<string, PreferenceMatch>()
  return (moment) => {
    const preferenceMatch = cachedMatches.get(moment.id) ?? match(moment)
    cachedMatches.set(moment.id, preferenceMatch)
    return preferenceMatch
  }
}
