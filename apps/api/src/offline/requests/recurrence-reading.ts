import type { Language, Recurrence } from '@mira/shared'
import { countOf, numberWords, recurringWeekdayPatterns } from './calendar-names.ts'
import { recurrenceWords, units } from './recurrence-words.ts'
import type { TextRange } from './rewritten-text.ts'
import { rangeOf } from './time-results.ts'

const MAX_EVERY = 1000

/** True for a recurrence that wasn't read, such as "every single day". */
export function hasUnreadRecurrence(text: string, language: Language): boolean {
  const anyUnit = units[language].map(([, source]) => source).join('|')
  return new RegExp(`(?:${recurrenceWords[language].every})\\s+\\p{L}+\\s+(?:${anyUnit})(?!\\p{L})`, 'iu').test(text)
}

/** Recurrence in a text, with its range and matching pattern; null for none. */
export function readRecurrence(
  text: string,
  language: Language,
): (TextRange & { recurrence: Recurrence; pattern: RegExp }) | null {
  const { fixed, every, other } = recurrenceWords[language]
  for (const [pattern, recurrence] of fixed) {
    const match = pattern.exec(text)
    if (match) return { recurrence, pattern, ...rangeOf(match) }
  }
  const weekdays = recurringWeekdayPatterns[language]
  const names = weekdays.join('|')
  const weeklyPattern = new RegExp(
    `(?:${every})\\s+((?:${other})\\s+)?((?:${names})(?:(?:\\s*,\\s*|\\s+(?:and|y|et|und)\\s+)(?:${every}\\s+)?(?:${names}))*)(?!\\p{L})`,
    'iu',
  )
  const weekly = weeklyPattern.exec(text)
  if (weekly) {
    const dayNames = (weekly[2] ?? '').split(/\s*,\s*|\s+(?:and|y|et|und)\s+/iu)
    const days = dayNames.flatMap((name) => {
      const day = weekdays.findIndex((source) => new RegExp(`^(?:(?:${every})\\s+)?(?:${source})$`, 'iu').test(name))
      return day === -1 ? [] : [day + 1]
    })
    const recurrence: Recurrence = {
      every: weekly[1] === undefined ? 1 : 2,
      unit: 'week',
      weekdays: [...new Set(days)].sort((a, b) => a - b),
    }
    return { recurrence, pattern: weeklyPattern, ...rangeOf(weekly) }
  }
  for (const [unit, source] of units[language]) {
    const pattern = new RegExp(
      `(?:${every})\\s+(?:(\\d{1,4}|${numberWords[language].join('|')})\\s+|(${other})\\s+)?(?:${source})(?!\\p{L})`,
      'iu',
    )
    const match = pattern.exec(text)
    if (!match) continue
    const count = match[1] === undefined ? (match[2] === undefined ? 1 : 2) : countOf(match[1], language)
    if (count < 1 || count > MAX_EVERY) continue
    return { recurrence: { every: count, unit }, pattern, ...rangeOf(match) }
  }
  return null
}
