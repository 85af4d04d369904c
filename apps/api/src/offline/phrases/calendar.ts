import type { DateTime } from 'luxon'

/** Time range: `from` is inclusive, `to` exclusive. */
export interface Span {
  from: DateTime
  to: DateTime
}

export type Unit = 'hour' | 'day' | 'week' | 'month' | 'year'
export type Season = 'spring' | 'summer' | 'autumn' | 'winter'
export type Holiday =
  | 'christmas'
  | 'christmasEve'
  | 'christmasDay'
  | 'secondChristmasDay'
  | 'newYearsEve'
  | 'newYear'
  | 'epiphany'
  | 'valentine'
  | 'goodFriday'
  | 'easterSunday'
  | 'easterMonday'
  | 'easter'
  | 'holyWeek'
  | 'pentecostMonday'
  | 'pentecost'
  | 'halloween'
  | 'allSaints'
  | 'thanksgiving'
  | 'turnOfYear'
  | 'carnival'
  | 'ascension'
  | 'advent'
  | 'saintNicholas'
  | 'fourthOfJuly'
  | 'firstSundayOfMay'
  | 'secondSundayOfMay'
  | 'lastSundayOfMay'
  | 'thirdSundayOfJune'

/** Recurring part of the calendar. Months and weekdays are counted from 1, weekdays from Monday. */
export type CalendarPeriod =
  | { kind: 'month'; month: number }
  | { kind: 'season'; season: Season }
  | { kind: 'holiday'; holiday: Holiday }
  | { kind: 'weekday'; weekday: number }
  | { kind: 'weekend' }

/** Week, month or year that contains a day, or the day itself for `day` and `hour`. Weeks start on Monday. */
export function unitAround(day: DateTime, unit: Unit): Span {
  const whole = unit === 'hour' ? 'day' : unit
  const from = day.startOf(whole)
  return { from, to: from.plus({ [`${whole}s`]: 1 }) }
}

export function unitsBefore(day: DateTime, count: number, unit: Unit): DateTime {
  return day.minus({ [`${unit}s`]: count })
}

/** Latest occurrence that has begun: "May" or "Tuesday" in a text about the past. Never today for a weekday. */
export function latestBegun(named: CalendarPeriod, today: DateTime): Span {
  return newestWhere(named, today, ({ from }) => from <= today)
}

/** Latest occurrence that has ended. */
export function latestEnded(named: CalendarPeriod, today: DateTime): Span {
  return newestWhere(named, today, ({ to }) => to <= today)
}

/** The `count`-th last occurrence that has ended; 1 for the latest. */
export function nthLatestEnded(named: CalendarPeriod, count: number, today: DateTime): Span {
  let span = latestEnded(named, today)
  for (let ago = 1; ago < count; ago++) span = latestEnded(named, span.from)
  return span
}

/** Time range meant by "around": the span with a margin on both sides. */
export function around(named: CalendarPeriod, { from, to }: Span): Span {
  const days = daysAround[named.kind]
  return { from: from.minus({ days }), to: to.plus({ days }) }
}

const daysAround: Record<CalendarPeriod['kind'], number> = { month: 10, season: 30, holiday: 7, weekday: 1, weekend: 1 }

/** Occurrence that starts in a year; null for weekdays and weekends, which have many. */
export function occurrenceInYear(named: CalendarPeriod, year: number, today: DateTime): Span | null {
  const begin = today.set({ year, month: 1, day: 1 }).startOf('day')
  switch (named.kind) {
    case 'month': {
      const from = begin.set({ month: named.month })
      return { from, to: from.plus({ months: 1 }) }
    }
    case 'season': {
      const from = begin.set({ month: firstMonthOf(named.season, begin) })
      return { from, to: from.plus({ months: 3 }) }
    }
    case 'holiday':
      return holidaySpans[named.holiday](begin)
    default:
      return null
  }
}

function newestWhere(named: CalendarPeriod, today: DateTime, matches: (span: Span) => boolean): Span {
  if (named.kind === 'weekday') {
    // Never today, which a user would call "today".
    const back = (today.weekday - named.weekday + 7) % 7 || 7
    return unitAround(today.minus({ days: back }), 'day')
  }
  if (named.kind === 'weekend') {
    const saturday = today.startOf('week').plus({ days: 5 })
    const spans = [0, 1, 2]
      .map((weeks) => saturday.minus({ weeks }))
      .map((from) => ({ from, to: from.plus({ days: 2 }) }))
    return spans.find(matches) ?? { from: saturday, to: saturday.plus({ days: 2 }) }
  }
  for (let year = today.year; ; year--) {
    const span = occurrenceInYear(named, year, today)
    if (span === null || matches(span)) return span ?? unitAround(today, 'day')
  }
}

const northernFirstMonths: Record<Season, number> = { spring: 3, summer: 6, autumn: 9, winter: 12 }

/**
 * First month of a meteorological season, which has three whole months. Time zones with daylight saving time in January are
 * in the southern hemisphere. All others count as northern, since a zone without daylight saving time may be in either.
 */
function firstMonthOf(season: Season, year: DateTime): number {
  const isSouthern = year.set({ month: 1, day: 15 }).offset > year.set({ month: 7, day: 15 }).offset
  const month = northernFirstMonths[season]
  return isSouthern ? ((month + 5) % 12) + 1 : month
}

const days = (year: DateTime, month: number, day: number, count: number): Span => {
  const from = year.set({ month, day })
  return { from, to: from.plus({ days: count }) }
}

/** The nth Sunday of a month; the last one for 5. */
const sunday = (year: DateTime, month: number, nth: number): Span => {
  const first = year.set({ month, day: 1 })
  const sundays = [0, 1, 2, 3, 4].map((week) => first.plus({ days: 7 - first.weekday + 7 * week }))
  const from = sundays.filter((day) => day.month === month)[nth - 1] ?? sundays.findLast((day) => day.month === month)
  return { from: from ?? first, to: (from ?? first).plus({ days: 1 }) }
}

const aroundEaster = (year: DateTime, first: number, count: number): Span => {
  const from = easterSunday(year).plus({ days: first })
  return { from, to: from.plus({ days: count }) }
}

const holidaySpans: Record<Holiday, (year: DateTime) => Span> = {
  christmas: (year) => days(year, 12, 24, 3),
  christmasEve: (year) => days(year, 12, 24, 1),
  christmasDay: (year) => days(year, 12, 25, 1),
  secondChristmasDay: (year) => days(year, 12, 26, 1),
  // Including the night, and so the next day.
  newYearsEve: (year) => days(year, 12, 31, 2),
  newYear: (year) => days(year, 1, 1, 1),
  epiphany: (year) => days(year, 1, 6, 1),
  valentine: (year) => days(year, 2, 14, 1),
  goodFriday: (year) => aroundEaster(year, -2, 1),
  easterSunday: (year) => aroundEaster(year, 0, 1),
  easterMonday: (year) => aroundEaster(year, 1, 1),
  easter: (year) => aroundEaster(year, -2, 4),
  holyWeek: (year) => aroundEaster(year, -7, 8),
  pentecostMonday: (year) => aroundEaster(year, 50, 1),
  pentecost: (year) => aroundEaster(year, 48, 3),
  halloween: (year) => days(year, 10, 31, 1),
  allSaints: (year) => days(year, 11, 1, 1),
  turnOfYear: (year) => days(year, 12, 24, 9),
  carnival: (year) => aroundEaster(year, -52, 7),
  ascension: (year) => aroundEaster(year, 39, 1),
  // From the fourth Sunday before Christmas until Christmas Eve.
  advent: (year) => {
    const christmas = year.set({ month: 12, day: 25 })
    return { from: christmas.minus({ days: christmas.weekday + 21 }), to: christmas.minus({ days: 1 }) }
  },
  saintNicholas: (year) => days(year, 12, 6, 1),
  fourthOfJuly: (year) => days(year, 7, 4, 1),
  firstSundayOfMay: (year) => sunday(year, 5, 1),
  secondSundayOfMay: (year) => sunday(year, 5, 2),
  lastSundayOfMay: (year) => sunday(year, 5, 5),
  thirdSundayOfJune: (year) => sunday(year, 6, 3),
  thanksgiving: (year) => days(year, 11, 22 + ((11 - year.set({ month: 11, day: 1 }).weekday) % 7), 1),
}

/** Easter Sunday by the algorithm that New Scientist published in 1961. */
function easterSunday(begin: DateTime): DateTime {
  const { year } = begin
  const a = year % 19
  const century = Math.floor(year / 100)
  const rest = year % 100
  const g = Math.floor((8 * century + 13) / 25)
  const h = (19 * a + century - Math.floor(century / 4) - g + 15) % 30
  const l = (32 + 2 * (century % 4) + 2 * Math.floor(rest / 4) - h - (rest % 4)) % 7
  const m = Math.floor((a + 11 * h + 19 * l) / 433)
  const month = Math.floor((h + l - 7 * m + 90) / 25)
  return begin.set({ month, day: (h + l - 7 * m + 33 * month + 19) % 32 })
}
