import type { Language } from '@mira/shared'
import type { ParsedResult } from 'chrono-node'
import { leadingWords } from './reminder-time-words.ts'
import type { RewrittenText, TextRange } from './rewritten-text.ts'

/** Separator that keeps the parser from joining the texts around it. */
export const BARRIER = '|'

export function rangeOf({ 0: match, index }: RegExpExecArray): TextRange {
  return { begin: index, end: index + match.length }
}

export function rangeOfResult({ index, text }: ParsedResult): TextRange {
  return { begin: index, end: index + text.length }
}

export function originOf(text: RewrittenText, result: ParsedResult): TextRange {
  return text.originOf(rangeOfResult(result))
}

/** True for ranges with nothing but spaces, commas, full stops and barriers between them. */
export function areAdjacent(text: string, one: TextRange, other: TextRange): boolean {
  const [first, second] = one.begin < other.begin ? [one, other] : [other, one]
  return first.end <= second.begin && /^[\s,.|]*$/.test(text.slice(first.end, second.begin))
}

/** The same, with a preposition before the second: "durante dos semanas a las 9". */
export function areBeside(text: string, [one, other]: [TextRange, TextRange], language: Language): boolean {
  const [first, second] = one.begin < other.begin ? [one, other] : [other, one]
  const between = text.slice(first.end, second.begin).replace(leadingWords[language], '')
  return first.end <= second.begin && /^[\s,.|]*$/.test(between)
}

/** Chooses a day and a time of day: preferably ones beside each other, otherwise at an edge of the text. `part` is a part of the day. */
export function chooseResults(
  results: ParsedResult[],
  text: string,
  language: Language,
  part: TextRange | null,
): { timed: ParsedResult | null; dated: ParsedResult | null } {
  const isAtStart = ({ index }: ParsedResult) =>
    /^[\s,|]*$/.test(text.slice(0, index).replace(leadingWords[language], ''))
  const isAtEdge = (result: ParsedResult) =>
    isAtStart(result) || /^[\s.,!?|]*$/.test(text.slice(rangeOfResult(result).end))
  const byEdge = [...results].sort((one, other) => Number(isAtEdge(other)) - Number(isAtEdge(one)))
  const first = byEdge.find(isTimed)
  const hasOtherTime =
    part !== null || results.some((result) => !isLength(result) && (isTimed(result) || isDated(result)))
  // "cook for 20 minutes at 6pm", "walk for 30 minutes tomorrow", but "in 20 minutes talk about the 3pm train"
  const isDuration = (result: ParsedResult) =>
    hasOtherTime && isLength(result) && (result !== first || !wordsOfDelay.test(result.text))
  const candidates = byEdge.filter((result) => !isDuration(result))
  const allTimed = candidates.filter(isTimed)
  const allDated = candidates.filter(isDated)
  for (const timed of allTimed) {
    const dated = allDated.find((one) => one === timed || areAdjacent(text, rangeOfResult(one), rangeOfResult(timed)))
    // "at 4 to book a table for Friday at 7"
    const isOfLaterTask =
      dated !== undefined &&
      allTimed.some(
        (other) => isAtStart(other) && isOfTask(text, rangeOfResult(other), Math.min(dated.index, timed.index)),
      )
    if (dated !== undefined && !isOfLaterTask) return { timed, dated: dateOf(dated, allDated, text) }
  }
  const [timed = null] = allTimed
  const ofPart = timed === null && part !== null ? allDated.find((one) => isPartOfDayOf(text, part, one)) : undefined
  const dated = allDated.find(({ index }) => timed === null || !isOfTask(text, rangeOfResult(timed), index))
  return { timed, dated: dateOf(ofPart ?? dated ?? null, allDated, text) }
}

/** The date beside a weekday, or the weekday itself if there is none. */
function dateOf(dated: ParsedResult | null, all: ParsedResult[], text: string): ParsedResult | null {
  if (dated === null || dated.start.isCertain('day')) return dated
  return all.find((one) => one.start.isCertain('day') && areJoined(dated, one, text)) ?? dated
}

/** True for a weekday right before a date, neither of them rewritten: "Friday, December 24". */
function areJoined(weekday: ParsedResult, date: ParsedResult, text: string): boolean {
  const isAsWritten = !text.slice(Math.max(0, weekday.index - 1), date.index).includes(BARRIER)
  return isAsWritten && weekday.index < date.index && areAdjacent(text, rangeOfResult(weekday), rangeOfResult(date))
}

const forDay = /(?<!\p{L})(?:for|für|para|pour)(?: (?:the|el|le))?\W*$/iu

/** Words before a day that aren't its task: those of the request itself, or an appointment on that day. */
const notTask =
  /^\s*(?:(?:a )?reminder|please|also|bitte|auch|por favor|también|aussi|s['’]il (?:te|vous) plaît|(?:(?:about|an|of) )?(?:(?:an?|the|my|de[rn]|mein(?:en)?|la|mi|le|mon) )?(?:appointment|lunch|dinner|\p{L}*termin|cita|rdv|rendez-vous)),?\s*$/iu

/**
 * True for the day of the task rather than of the reminder: "at 5pm book the hotel for 14 August", "order a cake for Friday from
 * the bakery at 5", but not "book the hotel at 5pm for Friday".
 */
function isOfTask(text: string, timed: TextRange, dayBegin: number): boolean {
  const before = text.slice(0, dayBegin)
  const words = before.replace(forDay, '')
  const task = words.slice(timed.end < dayBegin ? timed.end : 0).replace(notTask, '')
  return words !== before && /\p{L}/u.test(task)
}

const wordsOfDelay = /^(?:in|within|after|en|dentro|dans)\b/iu

function isTimed({ start }: ParsedResult): boolean {
  return start.isCertain('hour')
}

/** True for a length of time in hours, minutes or seconds, such as "20 minutes". */
export function isLength(result: ParsedResult): boolean {
  return result.start.isCertain('second') && result.tags().has('result/relativeDateAndTime')
}

/** True for a length before or after an event, whose time isn't known: "30 minutes before my meeting". */
export function isLead(result: ParsedResult, text: string): boolean {
  return (
    result.tags().has('result/relativeDate') &&
    !wordsOfDelay.test(result.text) &&
    (/ (?:before|after)$/iu.test(result.text) ||
      /^ (?:antes|después|despues) del?(?!\p{L})/iu.test(text.slice(rangeOfResult(result).end)))
  )
}

/** True for one of several times of day: "at 9am and 9pm". */
export function isJoinedToOther(timed: ParsedResult, results: ParsedResult[], text: string): boolean {
  return results.some((other) => {
    if (other === timed || !isTimed(other) || isLength(other) || isLength(timed)) return false
    const [first, second] = timed.index < other.index ? [timed, other] : [other, timed]
    // The French parser reads "et" as part of the first.
    const firstEnd = rangeOfResult({ ...first, text: first.text.replace(/ et$/iu, '') }).end
    return joint.test(text.slice(firstEnd, second.index))
  })
}

const joint =
  /^[\s|]*(?:,|(?:, ?)?(?<!\p{L})(?:and|und|y|et|&))(?: ?(?:also|again|auch|noch mal|también|aussi))?(?: (?:at|um|a|à))?[\s|]*$/iu

/** A date and the weekdays beside it: "Friday the 8th". */
export function adjacentDates(dated: ParsedResult | null, results: ParsedResult[], text: string): ParsedResult[] {
  if (dated === null) return []
  const range = rangeOfResult(dated)
  return results.filter(
    (other) =>
      other === dated ||
      (other.start.isCertain('weekday') &&
        !other.start.isCertain('day') &&
        ((dated.start.isCertain('day') && areJoined(other, dated, text)) ||
          (other.start.get('day') === dated.start.get('day') && areAdjacent(text, rangeOfResult(other), range)))),
  )
}

/**
 * True for a part of the day that belongs to a time: "tonight at 12", "at 9 tomorrow evening", but not "lunch at 12 and
 * dinner tonight".
 */
export function belongsToTime(
  text: string,
  part: TextRange,
  { timed, dated }: { timed: ParsedResult; dated: ParsedResult | null },
): boolean {
  if (isPartOfDayOf(text, part, timed)) return true
  if (dated === null) return part.begin < timed.index && isOfToday(text, part)
  if (!isPartOfDayOf(text, part, dated)) return false
  return dated.index < timed.index || areAdjacent(text, rangeOfResult(dated), rangeOfResult(timed))
}

/** True for a part of today in a reminder's own time: "this evening to ring Ben", but not "buy wine for this evening". */
function isOfToday(text: string, { begin, end }: TextRange): boolean {
  const before = text.slice(0, begin)
  const words = before.replace(forDay, '')
  return (
    /^(?:this|esta|cet?) /iu.test(text.slice(begin, end)) &&
    !/^['’]/.test(text.slice(end)) &&
    (words === before || !/\p{L}/u.test(words))
  )
}

/**
 * True for a part of the day beside a time: "morgens um 7", "9 Uhr früh", or after a day: "tomorrow evening", but not "eine
 * Robe du soir vendredi à 9h".
 */
function isPartOfDayOf(text: string, part: TextRange, timed: ParsedResult): boolean {
  const isClock = /^(?:at|um|a las?|à)\s|^\d{1,2}[:h]/iu.test(timed.text)
  const range = rangeOfResult(timed)
  if (range.begin < part.end && part.begin < range.end) return true
  return (
    (isClock || range.begin < part.begin) &&
    !text.slice(part.end, range.begin).includes(BARRIER) &&
    !/^['’]/.test(text.slice(part.end)) &&
    areAdjacent(text, part, range)
  )
}

export function isDated(result: ParsedResult): boolean {
  const { start } = result
  // The parser isn't certain of the day in "in two months".
  return start.isCertain('day') || start.isCertain('weekday') || result.tags().has('result/relativeDate')
}
