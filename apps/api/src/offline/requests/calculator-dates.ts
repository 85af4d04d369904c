import { isoDayIn } from '../../platform/lib/time-zone-offset.ts'
import { timeWords } from '../phrases/words/index.ts'
import { monthSources } from './calendar-names.ts'
import { dateParsers, type RequestContext } from './reading.ts'

/** A day without a time: month 1 to 12. */
export interface CalendarDay {
  year: number
  month: number
  day: number
}

/** Calculation with days. */
export type DateCalculation =
  | { kind: 'days-between'; from: CalendarDay; to: CalendarDay; isInWeeks: boolean }
  | { kind: 'day-at'; from: CalendarDay; days: number }

/** Named days, with month (1 to 12) and day. */
const namedDays: readonly [RegExp, number, number][] = [
  [/\b(?:christmas eve|heiligabend|heilig abend|nochebuena|réveillon de noël)\b/iu, 12, 24],
  [/\b(?:christmas(?: day)?|weihnachten|navidad|noël)\b/iu, 12, 25],
  [/\b(?:new year'?s eve|silvester|nochevieja|saint[- ]sylvestre)\b/iu, 12, 31],
  [/\b(?:new year'?s?(?: day)?|neujahr|año nuevo|nouvel an)\b/iu, 1, 1],
  [/\b(?:valentine'?s day|valentinstag|san valentín|saint[- ]valentin)\b/iu, 2, 14],
  [/\b(?:halloween)\b/iu, 10, 31],
]

/** Today in the user's time zone. */
export function today({ now, timeZone }: Pick<RequestContext, 'now' | 'timeZone'>): CalendarDay {
  const [year = 0, month = 0, day = 0] = isoDayIn(timeZone, now).split('-').map(Number)
  return { year, month, day }
}

const dayParts = ['weekday', 'day', 'month', 'year'] as const
/** Words before a day that still belong to it: "the next", "el". */
const beforeDay = /^(?:(?:the|my|this|next|coming|el|la|los|las|este|esta|pr[oó]xim[oa])\s+)*/iu
/** A month before its day, which the parsers take for a month of a year: "June 15" for June 2015. */
const daysAfterMonth: readonly [RegExp, string][] = [
  [
    new RegExp(
      String.raw`\b(${monthSources.en}|(?:${timeWords.en.shortMonths.join('|')})\b)\.? (?:the )?(\d{1,2})(?:st|nd|rd|th)?(?![\d:\p{L}])`,
      'giu',
    ),
    '$2 $1',
  ],
  [new RegExp(String.raw`(?<!\p{L}|de )(${monthSources.es}) (\d{1,2})(?![\d:\p{L}])`, 'giu'), '$2 de $1'],
]

const isAfter = (one: CalendarDay, other: CalendarDay) => daysSinceEpoch(one) > daysSinceEpoch(other)
const DAY_MS = 86_400_000
const daysSinceEpoch = ({ year, month, day }: CalendarDay) => Date.UTC(year, month - 1, day) / DAY_MS

/** The last day of a month and day that isn't after another one. */
function lastUntil(until: CalendarDay, month: number, day: number): CalendarDay {
  const ofSameYear = { year: until.year, month, day }
  return isAfter(ofSameYear, until) ? { year: until.year - 1, month, day } : ofSameYear
}

/** The day a week before. */
function weekBefore(day: CalendarDay): CalendarDay {
  const date = new Date((daysSinceEpoch(day) - 7) * DAY_MS)
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() }
}

/**
 * Day named in a text; null for none. One without a year is the next from today, or the last that isn't after `until`.
 * `isAtStart` requires it to open the text.
 */
function readDay(
  text: string,
  reader: RequestContext,
  { until = null, isAtStart = false }: { until?: CalendarDay | null; isAtStart?: boolean } = {},
): CalendarDay | null {
  const now = today(reader)
  const maxIndex = isAtStart ? (beforeDay.exec(text)?.[0].length ?? 0) : text.length
  for (const [pattern, month, day] of namedDays) {
    const index = text.search(pattern)
    if (index === -1 || index > maxIndex) continue
    const year = Number(/\b(\d{4})\b/.exec(text)?.[1] ?? 0)
    if (year > 0) return { year, month, day }
    if (until !== null) return lastUntil(until, month, day)
    const ofThisYear = { year: now.year, month, day }
    return isAfter(now, ofThisYear) ? { year: now.year + 1, month, day } : ofThisYear
  }
  // Noon, so that the machine's time zone doesn't shift the day.
  const reference = new Date(now.year, now.month - 1, now.day, 12)
  const written = daysAfterMonth.reduce((rest, [pattern, replacement]) => rest.replace(pattern, replacement), text)
  for (const parser of [dateParsers[reader.language], dateParsers.en]) {
    const [match] = parser.parse(written, reference, { forwardDate: true })
    // "how long until 5pm" is a question for hours.
    if (!match || match.index > maxIndex || !dayParts.some((part) => match.start.isCertain(part))) continue
    const [year, month, day] = [match.start.get('year'), match.start.get('month'), match.start.get('day')]
    if (year === null || month === null || day === null) continue
    const next = { year, month, day }
    if (until === null || match.start.isCertain('year')) return next
    if (match.start.isCertain('month')) return lastUntil(until, month, day)
    return isAfter(next, until) ? weekBefore(next) : next
  }
  return null
}

const countWords =
  'how(?: (?:many|much))?|number of|count|wie(?: ?viele?)?|anzahl(?: der)?|cu[aá]nt[oa]s?(?: tiempo)?|combien de|nombre de'
/** Words of a question for a count, right before its unit; none in "days until Christmas". */
const countBefore = new RegExp(
  String.raw`^(?:(?:\S+ ){0,6}?[¿¡(]?(?:${countWords}) )?(?:(?:the|more|other|die|noch|los|las|les) )?$`,
  'iu',
)

const englishFillers =
  "(?:is|are|was|it|it's|there|left|remaining|remains?|more|still|go|do|does|i|we|you|have|has|got|will|be|been|passed|gone|by|elapsed|from|now|today|exactly|wait|to(?= (?:go|wait)))"
const germanFillers =
  '(?:sind|ist|waren|es|noch|her|dauert|haben|habe|wir|ich|uns|mir|bleiben|bleibt|verbleiben|übrig|zeit|schon|genau|eigentlich|denn|von|heute|ab|jetzt|warten)'
const spanishFillers =
  '(?:faltan?|quedan?|hay|son|me|nos|todavía|aún|exactamente|desde hoy|han|ha|pasado|transcurridos?)'
const frenchFillers =
  "(?:reste|restent|reste-t-il|restent-ils?|y|a-t-il|il|nous|me|encore|sont|se|s'est|écoulés?|passés?|ont|exactement)"

/**
 * Question for the days to or since a day. With other words than these between the unit and the day, it's about something else:
 * "how many days did it rain before Friday". After `strict`, the day must come at once, unlike in "how long does it take to …".
 */
const until = new RegExp(
  String.raw`(?<!\p{L})(?:(?:days?|weeks?|sleeps|long)(?: ${englishFillers})* (?:until|till|til|before)|(?:days?|weeks?|sleeps)(?: ${englishFillers})* (?<strict>to)|(?:tage|wochen|lange)(?: ${germanFillers})* bis(?: zum?)?|(?:días|semanas|faltan?|quedan?)(?: ${spanishFillers})* (?:hasta|(?<estricto>para))|(?:jours|semaines)(?: ${frenchFillers})* (?:jusqu(?:e|'(?:au|à|en))|avant)) (?<day>.+)$`,
  'iu',
)
const since = new RegExp(
  String.raw`(?<!\p{L})(?:(?:days?|weeks?|long)(?: ${englishFillers})* since|(?:tage|wochen|lange)(?: ${germanFillers})* seit(?: dem)?|(?:días|semanas)(?: ${spanishFillers})* desde|(?:jours|semaines)(?: ${frenchFillers})* depuis) (?<day>.+)$`,
  'iu',
)
const between = new RegExp(
  String.raw`(?<!\p{L})(?:days|weeks|tage|wochen|días|semanas|jours|semaines)(?: (?:${englishFillers}|${germanFillers}|${spanishFillers}|${frenchFillers}))* (?:between|zwischen|entre|from|vo[nm]|desde|del?|du) (?<from>.+?) (?:and|und|y|et|to|until|till|through|bis(?: zum)?|hasta|al?|au) (?<to>.+)$`,
  'iu',
)
const fromNow =
  /(?<count>\d{1,6})\s*(?<unit>days?|weeks?|tagen?|wochen?|días?|semanas?|jours?|semaines?)\s*(?:(?:from|after|ab|nach|a partir de|après|à partir (?:de|du))\s*(?<day>.+)|(?:ago|später)\b)?/iu
const asksForDay =
  /\b(?:what (?:day|date)|which (?:day|date)|when is|welche[rs]? (?:tag|datum)|wann ist|qué (?:día|fecha)|quel(?:le)? (?:jour|date))\b|(?:\bwhen was|\bwann war|(?:^|\b(?:the|das|la) )(?:day|date|datum|fecha)(?: (?:was|is|war|era|fue|est|était))?) (?=(?:(?:in|vor|hace|dentro de|en|il y a|dans) )?\d)/iu

/**
 * Reads a sentence as a question about days; null when it isn't one.
 * @param openings words before the question itself
 */
export function readDates(text: string, openings: RegExp, reader: RequestContext): DateCalculation | null {
  // Runs of spaces and line breaks would slow down the patterns below.
  const sentence = text.replace(/\s+/gu, ' ').replace(/[?!.]+$/u, '')
  const plain = sentence.replace(openings, '')
  const isInWeeks = /\b(?:weeks|wochen|semanas|semaines)\b/i.test(sentence)
  const countOf = (pattern: RegExp) => {
    const match = pattern.exec(plain)
    return match !== null && countBefore.test(plain.slice(0, match.index)) ? match.groups : undefined
  }
  const range = countOf(between)
  if (range) {
    const to = readDay(range.to ?? '', reader)
    // Without a year, both are the days of one period: "between 3 March and 7 July".
    const from = to && readDay(range.from ?? '', reader, { until: to })
    if (from && to) return { kind: 'days-between', from, to, isInWeeks }
  }
  const ahead = countOf(until)
  if (ahead?.day) {
    const to = readDay(ahead.day, reader, { isAtStart: (ahead.strict ?? ahead.estricto) !== undefined })
    if (to) return { kind: 'days-between', from: today(reader), to, isInWeeks }
  }
  const behind = countOf(since)
  if (behind?.day) {
    const from = readDay(behind.day, reader, { until: today(reader) })
    if (from) return { kind: 'days-between', from, to: today(reader), isInWeeks }
  }
  const isAlone =
    fromNow.exec(plain)?.index === 0 &&
    (/\bago$/iu.test(plain) || /\b(?:from|after|ab|nach|partir|après)\b/iu.test(plain))
  const shift = fromNow.exec(sentence)
  if (shift?.groups && (asksForDay.test(sentence) || isAlone)) {
    const from = shift.groups.day === undefined ? today(reader) : readDay(shift.groups.day, reader)
    const isWeeks = /^(?:week|woche|seman|semain)/i.test(shift.groups.unit ?? '')
    const isBack = /\b(?:ago|vor|hace|il y a)\b/iu.test(sentence)
    const days = Number(shift.groups.count) * (isWeeks ? 7 : 1) * (isBack ? -1 : 1)
    if (from) return { kind: 'day-at', from, days }
  }
  return null
}
