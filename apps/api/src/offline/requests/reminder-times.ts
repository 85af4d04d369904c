import type { Language, Recurrence } from '@mira/shared'
import type { ParsedResult } from 'chrono-node'
import { DateTime } from 'luxon'
import { numberWords } from './calendar-names.ts'
import type { RequestContext } from './reading.ts'
import { hasUnreadRecurrence, readRecurrence } from './recurrence-reading.ts'
import { rewriteDays } from './reminder-days.ts'
import { endsRecurrence, spansOfDays } from './reminder-ends.ts'
import { besideHolidays, holidayIn } from './reminder-holidays.ts'
import { isAfternoonHour } from './reminder-hours.ts'
import { reminderRewrites } from './reminder-rewrites/index.ts'
import { hide } from './reminder-rewrites/rewrite.ts'
import {
  daysOfEachMonth,
  daysOfMonth,
  dayWords,
  leapDays,
  monthsAlone,
  partsOfDay,
  pastDuration,
  pastTimes,
  relativeDurations,
  unreadTimes,
  weekdaysOfMonth,
} from './reminder-time-words.ts'
import { textWithout } from './reminder-titles.ts'
import { RewrittenText, type TextRange } from './rewritten-text.ts'
import { spokenLengths } from './spoken-numbers.ts'
import { parseTimes, wallDate } from './time-parsing.ts'
import {
  adjacentDates,
  areAdjacent,
  areBeside,
  BARRIER,
  belongsToTime,
  chooseResults,
  isDated,
  isJoinedToOther,
  isLead,
  isLength,
  originOf,
  rangeOf,
  rangeOfResult,
} from './time-results.ts'

/** Due time, as parsed from a sentence. */
export type ReminderTime =
  | { kind: 'at'; at: Date }
  /** Starts at the first time of the recurrence after `from`. */
  | { kind: 'recurring'; from: Date; recurrence: Recurrence }
  | { kind: 'past' }
  /** Time skipped by daylight saving; `later` is the time after the change. */
  | { kind: 'skipped'; skipped: DateTime; later: DateTime }
  /** A day without a time, or neither. */
  | { kind: 'no_time'; hasDay: boolean; isRecurring?: true }

const months: Record<Language, Intl.DateTimeFormat> = {
  en: new Intl.DateTimeFormat('en-GB', { month: 'long', timeZone: 'UTC' }),
  es: new Intl.DateTimeFormat('es', { month: 'long', timeZone: 'UTC' }),
  fr: new Intl.DateTimeFormat('fr', { month: 'long', timeZone: 'UTC' }),
  de: new Intl.DateTimeFormat('de', { month: 'long', timeZone: 'UTC' }),
}
const AFTERNOON_HOUR = 15
const EVENING_HOUR = 19

/** Day in the form that the parser of a language reads. */
function writeDay(day: DateTime, language: Language): string {
  const month = months[language].format(new Date(Date.UTC(2000, day.month - 1, 1)))
  if (language === 'es') return `${day.day} de ${month} de ${day.year}`
  return language === 'de' ? `${day.day}. ${month} ${day.year}` : `${day.day} ${month} ${day.year}`
}

/** Time in a sentence, and its other words; `hasDay` is true when the sentence names a day. */
export interface TimeReading {
  time: ReminderTime
  rest: string
  hasDay: boolean
}

/**
 * Splits a sentence into its time and the rest. Understands many phrases that the date parser doesn't know.
 * @param isAlarm for an alarm, whose small hours may be in the morning.
 */
export function readReminderTime(sentence: string, reader: RequestContext, isAlarm = false): TimeReading {
  const { language, timeZone, now } = reader
  const here = DateTime.fromJSDate(now, { zone: timeZone })
  const spans: TextRange[] = []
  const text = new RewrittenText(sentence)
  const mask = (pattern: RegExp) => text.replace(pattern, hide)
  const write = (day: DateTime) => `${BARRIER}${writeDay(day, language)}`
  const unread = { time: { kind: 'no_time', hasDay: false }, rest: sentence, hasDay: false } as const
  const withRest = (time: ReminderTime, isDayRead = true, hasDay = false): TimeReading =>
    isHalfRead(sentence, spans, language, isDayRead)
      ? unread
      : { time, rest: textWithout(sentence, spans, language), hasDay }

  if (weekdaysOfMonth[language].test(sentence)) return unread
  text.replace(...spokenLengths(language))
  const former = pastDuration.exec(sentence) ?? pastTimes[language].exec(sentence)
  mask(pastDuration)
  mask(pastTimes[language])
  const isBesideHoliday = besideHolidays[language].test(sentence)
  mask(besideHolidays[language])
  for (const [pattern, rewrite] of reminderRewrites[language].phrases) text.replace(pattern, rewrite)
  const dayProblem = rewriteDays(text, here, language, write)
  const monthly = daysOfEachMonth[language].find(([pattern]) => pattern.test(text.text))
  if (monthly !== undefined) text.replace(monthly[0], (match) => match.replace(...monthly))
  const recurring = readRecurrence(text.text, language)
  const recurrence = recurring?.recurrence ?? null
  if (recurring !== null) {
    spans.push(text.originOf(recurring))
    text.replace(recurring.pattern, () => ' ')
  }
  if (recurrence !== null && endsRecurrence(sentence, recurrence, language)) return unread
  const span = spansOfDays[language].exec(text.text)
  mask(spansOfDays[language])
  for (const [pattern, minutes] of relativeDurations[language]) {
    const match = pattern.exec(text.text)
    const lengthMinutes = match === null ? Number.NaN : minutes(match)
    if (match === null || Number.isNaN(lengthMinutes)) continue
    const at = here.plus({ minutes: lengthMinutes }).toJSDate()
    spans.push(text.originOf(rangeOf(match)))
    return withRest({ kind: 'at', at })
  }
  for (const [pattern, away] of dayWords[language]) {
    const day = here.plus(typeof away === 'number' ? { days: away } : away)
    text.replace(pattern, () => write(day))
  }
  text.replace(leapDays[language], () => write(nextLeapDay(here)))
  text.replace(daysOfMonth[language], (all = '', day) => {
    const number = Number(day) || 1
    return number > 31 ? all : write(dayOfMonth(number, here))
  })
  for (const [pattern, rewrite] of reminderRewrites[language].clocks) text.replace(pattern, rewrite)

  let results = parseTimes(text.text, here, language)
  // "la veille de l'examen"
  if (results.some((result) => /^(?:la )?veille(?!\p{L})/iu.test(result.text))) return unread
  if (results.some((result) => isLead(result, text.text) && /^[\s,|]*$/.test(text.text.slice(0, result.index))))
    return unread
  results = results.filter((result) => !isLead(result, text.text))
  // "in June at 9", and days that no month has, such as April 31; the parsers take "June 15" as a month of 2015
  const isWithoutDay = !results.some(isDated)
  const isMonth = results.some(
    ({ start, text }) => start.isCertain('month') && (start.isCertain('hour') || /\p{L}\.? \d\d$/u.test(text)),
  )
  if (isWithoutDay && (isMonth || monthsAlone[language]?.test(text.text))) return unread
  const holiday = isWithoutDay && recurrence === null ? holidayIn(text.text, here, language) : null
  if (holiday !== null) {
    const { pattern, day } = holiday
    if (day === null) return unread
    text.replace(pattern, () => ` ${write(day)} `)
    results = parseTimes(text.text, here, language)
  }
  // "every day walk for 30 minutes"
  if (recurrence !== null) results = results.filter((result) => !isLength(result))
  const part = partsOfDay[language].find(([pattern]) => pattern.test(text.text))
  const partMatch = part?.[0].exec(text.text)
  const { timed, dated } = chooseResults(results, text.text, language, partMatch ? rangeOf(partMatch) : null)
  const isBesideSpan =
    span !== null && timed !== null && areBeside(text.text, [rangeOf(span), rangeOfResult(timed)], language)
  if (recurrence === null && isBesideSpan) return unread
  if (timed !== null && isJoinedToOther(timed, results, text.text)) return unread
  if (recurrence === null && dated === null && hasUnreadRecurrence(text.text, language)) return unread
  const [recurringRange] = spans
  const isPartOfTime =
    partMatch && timed
      ? belongsToTime(text.text, rangeOf(partMatch), { timed, dated }) ||
        // "every evening feed the cat at 8", but not "weekly evening class at 7"
        (recurringRange !== undefined &&
          !/(?:ly|\b(?:week|month|year)s?)$/iu.test(sentence.slice(recurringRange.begin, recurringRange.end)) &&
          isBesideOrIn(text.originOf(rangeOf(partMatch)), recurringRange))
      : false
  if (isBesideHoliday && dated === null && recurrence === null && !(timed && isLength(timed))) return unread
  if (dated === null) {
    const clockRange = timed ? originOf(text, timed) : partMatch ? text.originOf(rangeOf(partMatch)) : null
    const isFormer =
      former !== null &&
      recurrence === null &&
      !/^['’]s\b/u.test(sentence.slice(rangeOf(former).end)) &&
      (clockRange === null || areAdjacent(sentence, rangeOf(former), clockRange))
    if (isFormer || dayProblem === 'past') return { time: { kind: 'past' }, rest: sentence, hasDay: true }
    if (dayProblem === 'impossible') return unread
  }
  const chosen = new Set([timed, ...(timed && isLength(timed) ? [] : adjacentDates(dated, results, text.text))])
  for (const result of chosen) if (result !== null) spans.push(originOf(text, result))

  if (timed?.start.isCertain('second') === true && recurrence === null) {
    // A duration is elapsed time, even across a clock change.
    const at = new Date(now.getTime() + timed.start.date().getTime() - wallDate(here).getTime())
    return withRest(at < now ? { kind: 'past' } : { kind: 'at', at })
  }
  const clock = timed ? { hour: timed.start.get('hour') ?? 0, minute: timed.start.get('minute') ?? 0 } : null
  const vagueTime = part === undefined || clock !== null ? null : { hour: part[1], minute: 0 }
  const delayTime = dated !== null && clock === null && vagueTime === null ? timeAfterDelay(dated, here) : null
  const time = clock && timed ? readClock(clock, timed) : (vagueTime ?? delayTime)
  if (partMatch && (vagueTime || isPartOfTime)) spans.push(text.originOf(rangeOf(partMatch)))

  if (recurrence !== null) return withRest(recurringFrom(recurrence, { time, dated, here }))
  if (time !== null) return withRest(onceAt(time, { dated, here }), dated !== null, dated !== null)
  const isPast = dated !== null && dayOf(dated, here) < here.startOf('day')
  return withRest(isPast ? { kind: 'past' } : { kind: 'no_time', hasDay: dated !== null }, true, dated !== null)

  function readClock(clock: Clock, timed: ParsedResult): Clock {
    const [hourOfPart = 0] = part === undefined ? [] : [part[1]]
    const hourOfHalf = clock.hour % 12
    // "tonight at 12", "Friday night at 2"
    const isAfterMidnight =
      isPartOfTime && hourOfPart >= EVENING_HOUR && hourOfHalf < (hourOfPart > EVENING_HOUR ? 5 : 1)
    if (isAfterMidnight && !afternoonClock.test(originalText(timed))) {
      const isOfNextDay = dated !== null && (hourOfHalf === 0 || !hourOfNight.test(partMatch?.[0] ?? ''))
      return { hour: hourOfHalf, minute: clock.minute, isOfNextDay }
    }
    // "at 9 tomorrow evening", "nachmittags um 1 Uhr", but not "tonight at 2"
    const isLater = isPartOfTime && hourOfPart >= AFTERNOON_HOUR && clock.hour >= (hourOfPart > EVENING_HOUR ? 5 : 1)
    if (isLater && clock.hour < (hourOfPart < EVENING_HOUR ? 9 : 12) && !/\dam\b|\da\.m/i.test(timed.text))
      return { ...clock, hour: clock.hour + 12 }
    if (clock.hour >= 8 || (isPartOfTime && hourOfPart < 12)) return clock
    const words = { written: originalText(timed), rewritten: timed.text, isOfDay: isDated(timed) }
    return isAfternoonHour(sentence, words, { language, isAlarm }) ? { ...clock, hour: clock.hour + 12 } : clock
  }

  /** True for a range beside or within the other one, as parts of the same rewritten phrase are: "every night". */
  function isBesideOrIn(range: TextRange, other: TextRange): boolean {
    return areAdjacent(sentence, other, range) || (other.begin <= range.begin && range.begin < other.end)
  }

  function originalText(result: ParsedResult): string {
    const { begin, end } = originOf(text, result)
    return sentence.slice(begin, end)
  }
}

/** True when words around the ranges belong to the time, too: "the end of next week", "on Diwali at 9". */
function isHalfRead(text: string, ranges: TextRange[], language: Language, isDayRead: boolean): boolean {
  const { before, after, beforeClock, day, task } = unreadTimes[language]
  const begin = Math.min(...ranges.map((range) => range.begin))
  const end = Math.max(...ranges.map((range) => range.end))
  const opening = text.slice(0, begin)
  return (
    ranges.some((range) => before.test(text.slice(0, range.begin)) || after.test(text.slice(range.end))) ||
    (!isDayRead && (beforeClock.test(opening) || (day.test(opening) && task.test(text.slice(end)))))
  )
}

function nextLeapDay(here: DateTime): DateTime {
  for (let year = here.year; ; year++) {
    const day = DateTime.fromObject({ year, month: 2, day: 29 }, { zone: here.zone })
    if (day.isValid && day >= here.startOf('day')) return day
  }
}

/** Time of day; after midnight when `isOfNextDay`. */
type Clock = { hour: number; minute: number; isOfNextDay?: boolean }

const afternoonClock = /\d ?p\.?m\b|(?<![\d:.h]|\d (?:h|Uhr|heures) |y )(?:1[3-9]|2[0-3])(?!\d)/iu
/** Part of the day that qualifies the hour beside it, rather than the whole night. */
const hourOfNight = /^(?:de la noche|nachts|at night)$/iu

/** The current time of day for a delay of days, weeks or months, such as "in two weeks"; null for a named day. */
function timeAfterDelay(dated: ParsedResult, here: DateTime): Clock | null {
  return delayInDays.test(dated.text) ? { hour: here.hour, minute: here.minute } : null
}

const delayInDays = new RegExp(
  String.raw`^(?:in|en|dentro de|dans) (?:\p{L}+ ){0,2}(?:\d|(?:an?|una?|une?|ein\p{L}*|${Object.values(numberWords).flat().join('|')})(?!\p{L}))|\bfrom now$`,
  'iu',
)

/** The parsed day: on or after today, unless it names a past day. */
function dayOf(dated: ParsedResult, here: DateTime): DateTime {
  const { start } = dated
  return DateTime.fromObject(
    { year: start.get('year') ?? here.year, month: start.get('month') ?? 1, day: start.get('day') ?? 1 },
    { zone: here.zone },
  )
}

function onceAt(time: Clock, { dated, here }: { dated: ParsedResult | null; here: DateTime }): ReminderTime {
  const day = dated === null ? here : dayOf(dated, here)
  const isMidnight = time.hour === 0 && time.minute === 0
  // "today at midnight" is still ahead
  const isStillNight = here.hour < 6 && day.hasSame(here, 'day') && onDay(day, time) > here
  const isOfNextDay =
    !isStillNight && (time.isOfNextDay === true || (isMidnight && dated !== null && day.hasSame(here, 'day')))
  const startDay = isOfNextDay ? day.plus({ days: 1 }) : day
  let at = onDay(startDay, time)
  if (at <= here) {
    const isWeekday = dated !== null && !dated.start.isCertain('day')
    if (dated !== null && !isWeekday) return { kind: 'past' }
    at = onDay(startDay.plus({ days: isWeekday ? 7 : 1 }), time)
  }
  // Different fields mean a time skipped by daylight saving.
  if (at.hour !== time.hour || at.minute !== time.minute) {
    const skipped = DateTime.fromObject(
      { year: at.year, month: at.month, day: at.day, hour: time.hour, minute: time.minute },
      { zone: 'UTC' },
    )
    return { kind: 'skipped', skipped, later: at }
  }
  return { kind: 'at', at: at.toJSDate() }
}

/** Time on a day; the first one when daylight saving repeats it. */
function onDay({ year, month, day, zone }: DateTime, { hour, minute }: Clock): DateTime {
  const time = DateTime.fromObject({ year, month, day, hour, minute }, { zone })
  return DateTime.min(time, ...time.getPossibleOffsets())
}

function recurringFrom(
  recurrence: Recurrence,
  { time, dated, here }: { time: Clock | null; dated: ParsedResult | null; here: DateTime },
): ReminderTime {
  if (recurrence.unit === 'minute' || recurrence.unit === 'hour') {
    const from = here.plus({ [`${recurrence.unit}s`]: recurrence.every })
    return { kind: 'recurring', from: from.toJSDate(), recurrence }
  }
  if (time === null) return { kind: 'no_time', hasDay: true, isRecurring: true }
  const clock = `${String(time.hour).padStart(2, '0')}:${String(time.minute).padStart(2, '0')}`
  const day = dated === null ? here : dayOf(dated, here)
  const at = onDay(day, time)
  const isAhead = dated !== null && at > here
  return { kind: 'recurring', from: (isAhead ? at : here).toJSDate(), recurrence: { ...recurrence, time: clock } }
}

/** Next day with this number, in the first month that has it: "on the 15th". */
function dayOfMonth(day: number, here: DateTime): DateTime {
  let month = here.startOf('month')
  while ((month.daysInMonth ?? 0) < day || month.set({ day }) < here.startOf('day')) {
    month = month.plus({ months: 1 })
  }
  return month.set({ day })
}
