import { relaxed } from './patterns.ts'
import { timeWords } from './words/index.ts'

/** Range of days such as 2025-03-04, including both ends. A null leaves the range open on that side. */
export interface DaySpan {
  first: string | null
  last: string | null
  /** True for a part of a year named without its year ("in March"): the same days of another year may be meant. */
  isYearly: boolean
}

/** Day or month written in a text; the year is null when it isn't stated. */
interface WrittenDay {
  year: number | null
  month: number
  /** Null for a whole month. */
  day: number | null
}

const monthSources = timeWords.en.months.map((_, index) =>
  Object.values(timeWords)
    .flatMap(({ months, shortMonths }) => [months[index] ?? '', shortMonths[index] ?? ''])
    .join('|'),
)
const MONTH = monthSources.map((source, index) => `(?<m${index + 1}>${relaxed(source)})`).join('|')
const YEAR = '(?:19|20)\\d\\d'
const PREPOSITION = '(?:of|de|del)\\s+'

/** 2025-03-04, 2025/3, 2025年3月4日 */
const yearFirst = new RegExp(
  `(?<!\\d)(?<year>${YEAR})(?:[-/.]|年)(?<month>\\d\\d?)(?:(?:[-/.]|月)(?<day>\\d\\d?))?(?!\\d)`,
  'gu',
)
/** 4.3.2025 */
const yearLast = new RegExp(`(?<!\\d)(?<day>\\d\\d?)[./](?<month>\\d\\d?)[./](?<year>${YEAR})(?!\\d)`, 'gu')
/** 4 March 2025, March 4th, 2025, March 2025, 4 de marzo de 2025 */
const withMonthName = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:(?<before>\\d\\d?)(?:st|nd|rd|th|er|[.ºª])?\\s+(?:${PREPOSITION})?)?(?:${MONTH})(?!\\p{L})\\.?(?:\\s+(?<behind>\\d\\d?)(?:st|nd|rd|th)?(?![\\p{L}\\p{N}]))?(?:,?\\s+(?:${PREPOSITION})?(?<year>${YEAR})(?!\\d))?`,
  'giu',
)

function readWrittenDays(text: string): WrittenDay[] {
  const digits = [...text.matchAll(yearFirst), ...text.matchAll(yearLast)].flatMap(({ groups = {} }) => {
    const [month, day] = [Number(groups.month), groups.day === undefined ? null : Number(groups.day)]
    // 3/14/2025 has the month first
    const isMonthFirst = month > 12 && day !== null && day <= 12
    return dayOf(Number(groups.year), isMonthFirst ? day : month, isMonthFirst ? month : day)
  })
  const words = [...text.matchAll(withMonthName)].flatMap(({ groups = {} }) => {
    const month = monthSources.findIndex((_, index) => groups[`m${index + 1}`] !== undefined) + 1
    const day = groups.before ?? groups.behind
    // A month alone may be another word, such as "may".
    if (day === undefined && groups.year === undefined) return []
    return dayOf(groups.year === undefined ? null : Number(groups.year), month, day === undefined ? null : Number(day))
  })
  return [...digits, ...words]
}

function dayOf(year: number | null, month: number, day: number | null): WrittenDay[] {
  return month >= 1 && month <= 12 && (day === null || (day >= 1 && day <= 31)) ? [{ year, month, day }] : []
}

/** Fit of a day that is within the span in an earlier year only, or has no year. */
const OTHER_YEAR_FIT = 0.9

/** Best fit of the days written in a text to any of the spans, 0 to 1; null for a text without days. */
export function fitOfWrittenDays(text: string, spans: readonly DaySpan[]): number | null {
  if (!/\d/.test(text)) return null
  const days = readWrittenDays(text)
  if (days.length === 0) return null
  return Math.max(...days.flatMap((day) => spans.map((span) => fitOf(day, span))))
}

/** Number of earlier years that "in March" may mean. */
export const EARLIER_YEARS = 4

/** A span and, if its year wasn't stated, the same days of earlier years. */
export function withEarlierYears(span: DaySpan): DaySpan[] {
  const yearsBefore = (day: string | null, years: number) =>
    day && `${String(Number(day.slice(0, 4)) - years).padStart(4, '0')}${day.slice(4)}`
  return Array.from({ length: span.isYearly ? EARLIER_YEARS + 1 : 1 }, (_, years) => ({
    ...span,
    first: yearsBefore(span.first, years),
    last: yearsBefore(span.last, years),
  }))
}

function fitOf(day: WrittenDay, span: DaySpan): number {
  if (day.year !== null && isWithin(day, day.year, span)) return 1
  if (day.year !== null && !span.isYearly) return 0
  const years = [span.first, span.last].flatMap((end) => (end === null ? [] : Number(end.slice(0, 4))))
  return years.some((year) => isWithin(day, year, span)) ? OTHER_YEAR_FIT : 0
}

/** True when a day, or any day of a month, is in a span. */
function isWithin({ month, day }: WrittenDay, year: number, { first, last }: DaySpan): boolean {
  const dateOf = (dayOfMonth: number) =>
    `${year}-${String(month).padStart(2, '0')}-${String(dayOfMonth).padStart(2, '0')}`
  return (last === null || dateOf(day ?? 1) <= last) && (first === null || dateOf(day ?? 31) >= first)
}
