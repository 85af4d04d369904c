import type { Language, Recurrence } from '@mira/shared'
import type { ParsedResult } from 'chrono-node'
import { DateTime } from 'luxon'
import { dateParsers, type RequestContext } from './reading.ts'
import { recurrenceWords, units } from './recurrence-words.ts'
import { holidayIn, sayings, withPlainDays } from './reminder-sayings.ts'
import {
  countedWeekdayPatterns,
  daysOfEachMonth,
  daysOfMonth,
  dayWords,
  formerPatterns,
  leadingWords,
  leapDays,
  minusPatterns,
  monthsAlone,
  partsOfDay,
  relativeHours,
  timeRewrites,
  weekdayPatterns,
} from './reminder-time-words.ts'

/** Due time, as parsed from a sentence. */
export type ReminderTime =
  | { kind: 'at'; at: Date }
  /** From now on, at its first time. */
  | { kind: 'recurring'; from: Date; recurrence: Recurrence }
  /** The time is over, or lies before now. */
  | { kind: 'past' }
  /** Clocks go forward over it on that day: `later` is the time by which they go on. */
  | { kind: 'skipped'; skipped: DateTime; later: DateTime }
  /** A day without a time, or neither. */
  | { kind: 'no_time'; hasDay: boolean; isRecurring?: true }

const months: Record<Language, Intl.DateTimeFormat> = {
  en: new Intl.DateTimeFormat('en-GB', { month: 'long', timeZone: 'UTC' }),
  es: new Intl.DateTimeFormat('es', { month: 'long', timeZone: 'UTC' }),
  fr: new Intl.DateTimeFormat('fr', { month: 'long', timeZone: 'UTC' }),
  de: new Intl.DateTimeFormat('de', { month: 'long', timeZone: 'UTC' }),
}
const MAX_EVERY = 1000

/** A day as the parser of a language surely reads it. */
function writeDay(day: DateTime, language: Language): string {
  const month = months[language].format(new Date(Date.UTC(2000, day.month - 1, 1)))
  if (language === 'es') return `${day.day} de ${month} de ${day.year}`
  return language === 'de' ? `${day.day}. ${month} ${day.year}` : `${day.day} ${month} ${day.year}`
}

/** Splits a sentence into its time and the rest, adding phrases that the date parser doesn't know. */
export function readReminderTime(sentence: string, reader: RequestContext): { time: ReminderTime; rest: string } {
  const { language, timeZone, now } = reader
  const here = DateTime.fromJSDate(now, { zone: timeZone })
  if (countedWeekdayPatterns[language].test(sentence)) {
    return { time: { kind: 'no_time', hasDay: false }, rest: sentence }
  }
  if (minusPatterns.test(sentence) || formerPatterns[language].test(sentence)) {
    return { time: { kind: 'past' }, rest: sentence }
  }

  const said = sayings[language].reduce((text, [pattern, rewrite]) => text.replace(pattern, rewrite), sentence)
  const dayed = withPlainDays(said, here, language, (day) => writeDay(day, language))
  if (dayed === null) return { time: { kind: 'no_time', hasDay: false }, rest: sentence }
  const monthly = daysOfEachMonth[language].find(([pattern]) => pattern.test(dayed))
  const plain = monthly === undefined ? dayed : dayed.replace(...monthly)
  const { recurrence, rest: onceText } = readRecurrence(plain, language)
  let text = onceText
  for (const [pattern, minutes] of relativeHours[language]) {
    const match = pattern.exec(text)
    if (match === null) continue
    const at = here.plus({ minutes: minutes(match) }).toJSDate()
    return { time: { kind: 'at', at }, rest: without(text, [[match.index, match[0].length]], language) }
  }
  for (const [pattern, away] of dayWords[language]) {
    const day = here.plus(typeof away === 'number' ? { days: away } : away)
    text = text.replace(
      pattern,
      (_all, tail: unknown) => `${writeDay(day, language)}${typeof tail === 'string' ? tail : ''}`,
    )
  }
  text = text.replace(leapDays[language], () => writeDay(nextLeapDay(here), language))
  text = text.replace(daysOfMonth[language], (_all, day: string) => writeDayOfMonth(Number(day), here, language))
  for (const [pattern, rewrite] of timeRewrites[language]) text = text.replace(pattern, rewrite)
  const part = partsOfDay[language].find(([pattern]) => pattern.test(text))

  const results = parse(text, here, language)
  const timed = results.find((result) => result.start.isCertain('hour')) ?? null
  const dated = [timed, ...results].find((result) => result !== null && isDated(result)) ?? null
  // "in June at 9", and days that no month has, such as April 31
  if (dated === null && (timed?.start.isCertain('month') || monthsAlone[language]?.test(text))) {
    return { time: { kind: 'no_time', hasDay: false }, rest: sentence }
  }
  const holiday = dated === null && recurrence === null ? holidayIn(sentence, here, language) : null
  if (holiday !== null) {
    const { index, length, day } = holiday
    if (day === null) return { time: { kind: 'no_time', hasDay: false }, rest: sentence }
    const rest = `${sentence.slice(0, index)} ${writeDay(day, language)} ${sentence.slice(index + length)}`
    return readReminderTime(rest, reader)
  }
  const spans = [timed, dated].flatMap((result) =>
    result === null ? [] : [[result.index, result.text.length] as Span],
  )

  if (timed?.start.isCertain('second') === true && recurrence === null) {
    // a length of time is counted in real minutes, whatever clocks do meanwhile
    const at = new Date(now.getTime() + timed.start.date().getTime() - wallDate(here).getTime())
    return { time: at < now ? { kind: 'past' } : { kind: 'at', at }, rest: without(text, spans, language) }
  }
  const clock = timed ? { hour: timed.start.get('hour') ?? 0, minute: timed.start.get('minute') ?? 0 } : null
  const vague = part === undefined || clock !== null ? null : { hour: part[1], minute: 0 }
  const length = dated !== null && clock === null && vague === null ? lengthOfDays(dated, here) : null
  const time = clock && timed ? afternoonOf(clock, timed.text, text, language) : (vague ?? length)
  const partSaid = part?.[0].exec(text)
  if (partSaid && (vague || (timed && isBeside(text, partSaid, timed)))) {
    spans.push([partSaid.index, partSaid[0].length])
  }
  const rest = without(text, spans, language)

  if (recurrence !== null) {
    return { time: recurringFrom(recurrence, { time, dated, here }), rest }
  }
  if (time === null) return { time: { kind: 'no_time', hasDay: dated !== null }, rest }
  return { time: onceAt(time, { dated, here }), rest }
}

function nextLeapDay(here: DateTime): DateTime {
  for (let year = here.year; ; year++) {
    const day = DateTime.fromObject({ year, month: 2, day: 29 }, { zone: here.zone })
    if (day.isValid && day >= here.startOf('day')) return day
  }
}

/** True for a part of the day that only says more of a time beside it: "morgens um 7". */
function isBeside(text: string, { 0: phrase, index }: RegExpExecArray, timed: ParsedResult): boolean {
  const [end, timedEnd] = [index + phrase.length, timed.index + timed.text.length]
  const between = index < timed.index ? text.slice(end, timed.index) : text.slice(timedEnd, index)
  return end <= timed.index || index >= timedEnd ? /^[\s,]*$/.test(between) : false
}

type Clock = { hour: number; minute: number }
type Span = [index: number, length: number]

function isDated(result: ParsedResult): boolean {
  const { start } = result
  // the parser isn't certain of the day in "in two months"
  return start.isCertain('day') || start.isCertain('weekday') || result.tags().has('result/relativeDate')
}

/** The reader's wall clock in the machine's time zone; only its fields are read. */
function wallDate({ year, month, day, hour, minute, second }: DateTime): Date {
  return new Date(year, month - 1, day, hour, minute, second)
}

function parse(text: string, here: DateTime, language: Language): ParsedResult[] {
  return dateParsers[language].parse(text, wallDate(here), { forwardDate: true })
}

/** The same time of day after days, weeks, months: "in two weeks"; null for a day that is named. */
function lengthOfDays(dated: ParsedResult, here: DateTime): Clock | null {
  return /^(?:in|en|dentro|dans)\b/i.test(dated.text) && /\d|\b(?:an?|una?|une?|ein\w*)\b/i.test(dated.text)
    ? { hour: here.hour, minute: here.minute }
    : null
}

/** In English "at 5" is the afternoon, where nothing says otherwise. */
function afternoonOf(clock: Clock, clockText: string, text: string, language: Language): Clock {
  const isBare = /(?:^|\s)(?:at|@)?\s*[1-7]$/i.test(clockText) && !/\b(?:morning|a\.?m)\b/i.test(text)
  return language === 'en' && isBare && clock.hour < 8 ? { ...clock, hour: clock.hour + 12 } : clock
}

/** The parsed day: on or after today, unless it names a past day. */
function dayOf(dated: ParsedResult, here: DateTime): DateTime {
  const { start } = dated
  return DateTime.fromObject(
    { year: start.get('year') ?? here.year, month: start.get('month') ?? 1, day: start.get('day') ?? 1 },
    { zone: here.zone },
  )
}

function onceAt(time: Clock, { dated, here }: { dated: ParsedResult | null; here: DateTime }): ReminderTime {
  const startDay = dated === null ? here : dayOf(dated, here)
  let at = onDay(startDay, time)
  if (at <= here) {
    const isWeekday = dated !== null && !dated.start.isCertain('day')
    if (dated !== null && !isWeekday) return { kind: 'past' }
    at = onDay(startDay.plus({ days: isWeekday ? 7 : 1 }), time)
  }
  // different fields mean a time that daylight saving skips
  if (at.hour !== time.hour || at.minute !== time.minute) {
    const skipped = DateTime.fromObject(
      { year: at.year, month: at.month, day: at.day, hour: time.hour, minute: time.minute },
      { zone: 'UTC' },
    )
    return { kind: 'skipped', skipped, later: at }
  }
  return { kind: 'at', at: at.toJSDate() }
}

/** A time on a day; the first one when clocks show it twice. */
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

function readRecurrence(sentence: string, language: Language): { recurrence: Recurrence | null; rest: string } {
  const { fixed, every, other } = recurrenceWords[language]
  for (const [pattern, recurrence] of fixed) {
    const match = pattern.exec(sentence)
    if (match) return { recurrence, rest: without(sentence, [[match.index, match[0].length]], language) }
  }
  const weekdays = weekdayPatterns[language]
  const names = weekdays.map(({ source }) => source).join('|')
  const weekly = new RegExp(
    `(?:${every})\\s+((?:${other})\\s+)?((?:${names})(?:(?:\\s*,\\s*|\\s+(?:and|y|et|und)\\s+)(?:${every}\\s+)?(?:${names}))*)(?!\\p{L})`,
    'iu',
  ).exec(sentence)
  if (weekly) {
    const dayWords = (weekly[2] ?? '').split(/\s*,\s*|\s+(?:and|y|et|und)\s+/iu)
    const days = dayWords.flatMap((word) => {
      const day = weekdays.findIndex(({ source }) =>
        new RegExp(`^(?:(?:${every})\\s+)?(?:${source})$`, 'iu').test(word),
      )
      return day === -1 ? [] : [day + 1]
    })
    const recurrence: Recurrence = {
      every: weekly[1] === undefined ? 1 : 2,
      unit: 'week',
      weekdays: [...new Set(days)].sort((a, b) => a - b),
    }
    return { recurrence, rest: without(sentence, [[weekly.index, weekly[0].length]], language) }
  }
  for (const [unit, pattern] of units[language]) {
    const match = new RegExp(`(?:${every})\\s+(?:(\\d{1,4})\\s+|(${other})\\s+)?(?:${pattern})(?!\\p{L})`, 'iu').exec(
      sentence,
    )
    if (!match) continue
    const count = match[1] === undefined ? (match[2] === undefined ? 1 : 2) : Number(match[1])
    if (count < 1 || count > MAX_EVERY) continue
    const rest = without(sentence, [[match.index, match[0].length]], language)
    return { recurrence: { every: count, unit }, rest }
  }
  return { recurrence: null, rest: sentence }
}

/** "on the 15th": the next day of that number, in the first month that has it. */
function writeDayOfMonth(day: number, here: DateTime, language: Language): string {
  const number = Math.min(31, Math.max(1, day))
  let month = here.startOf('month')
  while ((month.daysInMonth ?? 0) < number || month.set({ day: number }) < here.startOf('day')) {
    month = month.plus({ months: 1 })
  }
  return writeDay(month.set({ day: number }), language)
}

function without(text: string, spans: Span[], language: Language): string {
  const inOrder = [...spans].sort((a, b) => b[0] - a[0])
  let rest = text
  let before = Number.POSITIVE_INFINITY
  for (const [index, length] of inOrder) {
    if (index >= before) continue
    const head = rest.slice(0, index).replace(leadingWords[language], '')
    rest = `${head} ${rest.slice(Math.min(index + length, before))}`
    before = head.length
  }
  return rest
}
