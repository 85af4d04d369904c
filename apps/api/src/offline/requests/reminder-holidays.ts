import type { Language } from '@mira/shared'
import type { DateTime } from 'luxon'
import { type Holiday, occurrenceInYear } from '../phrases/calendar.ts'
import { relaxed } from '../phrases/patterns.ts'
import { timeWords } from '../phrases/words/index.ts'
import { clockLookahead } from './reminder-rewrites/rewrite.ts'

type ByLanguage<T> = Readonly<Record<Language, T>>

/** Words before a holiday. */
const onDays: Readonly<Record<Language, string>> = {
  en: '(?:(?:on|at|this|next|this coming) ){1,2}',
  es: '(?:(?:en|el día de|el|la|este|est[ae]|próxim[oa]) ){1,2}',
  fr: '(?:à|le jour de|pour|le) ',
  de: '(?:(?:an|am|zu|diese[ns]|nächste[ns]) ){1,2}',
}
const ofYears = String.raw`(?:,? (?:of |del? )?(20\d\d))?`

/** Distance from a holiday. It isn't supported, and the parsers mistake it for a distance from today. */
export const besideHolidays: ByLanguage<RegExp> = {
  en: relativeToHoliday('en', '(?:before|after|from)'),
  es: relativeToHoliday('es', '(?:antes|después) del?(?: la)?'),
  fr: relativeToHoliday('fr', '(?:avant|après)(?: la| le)?'),
  de: relativeToHoliday('de', '(?:vor|nach)(?: de[mnr])?'),
}

function relativeToHoliday(language: Language, side: string): RegExp {
  const { units, holidays } = timeWords[language]
  const [unit, holiday] = [units, holidays].map((words) => Object.values(words).join('|'))
  return new RegExp(`(?<!\\p{L})${relaxed(`(?:${unit}) ${side} (?:${holiday})`)}(?!\\p{L})`, 'iu')
}

const clockBefore: Readonly<Record<Language, string>> = {
  en: String.raw`\d ?(?:[ap]\.?m\.? )?`,
  es: String.raw`\d ?(?:h |horas )?`,
  fr: String.raw`\d ?(?:h |heures )?`,
  de: String.raw`\d ?(?:Uhr )?`,
}
const DAY_MS = 86_400_000

/**
 * Pattern and next day of a holiday in a text; null without a holiday. The day is null when the holiday lasts several days or its
 * stated year is over. A holiday counts as a day after a preposition, beside a time of day or alone, but not in "Christmas
 * shopping".
 */
export function holidayIn(text: string, here: DateTime, language: Language) {
  for (const [holiday, source] of Object.entries(timeWords[language].holidays) as [Holiday, string][]) {
    const name = `(?:${relaxed(source)})(?!\\p{L})${ofYears}`
    const [on, clock] = [onDays[language], clockBefore[language]]
    const pattern = new RegExp(
      `^\\s*(?:${on}${name}|${name}(?=\\s*(?:$|[,:])))|(?<!\\p{L})(?:${on})?${name}${clockLookahead}|(?<=${clock})(?:${on}${name}|${name}(?=\\s*(?:$|[,:])))`,
      'iu',
    )
    const match = pattern.exec(text)
    if (match === null) continue
    const stated = match.slice(1).find((year) => year !== undefined)
    const [span] = (stated === undefined ? [here.year, here.year + 1] : [Number(stated)])
      .flatMap((year) => occurrenceInYear({ kind: 'holiday', holiday }, year, here) ?? [])
      .filter(({ from }) => from >= here.startOf('day'))
    if (span === undefined) return { pattern, day: null }
    // The span of New Year's Eve includes the night after 31 December.
    const isOneDay = holiday === 'newYearsEve' || span.to.toMillis() - span.from.toMillis() <= DAY_MS
    return { pattern, day: isOneDay ? span.from : null }
  }
  return null
}
