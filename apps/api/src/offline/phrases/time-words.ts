import type { CalendarPeriod, Holiday, Season, Unit } from './calendar.ts'

export type PhraseLanguage = 'en' | 'es' | 'fr' | 'de'

/** Meaning of a phrase. */
export type PointMeaning =
  | 'today'
  | 'yesterday'
  | 'dayBeforeYesterday'
  | 'lastNight'
  | 'thisUnit'
  | 'lastUnit'
  | 'lastQuarter'
  | 'weekdayOfLastWeek'
  | 'unitBeforeLast'
  | 'pastUnits'
  | 'unitsAgo'
  | 'fewUnitsAgo'
  | 'recently'
  | 'lastNamed'
  | 'thisNamed'
  | 'namedOfYear'
  | 'named'
  | 'partOfMonth'
  | 'partOfYear'
  | 'date'
  | 'weekOfDate'
  | 'dayRange'
  | 'monthRange'
  | 'numericDate'
  | 'numericDay'
  | 'year'
  | 'decade'
  | 'thisYear'
  | 'timeLastYear'
  | 'dayYearsAgo'
  | 'turnOfYear'
  | 'namedAgo'
  | 'namedBeforeLast'
  | 'aroundNamed'
  | 'pieceOfMonth'
  | 'pieceOfYear'
  | 'partOfThisUnit'
  | 'partOfLastUnit'

/**
 * Words of a language for times, as sources of regular expressions. A space matches any spaces, an apostrophe either form,
 * accents are optional, and names in braces are placeholders of the grammar.
 */
export interface TimeWords {
  /** Starting with January. */
  months: readonly string[]
  /** Abbreviations, matched only beside a day or a year. */
  shortMonths: readonly string[]
  /** Starting with Monday. */
  weekdays: readonly string[]
  /** Part of the day after a weekday; may be empty. */
  partOfWeekday: string
  seasons: Readonly<Record<Season, string>>
  holidays: Readonly<Partial<Record<Holiday, string>>>
  weekend: string
  units: Readonly<Record<Unit, string>>
  /** Starting with one. */
  numbers: readonly string[]
  /** Parts of a month or year. */
  parts: Readonly<Record<'begin' | 'middle' | 'end', string>>
  /** First to fourth, and last. */
  ranks: readonly [string, string, string, string, string]
  /** Pieces of a month, in addition to its weekdays, and of a year. */
  pieces: Readonly<Record<'week' | 'weekend' | 'half' | 'quarter', string>>
  /** From the twenties to the nineties. */
  decades: readonly string[]
  /** Suffix of a day of a month. */
  ordinal: string
  /** Word for the first day of a month. */
  first: string
  points: Readonly<Partial<Record<PointMeaning, readonly string[]>>>
  /** Words before a date that mean its week. */
  weekOf: string
  /** Words before any time that belong to it. */
  within: string
  /** Words that a bare name needs to mean a time: "in May", but not "may". */
  requiredBefore: Readonly<
    Record<'month' | 'season' | 'holiday' | 'weekday' | 'weekend' | 'year' | 'decade' | 'numericDay', string>
  >
  since: string
  after: string
  before: string
  until: string
  between: readonly (readonly [open: string, middle: string])[]
  /** Names that mean a time at the end of a text without any of those words, except `neverAtEnd`. */
  atEnd: readonly ('weekday' | 'month')[]
  neverAtEnd?: RegExp
  /** Allowed words after a name that don't make it something else: "on Sunday at noon", not "the Sunday paper". */
  mayFollow?: { names: RegExp; after: string }
  /** Names that are a first name when another name follows: "from April Smith". */
  givenNames: RegExp
  /** Words right before or after a weekday or month that put it in the future: "next Tuesday". */
  futureContexts: { before?: RegExp; after: RegExp }
  /** Words right before or after a bare name that make it something else: "Black Friday". */
  excludedContexts: Readonly<Partial<Record<'month' | 'weekday' | 'holiday', { before?: RegExp; after?: RegExp }>>>
}

/** Patterns of the weekdays, starting with Monday, with the part of the day that may follow. */
export function weekdaysWithParts({ weekdays, partOfWeekday }: TimeWords): string[] {
  return weekdays.map((weekday) => `${weekday}${partOfWeekday}`)
}

/** Patterns of months, weekdays, seasons and holidays, with their meaning. */
export function namesOf(words: TimeWords): [source: string, named: CalendarPeriod][] {
  return [
    ...words.months.map((source, index): [string, CalendarPeriod] => [source, { kind: 'month', month: index + 1 }]),
    // Holidays come before the weekdays that some of them start with.
    ...(Object.entries(words.holidays) as [Holiday, string][]).map(([holiday, source]): [string, CalendarPeriod] => [
      source,
      { kind: 'holiday', holiday },
    ]),
    ...weekdaysWithParts(words).map((source, index): [string, CalendarPeriod] => [
      source,
      { kind: 'weekday', weekday: index + 1 },
    ]),
    ...(Object.entries(words.seasons) as [Season, string][]).map(([season, source]): [string, CalendarPeriod] => [
      source,
      { kind: 'season', season },
    ]),
    [words.weekend, { kind: 'weekend' }],
  ]
}

/** Patterns of "last year" or "this year" in a language. */
export function yearWords(words: TimeWords, meaning: 'lastUnit' | 'thisUnit'): string {
  return (words.points[meaning] ?? [])
    .map((template) => template.replace('{unit}', `(?:${words.units.year})`))
    .join('|')
}
