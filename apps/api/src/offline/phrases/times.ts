import { DateTime } from 'luxon'
import { PICTURES } from './kinds.ts'
import { matchesAt } from './patterns.ts'
import { type Grammar, grammars, type Point } from './time-grammar.ts'
import type { PhraseLanguage } from './time-words.ts'

/** Time mentioned in a text. `from` or `to` is null when the range is open on that side. */
export interface TimePhrase {
  /** Range in the text: `begin` is inclusive, `end` exclusive. */
  begin: number
  end: number
  from: DateTime | null
  to: DateTime | null
  /** True for a part of a year without the year: "in March" may mean any year. */
  isYearly?: boolean
  /** True for "recently". */
  isVague?: boolean
}

interface MatchedTime extends TimePhrase {
  /** Reader for other years or weeks; undefined for a fixed time. */
  recurring?: Pick<Point, 'isWeekly' | 'spanFrom'>
}

/** Times mentioned in a text, in order, without overlaps. */
export function readTimes(text: string, today: DateTime, language: PhraseLanguage | null): TimePhrase[] {
  const times: MatchedTime[] = []
  const starts = /(?<![\p{L}\p{N}])[\p{L}\p{N}]/gu
  for (let start = starts.exec(text); start !== null; start = starts.exec(text)) {
    const phrases = grammars.flatMap((grammar) => timeAt(text, start.index, today, grammar, language) ?? [])
    const longest = phrases.sort((one, other) => other.end - one.end)[0]
    if (longest === undefined) continue
    times.push(longest)
    starts.lastIndex = longest.end
  }
  return times.map((time) => placeWithin(time, times, today))
}

/** Overlap of times ("in July" and "last year"), or the range that covers them all if they don't overlap; null without times. */
export function joinedTimes(times: readonly TimePhrase[]): Pick<TimePhrase, 'from' | 'to'> | null {
  if (times.length === 0) return null
  const begins = times.flatMap(({ from }) => from ?? [])
  const ends = times.flatMap(({ to }) => to ?? [])
  const [begin, end] = [DateTime.max(...begins), DateTime.min(...ends)]
  if (begin === undefined || end === undefined || begin < end) return { from: begin ?? null, to: end ?? null }
  const isOpen = (all: readonly DateTime[]) => all.length < times.length
  return {
    from: isOpen(begins) ? null : (DateTime.min(...begins) ?? null),
    to: isOpen(ends) ? null : (DateTime.max(...ends) ?? null),
  }
}

/** Moves a part of a year or week into another time of the text: "last year in summer", "on Tuesday last week". */
function placeWithin({ recurring, ...time }: MatchedTime, times: MatchedTime[], today: DateTime): TimePhrase {
  const { from, to } = time
  if (recurring === undefined || from === null || to === null) return time
  const { isWeekly, spanFrom } = recurring
  for (const other of times) {
    // A day of a week can be placed within a part of a year, although the year isn't stated either.
    const isInWeek = isWeekly && other.recurring?.isWeekly === false
    if ((other.recurring !== undefined && !isInWeek) || other.from === null || other.to === null) continue
    if (from < other.to && other.from < to) return time
    // Today's weekday means the one a week ago.
    const last = spanFrom(isWeekly ? other.to : other.to.minus({ days: 1 }))
    if (last === null || last.from < other.from || last.from > today) continue
    // A longer time contains several occurrences, so it remains as a whole.
    const isOnly = other.to <= other.from.plus(isWeekly ? { weeks: 1 } : { years: 1 })
    const { isYearly: _, ...placed } = time
    return { ...placed, ...(isOnly ? last : { from: other.from, to: other.to }) }
  }
  return time
}

function timeAt(
  text: string,
  begin: number,
  today: DateTime,
  grammar: Grammar,
  language: PhraseLanguage | null,
): MatchedTime | null {
  if (!matchesAt(grammar.begin, text, begin)) return null
  // "antes de ayer" is a day, not the time before yesterday
  const [phrase] = [pointPhraseAt, rangeAt, boundAt]
    .flatMap((read) => read(text, begin, today, grammar) ?? [])
    .sort((one, other) => other.end - one.end)
  if (phrase === undefined) return null
  const words = text.slice(begin, phrase.end)
  // "hier" is "yesterday" in French and "here" in German
  if (grammar.language === 'fr' && /^hier$/iu.test(words) && language !== 'fr') return null
  return { begin, ...phrase, end: phrase.end + (/^['’]s(?!\p{L})/u.exec(text.slice(phrase.end))?.[0].length ?? 0) }
}

type TimeWithoutBegin = Omit<MatchedTime, 'begin'>

function rangeAt(
  text: string,
  begin: number,
  today: DateTime,
  { between, within, dash, pointAt }: Grammar,
): TimeWithoutBegin | null {
  const pairs = [...between, { open: within, middle: dash }, { open: null, middle: dash }]
  for (const { open, middle } of pairs) {
    const first = open === null ? pointAt(text, begin) : after(open, text, begin, (index) => pointAt(text, index))
    if (first === null) continue
    const second = after(middle, text, first.end, (index) => pointAt(text, index))
    if (second === null) continue
    // "28 December - 3 January", but no bare names such as "Monday - Friday"
    const isDate = ({ bareKind, isNamed }: Point) =>
      bareKind === 'year' ? PICTURES.test(text) : bareKind === null && !isNamed
    if (middle === dash && !(isDate(first) && isDate(second))) continue
    const opening = first.spanFrom(today)
    // "between March 2025 and May": the May after it
    const isAfterFirst = first.hasYear && !second.hasYear && opening !== null
    const to = second.spanFrom(isAfterFirst ? opening.from.plus({ years: 1 }).minus({ days: 1 }) : today)
    // "between November and March": the November before that March
    const from = to && (first.hasYear ? opening : first.spanFrom(DateTime.min(today, to.from)))
    if (from && to && from.from < to.to) return { end: second.end, from: from.from, to: to.to }
  }
  return null
}

function boundAt(text: string, begin: number, today: DateTime, grammar: Grammar): TimeWithoutBegin | null {
  for (const { bound, pattern } of grammar.bounds) {
    const point = after(pattern, text, begin, (index) => grammar.pointAt(text, index))
    const span = point?.spanFrom(today)
    if (!point || !span || !isTime(text, begin, point, grammar)) continue
    if (bound === 'since') return { end: point.end, from: span.from, to: null }
    if (bound === 'after') return { end: point.end, from: span.to, to: null }
    return { end: point.end, from: null, to: bound === 'before' ? span.from : span.to }
  }
  return null
}

function pointPhraseAt(text: string, begin: number, today: DateTime, grammar: Grammar): TimeWithoutBegin | null {
  const alone = grammar.pointAt(text, begin)
  const read = (point: Point | null): TimeWithoutBegin | null => {
    const span = point?.spanFrom(today)
    if (!point || !span || !isTime(text, begin, point, grammar)) return null
    return {
      end: point.end,
      ...span,
      ...(point.isYearly && { isYearly: true }),
      ...((point.isYearly || point.isWeekly) && { recurring: point }),
      ...(point.isVague && { isVague: true }),
    }
  }
  if (alone !== null) {
    const pointText = text.slice(begin, alone.end)
    // "31 February" is neither a day nor a month
    const isLast = /^[\s.,;!?…]*$/u.test(text.slice(alone.end)) && !/\d\s*$/u.test(text.slice(0, begin))
    const { atEnd, neverAtEnd } = grammar.words
    const mayEnd =
      (atEnd as string[]).includes(alone.bareKind ?? '') &&
      !neverAtEnd?.test(pointText) &&
      !TITLES.test(text.slice(0, begin))
    const isYearOfPictures = alone.bareKind === 'year' && /(?:^|\s)$/u.test(text.slice(0, begin)) && PICTURES.test(text)
    // 16/9 and 24/7 are rarely days
    const isDayOfPictures = alone.bareKind === 'numericDay' && /\./.test(pointText) && PICTURES.test(text)
    const mayStandAlone = alone.bareKind === null || isDayOfPictures || (isLast && (mayEnd || isYearOfPictures))
    const phrase = mayStandAlone ? read(alone) : null
    if (phrase !== null) return phrase
  }
  const inside = after(grammar.within, text, begin, (index) => grammar.pointAt(text, index))
  if (inside !== null && inside.bareKind === null) return read(inside)
  for (const { kind, pattern } of grammar.requiredBefore) {
    const point = after(pattern, text, begin, (index) => grammar.pointAt(text, index))
    if (point?.bareKind === kind) return read(point)
  }
  return null
}

/** Titles, after which a month is a surname: "Frau Mai". */
const TITLES =
  /(?<!\p{L}|(?<!\p{L})(?:meine[rn]?|deine[rn]?|seine[rn]?|mi|tu|su)\s+)(?:frau|herrn?|mme|madame|m(?:rs?|s)\.?|señora?)\s+$/iu
const ANOTHER_NAME = /^\s+\p{Lu}\p{Ll}/u

/** True for a time, false for something else with the same name, such as a newspaper. */
function isTime(text: string, begin: number, { end, bareKind, isNamed }: Point, { words }: Grammar): boolean {
  const rest = text.slice(end)
  const excluded =
    bareKind === 'month' || bareKind === 'weekday' || bareKind === 'holiday'
      ? words.excludedContexts[bareKind]
      : undefined
  if (excluded?.before?.test(text.slice(0, begin)) || excluded?.after?.test(rest)) return false
  const isAhead = ({ words: { futureContexts } }: Grammar) =>
    futureContexts.before?.test(text.slice(0, begin)) || futureContexts.after.test(rest)
  // Words of all languages, since these share names of months: "kommender Mai".
  if ((bareKind === 'month' || bareKind === 'weekday') && grammars.some(isAhead)) return false
  if (bareKind === 'month' && words.givenNames.test(text.slice(begin, end)) && ANOTHER_NAME.test(rest)) return false
  if (!isNamed || !words.mayFollow?.names.test(text.slice(begin, end))) return true
  return new RegExp(
    `^(?:['’]s)?(?:\\s*$|\\s*[^\\p{L}\\p{N}\\s]|\\s+(?:${words.mayFollow.after})(?!\\p{L}))`,
    'iu',
  ).test(rest)
}

/** Reads the text after a pattern that must match at `begin`; null when it doesn't. */
function after(pattern: RegExp, text: string, begin: number, read: (index: number) => Point | null): Point | null {
  pattern.lastIndex = begin
  const match = pattern.exec(text)
  return match === null ? null : read(begin + match[0].length)
}
