import { DateTime } from 'luxon'
import {
  around,
  type CalendarPeriod,
  latestBegun,
  latestEnded,
  nthLatestEnded,
  occurrenceInYear,
  type Span,
  type Unit,
  unitAround,
  unitsBefore,
} from './calendar.ts'
import { indexOfMatch, matchesAt, oneOf, relaxed, stickyPattern, wholeTextPattern } from './patterns.ts'
import { fullYear, type PeriodPart, partOfUnit, pieceOfMonth, thirdOf } from './pieces.ts'
import {
  namesOf,
  type PhraseLanguage,
  type PointMeaning,
  type TimeWords,
  weekdaysWithParts,
  yearWords,
} from './time-words.ts'
import { timeWords } from './words/index.ts'

/** Match of a pattern, whose time range depends on the day that counts as today. */
export interface Point {
  end: number
  /** Kind of a bare name, which means a time only next to certain words; null for other matches. */
  bareKind: keyof TimeWords['requiredBefore'] | null
  /** True for the name of a month, weekday, season or holiday, alone or after "last" or "this". */
  isNamed: boolean
  hasYear: boolean
  /** True for a part of a year without the year: "in March". */
  isYearly: boolean
  /** True for a day of a week without the week: "on Tuesday". */
  isWeekly: boolean
  isVague: boolean
  spanFrom(today: DateTime): Span | null
}

const EARLIEST_YEAR = 1900
/** Number of units meant by "a few days ago". */
const FEW = { min: 2, max: 5 }
const RECENT_DAYS = 30
const WEEKS_AROUND = 2
/** Maximum number of years between two 29ths of February. */
const YEARS_TO_LEAP_DAY = 8
const EVENING_HOUR = 17
const MORNING_HOUR = 6
const ISO_DATE = '(?<isoYear>(?:19|20)\\d\\d)-(?<isoMonth>\\d\\d)(?:-(?<isoDay>\\d\\d))?'
// Slashes in a path, a file name or the number of a document don't make a date.
const SLASHED_DATE =
  '(?<![\\w/.-]|(?<!\\p{L})(?:no|nr|núm|n°|nº|invoice|rechnung|factura|facture|file|clause|flat|section)[.:]?\\s)(?<isoYear>(?:19|20)\\d\\d)/(?<isoMonth>\\d\\d?)/(?<isoDay>\\d\\d?)(?!/|\\.\\w)'
const NUMERIC_DATE =
  '(?<dayNumber>\\d{1,2})(?:[./-]|\\. )(?<monthNumber>\\d{1,2})(?:[./-]|\\. )(?<year>(?:19|20)\\d\\d)'

type Groups = Record<string, string | undefined>

/** Reader of one language's phrases. */
function createGrammar(words: TimeWords) {
  const names = namesOf(words)
  const weekdays = weekdaysWithParts(words)
  const placeholders: Record<string, string> = {
    n: `(?<n>\\d{1,2}|${words.numbers.join('|')})`,
    day: `(?:(?<day>\\d{1,2})${words.ordinal}|${words.first})`,
    firstDay: `(?<firstDay>\\d{1,2})${words.ordinal}`,
    firstMonth: `(?<firstMonth>${words.months.join('|')})`,
    unit: `(?<unit>${Object.values(words.units).join('|')})`,
    month: `(?<named>${words.months.join('|')})`,
    shortMonth: `(?<named>${[...words.months, ...words.shortMonths].join('|')})`,
    weekday: `(?:${weekdays.join('|')})`,
    namedWeekday: `(?<named>${weekdays.join('|')})`,
    named: `(?<named>${names.map(([source]) => source).join('|')})`,
    part: `(?<part>${Object.values(words.parts).join('|')})`,
    rank: `(?<rank>${words.ranks.join('|')})`,
    piece: `(?<piece>${[...Object.values(words.pieces), ...weekdays].join('|')})`,
    quarter: '(?<quarter>[1-4])',
    decadeWord: `(?<decadeWord>${words.decades.join('|')})`,
    // "winter 2019/20" begins in 2019
    span: '(?:[/–-](?:\\d\\d)?\\d\\d)?',
    // Elsewhere, such a number is a count, a price or an age: "12 june 90 minutes".
    shortYear: '(?<shortYear>[6-9]\\d)(?=\\s*(?:$|,\\s|[-–—]\\s))',
    year: `(?:(?<year>(?:19|20)\\d\\d)|'(?<shortYear>\\d\\d)|(?<yearBefore>${yearWords(words, 'lastUnit')})|(?<thisYear>${yearWords(words, 'thisUnit')}))`,
    // "the 1900s" may be the century
    decade: "(?:(?<decadeYear>(?:19[1-9]|20\\d)0)|'?(?<decade>[2-9]0))",
  }
  const compile = (template: string) =>
    stickyPattern(template.replace(/\{(\w+)\}/g, (_all, name: string) => placeholders[name] ?? name))
  const points = Object.entries(words.points).flatMap(([meaning, templates]) =>
    templates.map((template) => ({ meaning: meaning as PointMeaning, pattern: compile(template) })),
  )
  for (const [meaning, templates = []] of [
    ['weekOfDate', words.points.date],
    ['dayRange', words.points.dayRange],
  ] as const) {
    for (const template of templates) points.push({ meaning, pattern: compile(`(?:${words.weekOf}) (?:${template})`) })
  }
  points.push({ meaning: 'date', pattern: stickyPattern(ISO_DATE) })
  points.push({ meaning: 'date', pattern: stickyPattern(SLASHED_DATE) })
  points.push({ meaning: 'date', pattern: stickyPattern(NUMERIC_DATE) })
  const anyPoint = oneOf(points.map(({ pattern }) => pattern))

  const readNamed = (text: string | undefined): CalendarPeriod | null =>
    names.find(([source]) => wholeTextPattern(source).test(text ?? ''))?.[1] ?? monthOf(words.shortMonths, text)
  const readNumber = (text = ''): number =>
    /^\d+$/.test(text) ? Number(text) : words.numbers.findIndex((source) => wholeTextPattern(source).test(text)) + 1
  const readUnit = (text = ''): Unit =>
    (Object.keys(words.units) as Unit[]).find((unit) => wholeTextPattern(words.units[unit]).test(text)) ?? 'day'
  const readPiece = (text = ''): keyof TimeWords['pieces'] =>
    (['week', 'weekend', 'half', 'quarter'] as const).find((piece) =>
      wholeTextPattern(words.pieces[piece]).test(text),
    ) ?? 'week'
  const readPart = (text = ''): PeriodPart =>
    (['begin', 'middle', 'end'] as const).find((part) => wholeTextPattern(words.parts[part]).test(text)) ?? 'begin'

  const readYear = (groups: Groups, today: DateTime): number | null => {
    if (groups.yearBefore !== undefined) return today.year - 1
    if (groups.thisYear !== undefined) return today.year
    const short = groups.shortYear === undefined ? 0 : fullYear(Number(groups.shortYear), today)
    const year = Number(groups.year ?? groups.isoYear ?? short)
    return year >= EARLIEST_YEAR && year <= today.year ? year : null
  }

  /** Occurrence in the stated year, or the latest one when no year is stated; null for an impossible year. */
  const ofStatedYear = (named: CalendarPeriod, groups: Groups, today: DateTime): Span | null => {
    if (!hasYear(groups)) return latestBegun(named, today)
    const year = readYear(groups, today)
    return year === null ? null : occurrenceInYear(named, year, today)
  }

  const readers: Record<PointMeaning, (groups: Groups, today: DateTime) => Span | null> = {
    today: (_groups, today) => unitAround(today, 'day'),
    yesterday: (_groups, today) => unitAround(today.minus({ days: 1 }), 'day'),
    dayBeforeYesterday: (_groups, today) => unitAround(today.minus({ days: 2 }), 'day'),
    lastNight: (_groups, today) => ({
      from: today.startOf('day').minus({ days: 1 }).set({ hour: EVENING_HOUR }),
      to: today.startOf('day').set({ hour: MORNING_HOUR }),
    }),
    thisUnit: ({ unit }, today) => unitAround(today, readUnit(unit)),
    lastUnit: ({ unit }, today) => unitAround(unitsBefore(today, 1, readUnit(unit)), readUnit(unit)),
    unitBeforeLast: ({ unit }, today) => unitAround(unitsBefore(today, 2, readUnit(unit)), readUnit(unit)),
    lastQuarter: (_groups, today) => {
      const from = today.minus({ quarters: 1 }).startOf('quarter')
      return { from, to: from.plus({ quarters: 1 }) }
    },
    weekdayOfLastWeek: ({ named }, today) =>
      withNamed(readNamed(named), (one) => latestBegun(one, unitAround(today, 'week').from)),
    pastUnits: ({ n, unit, half, single }, today) => ({
      from:
        half === undefined
          ? unitsBefore(
              today.startOf('day'),
              single !== undefined ? 1 : n === undefined ? FEW.max : readNumber(n),
              readUnit(unit),
            )
          : unitsBefore(today.startOf('day'), 6, 'month'),
      to: today.startOf('day').plus({ days: 1 }),
    }),
    unitsAgo: ({ n, unit, half, fortnight }, today) => {
      if (half !== undefined) return unitAround(unitsBefore(today, 6, 'month'), 'month')
      if (fortnight !== undefined) return unitAround(unitsBefore(today, 2, 'week'), 'week')
      return unitAround(unitsBefore(today, readNumber(n), readUnit(unit)), readUnit(unit))
    },
    fewUnitsAgo: ({ unit }, today) => ({
      from: unitAround(unitsBefore(today, FEW.max, readUnit(unit)), readUnit(unit)).from,
      to: unitAround(unitsBefore(today, FEW.min, readUnit(unit)), readUnit(unit)).to,
    }),
    recently: (_groups, today) => ({
      from: today.startOf('day').minus({ days: RECENT_DAYS }),
      to: today.plus({ days: 1 }),
    }),
    lastNamed: ({ named }, today) => withNamed(readNamed(named), (one) => latestEnded(one, today)),
    thisNamed: ({ named }, today) => withNamed(readNamed(named), (one) => latestBegun(one, today)),
    named: ({ named }, today) => withNamed(readNamed(named), (one) => latestBegun(one, today)),
    namedOfYear: (groups, today) => {
      const year = readYear(groups, today)
      return year === null ? null : withNamed(readNamed(groups.named), (one) => occurrenceInYear(one, year, today))
    },
    partOfMonth: (groups, today) => {
      const month = withNamed(readNamed(groups.named), (one) => ofStatedYear(one, groups, today))
      return month && thirdOf(month, readPart(groups.part), 10, 'days')
    },
    partOfYear: (groups, today) => {
      const year = readYear(groups, today)
      const span = year ? unitAround(today.set({ year, month: 1, day: 1 }), 'year') : null
      return span && thirdOf(span, readPart(groups.part), 4, 'months')
    },
    date: (groups, today) => readDate(groups, today, readNamed(groups.named), readYear(groups, today)),
    weekOfDate: (groups, today) => {
      const day = readers.date(groups, today)
      return day && unitAround(day.from, 'week')
    },
    dayRange: ({ firstDay, day, ...groups }, today) => {
      const first = readDate({ ...groups, day: firstDay }, today, readNamed(groups.named), readYear(groups, today))
      const last = first?.from.set({ day: Number(day ?? 1) })
      const isInOrder = first && last && last > first.from && last.month === first.from.month
      return isInOrder ? { from: first.from, to: last.plus({ days: 1 }) } : null
    },
    monthRange: (groups, today) => {
      const last = withNamed(readNamed(groups.named), (one) => ofStatedYear(one, groups, today))
      const first = last && withNamed(readNamed(groups.firstMonth), (one) => latestBegun(one, last.from))
      return first && { from: first.from, to: last.to }
    },
    thisYear: (_groups, today) => unitAround(today, 'year'),
    timeLastYear: (_groups, today) => {
      const day = today.startOf('day').minus({ years: 1 })
      return { from: day.minus({ days: WEEKS_AROUND * 7 }), to: day.plus({ days: WEEKS_AROUND * 7 + 1 }) }
    },
    dayYearsAgo: ({ n }, today) => unitAround(unitsBefore(today, n === undefined ? 1 : readNumber(n), 'year'), 'day'),
    turnOfYear: (groups, today) => ofStatedYear({ kind: 'holiday', holiday: 'turnOfYear' }, groups, today),
    namedAgo: ({ n, named }, today) => withNamed(readNamed(named), (one) => nthLatestEnded(one, readNumber(n), today)),
    namedBeforeLast: ({ named }, today) => withNamed(readNamed(named), (one) => nthLatestEnded(one, 2, today)),
    aroundNamed: (groups, today) =>
      withNamed(readNamed(groups.named), (one) => {
        const span = ofStatedYear(one, groups, today)
        return span && around(one, span)
      }),
    pieceOfMonth: (groups, today) => {
      const month = withNamed(readNamed(groups.named), (one) => ofStatedYear(one, groups, today))
      const weekday = indexOfMatch(weekdays, groups.piece) + 1
      return month && pieceOfMonth(month, indexOfMatch(words.ranks, groups.rank), weekday || readPiece(groups.piece))
    },
    pieceOfYear: (groups, today) => {
      const year = readYear(groups, today)
      const piece = groups.quarter === undefined ? readPiece(groups.piece) : 'quarter'
      if (year === null || (piece !== 'quarter' && piece !== 'half')) return null
      const count = piece === 'quarter' ? 4 : 2
      const rank = groups.quarter === undefined ? indexOfMatch(words.ranks, groups.rank) : Number(groups.quarter) - 1
      const index = Math.min(rank, count - 1)
      const from = today.set({ year, month: 1 + (index * 12) / count, day: 1 }).startOf('day')
      return from > today ? null : { from, to: from.plus({ months: 12 / count }) }
    },
    partOfThisUnit: ({ unit, part }, today) =>
      partOfUnit(unitAround(today, readUnit(unit)), readUnit(unit), readPart(part)),
    partOfLastUnit: ({ unit, part }, today) =>
      partOfUnit(unitAround(unitsBefore(today, 1, readUnit(unit)), readUnit(unit)), readUnit(unit), readPart(part)),
    numericDate: (groups, today) => readDate(groups, today, null, readYear(groups, today)),
    numericDay: (groups, today) => readDate(groups, today, null, readYear(groups, today)),
    year: (groups, today) => {
      const year = readYear(groups, today)
      return year ? unitAround(today.set({ year, month: 1, day: 1 }), 'year') : null
    },
    decade: ({ decade, decadeYear, decadeWord }, today) => {
      const short = decade === undefined ? 20 + 10 * indexOfMatch(words.decades, decadeWord) : Number(decade)
      const year = decadeYear === undefined ? fullYear(short, today) : Number(decadeYear)
      const from = today.set({ year, month: 1, day: 1 }).startOf('day')
      return from > today ? null : { from, to: from.plus({ years: 10 }) }
    },
  }

  const pointAt = (text: string, index: number): Point | null => {
    if (!matchesAt(anyPoint, text, index)) return null
    let best: Point | null = null
    for (const { meaning, pattern } of points) {
      pattern.lastIndex = index
      const match = pattern.exec(text)
      if (match === null) continue
      const end = index + match[0].length
      if (best !== null && end <= best.end) continue
      const groups: Groups = match.groups ?? {}
      const named = readNamed(groups.named)
      const isOfYear = hasYear(groups)
      best = {
        end,
        bareKind: bareNameKind(meaning, named),
        isNamed: meaning === 'named' || meaning === 'lastNamed' || meaning === 'thisNamed',
        hasYear: isOfYear,
        isYearly: !isOfYear && yearlyMeanings.has(meaning) && named?.kind !== 'weekday' && named?.kind !== 'weekend',
        isWeekly: weeklyMeanings.has(meaning) && (named?.kind === 'weekday' || named?.kind === 'weekend'),
        isVague: meaning === 'recently',
        spanFrom: (today) => readers[meaning](groups, today),
      }
    }
    return best
  }
  return { words, pointAt, anyPoint }
}

const yearlyMeanings: ReadonlySet<PointMeaning> = new Set([
  'named',
  'date',
  'weekOfDate',
  'dayRange',
  'monthRange',
  'numericDay',
  'partOfMonth',
  'pieceOfMonth',
  'aroundNamed',
  'turnOfYear',
])

const weeklyMeanings: ReadonlySet<PointMeaning> = new Set(['named', 'thisNamed'])

function bareNameKind(meaning: PointMeaning, named: CalendarPeriod | null): Point['bareKind'] {
  if (meaning === 'named') return named?.kind ?? null
  return meaning === 'year' || meaning === 'decade' || meaning === 'numericDay' ? meaning : null
}

function monthOf(sources: readonly string[], text = ''): CalendarPeriod | null {
  const index = sources.findIndex((source) => wholeTextPattern(source).test(text))
  return index < 0 ? null : { kind: 'month', month: index + 1 }
}

function withNamed(named: CalendarPeriod | null, read: (named: CalendarPeriod) => Span | null): Span | null {
  return named && read(named)
}

function hasYear({ year, isoYear, shortYear, yearBefore, thisYear }: Groups): boolean {
  return (year ?? isoYear ?? shortYear ?? yearBefore ?? thisYear) !== undefined
}

/** A day or month in the stated year, or its latest past occurrence when no year is stated; null when there is none. */
function readDate(groups: Groups, today: DateTime, named: CalendarPeriod | null, year: number | null): Span | null {
  if (hasYear(groups) && year === null) return null
  const day = Number(groups.day ?? groups.isoDay ?? groups.dayNumber ?? 1)
  const month = named?.kind === 'month' ? named.month : Number(groups.isoMonth ?? groups.monthNumber)
  // 3/14/2025 can only be one day
  const isMonthFirst = groups.monthNumber !== undefined && month > 12
  const date = isMonthFirst ? { month: day, day: month } : { month, day }
  const years = year === null ? Array.from({ length: YEARS_TO_LEAP_DAY + 1 }, (_, ago) => today.year - ago) : [year]
  const from = years
    .map((ofYear) => DateTime.fromObject({ year: ofYear, ...date }, { zone: today.zone }))
    .find((one) => one.isValid && (year !== null || one <= today))
  if (from === undefined) return null
  const isMonth = groups.isoMonth !== undefined && groups.isoDay === undefined
  return { from, to: from.plus(isMonth ? { months: 1 } : { days: 1 }) }
}

export const grammars = Object.entries(timeWords).map(([language, words]) => {
  const { pointAt, anyPoint } = createGrammar(words)
  const joined = (source: string) => new RegExp(`(?:${relaxed(source)})(?:\\s+|(?<=['’-]))`, 'iuy')
  const within = joined(words.within)
  const requiredBefore = Object.entries(words.requiredBefore).map(([kind, source]) => ({
    kind,
    pattern: joined(source),
  }))
  const bounds = (['since', 'after', 'before', 'until'] as const).map((bound) => ({
    bound,
    pattern: joined(words[bound]),
  }))
  const between = words.between.map(([open, middle]) => ({ open: joined(open), middle: joined(` ${middle}`) }))
  const middles = words.between.slice(1).map(([, middle]) => `\\s+(?:${relaxed(middle)})\\s+`)
  const dash = new RegExp(['\\s*[-–—]\\s*', ...middles].join('|'), 'iuy')
  const begin = oneOf([
    ...[anyPoint, within],
    ...[...requiredBefore, ...bounds].map(({ pattern }) => pattern),
    ...between.map(({ open }) => open),
  ])
  return { language: language as PhraseLanguage, words, pointAt, within, requiredBefore, bounds, between, dash, begin }
})
export type Grammar = (typeof grammars)[number]
