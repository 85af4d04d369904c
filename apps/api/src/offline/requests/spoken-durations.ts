import { type Language, languages } from '@mira/shared'
import { numberWords } from './calendar-names.ts'
import { withDigits } from './spoken-numbers.ts'

type Groups = Readonly<Record<string, string | undefined>>

const one = 'an?|one|una?|une|ein(?:e[rnm]?)?'
const count = String.raw`(?<count>\d{1,3}|${one}|${languages.flatMap((language) => numberWords[language]).join('|')})`
const hours = 'hours?|hrs?|horas?|heures?|stunden?|std'
const minutes = 'minutes?|mins?|minuten?|minutos?'
const unit = `(?<unit>${hours}|${minutes})`
const and = '(?:and|y|et|und)'
const fraction = String.raw`(?:[½¼¾]|1\/[24]|3\/4)`
const quarters = '(?:three|3|tres|trois) (?:quarters|cuartos|quarts)|drei ?viertel'
const start = String.raw`(?<![\p{L}\d/.,:½¼¾-])`
const end = String.raw`(?![\p{L}\d/])`
/** Not after a word for a time of day: "à deux heures et quart". */
const notClock = String.raw`(?<!(?<!\p{L})(?:à|a|las?|vers|dès) )`
/** Position after minutes without their unit, since other words would make them a count: "an hour and ten". */
const endOfMinutes = String.raw`(?=\s*(?:$|[.,;:!?]|(?:for|to|that|from now|please|named|called|timer|para|que|por favor|pour|de|für|an|daran|bitte)(?!\p{L})|(?:d|qu|s)['\u2019]))`

/** Durations that the date parsers don't read: parts of an hour or a minute, and minutes without their unit. */
const sources: readonly string[] = [
  // "1½ hours", "1 1/2 hours", "½ an hour"
  String.raw`${start}(?:${count}(?: ${and} | |-|(?=[½¼¾])))?(?<part>${fraction}) ?(?:(?:of|de) |d['\u2019])?(?:(?:${one}) )?(?<unit>${hours}|h|${minutes})(?!\p{L})`,
  // "an hour and a half", "deux heures moins le quart"
  `${start}${notClock}${count} ${unit} (?:${and}|(?<minus>moins|menos)) (?:(?:${one}|le) )?(?<part>half|media|medio|demie?|halbe?n?|quarter|cuarto|quart|viertel|${quarters}|${fraction})(?: (?:of )?an hour| de hora| ?d['’]heure| ?stunden?)?${end}(?! (?:(?:${one}) )?(?:${minutes}|se[cgk]))`,
  // "dentro de hora y media"
  String.raw`(?<=(?<!\p{L})(?:de|en) )(?<count>)(?<unit>hora|minuto) y (?<part>media|medio|cuarto)${end}`,
  // "one and a half hours", "zweieinhalb Stunden"
  String.raw`${start}${count} ${and} (?:an? )?(?<part>half|media|quarter|${quarters}) ${unit}(?!\p{L})`,
  String.raw`${start}${count}(?:und)?ein(?<part>halb|viertel) ${unit}(?!\p{L})`,
  String.raw`${start}(?<part>anderthalb) ${unit}(?!\p{L})`,
  // "three quarters of an hour", "half an hour", "une demi-heure"
  String.raw`${start}(?:(?:${one}) )?(?<part>${quarters}) ?(?:of an |de |d['\u2019])?(?<unit>hour|hora|heure|stunden?)(?!\p{L})`,
  String.raw`${start}(?:(?:${one}|1) )?(?<part>half|quarter|media|medio|cuarto|demie?|quart|halben?|viertel)(?: (?:of )?an? | de | ?d['\u2019]|[ -])?(?<unit>hour|hora|heure|stunde|minut[eo])(?!\p{L})`,
  // "an hour and ten", "an hour and thirty minutes"
  String.raw`${start}${notClock}${count} (?<unit>${hours}) (?<link>${and} )?(?<minutes>[1-5]?\d|\p{L}{2,12}(?:[ -](?!(?:${minutes})(?!\p{L}))\p{L}{3,12})?)(?:(?<=\p{L})(?<minuteUnit> (?:${minutes}))${end}|${end}${endOfMinutes})`,
]

const patterns = sources.map((source) => new RegExp(source, 'giu'))

/** Smaller numbers after an hour are counts unless they follow "and" or have a unit. */
const MIN_BARE_MINUTES = 5
/** An hour on the clock instead of a duration, unless it follows `beforeDuration`: "lundi 7 heures et quart". */
const clockHour = /^(?:\d{1,2}|une?|una) (?:heures?|horas?)(?!\p{L})/iu
const beforeDuration = /(?<!\p{L})(?:dans|en|in|for|para|pour|dentro de|alarma de) $/iu

/** Minutes of a match; NaN for none. */
function minutesOf({ count, unit = '', part, minus, minutes, link, minuteUnit }: Groups, language: Language): number {
  const unitMinutes = /^[hs]/iu.test(unit) ? 60 : 1
  const wholeMinutes = count === undefined ? 0 : wholeOf(count) * unitMinutes
  const restMinutes = Number(withDigits(minutes ?? '0', language))
  // "in an hour two for the kids"
  const isCount = minutes !== undefined && (link ?? minuteUnit) === undefined && restMinutes < MIN_BARE_MINUTES
  if (isCount) return Number.NaN
  const partMinutes = part === undefined ? restMinutes : shareOf(part) * unitMinutes
  return minus === undefined ? wholeMinutes + partMinutes : wholeMinutes - partMinutes
}

/** Number in digits or a word of any language; 1 for an article. */
function wholeOf(text: string): number {
  const word = text.toLowerCase()
  return /^\d/.test(text)
    ? Number(text)
    : Math.max(1, ...languages.map((language) => numberWords[language].indexOf(word) + 1))
}

function shareOf(part: string): number {
  if (/^anderthalb/iu.test(part)) return 1.5
  if (/^(?:half|medi|demi|halb|½|1\/2)/iu.test(part)) return 0.5
  return /^(?:three|3|tres|trois|drei|¾)/iu.test(part) ? 0.75 : 0.25
}

const unitOfMinutes: Readonly<Record<Language, string>> = { en: 'minutes', de: 'Minuten', es: 'minutos', fr: 'minutes' }

/**
 * Writes durations that the date parsers don't read in minutes: "for an hour and a half" becomes "for 90 minutes".
 * @param keepsClocks leaves phrases unchanged that may be a time of day.
 */
export function withPlainDurations(text: string, language: Language, keepsClocks = false): string {
  return patterns.reduce(
    (rest, pattern) =>
      rest.replace(pattern, (...match) => {
        const [all, groups] = [String(match[0]), match.at(-1) as Groups]
        const isClock = keepsClocks && clockHour.test(all) && !beforeDuration.test(rest.slice(0, Number(match.at(-3))))
        if (isClock) return all
        const minutes = minutesOf(groups, language)
        return Number.isNaN(minutes) ? all : `${minutes} ${unitOfMinutes[language]}`
      }),
    text,
  )
}

/** Patterns of the same durations after a preposition, each with its length in minutes; NaN for a match that isn't a duration. */
export const durationsAhead = (
  language: Language,
  preposition: string,
): [RegExp, (match: RegExpMatchArray) => number][] =>
  sources.map((source) => [
    new RegExp(String.raw`(?<!\p{L})${preposition} ${source}`, 'iu'),
    ({ groups = {} }) => minutesOf(groups, language),
  ])
