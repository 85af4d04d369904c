import type { Language } from '@mira/shared'
import type { ParsedResult } from 'chrono-node'
import type { DateTime } from 'luxon'
import { timeWords } from '../phrases/words/index.ts'
import { numberWords } from './calendar-names.ts'
import { dateParsers } from './reading.ts'
import { isLength } from './time-results.ts'

/** The user's local time as a Date in the machine's time zone; only its fields are read. */
export function wallDate({ year, month, day, hour, minute, second }: DateTime): Date {
  return new Date(year, month - 1, day, hour, minute, second)
}

/** Times and days that the date parser finds in a text, without those that mean something else. */
export function parseTimes(text: string, here: DateTime, language: Language): ParsedResult[] {
  const results = dateParsers[language].parse(text, wallDate(here), { forwardDate: true })
  return results.filter((result) => isTime(result, text, language))
}

function isTime(result: ParsedResult, sentence: string, language: Language): boolean {
  const { text, index, start } = result
  // Days were written out before, so these words mean the morning.
  if (/^(?:mañana|morgen)$/iu.test(text)) return false
  const [before, after] = [sentence.slice(0, index), sentence.slice(index + text.length)]
  // The eve in "la veille de Noël" isn't yesterday.
  if (/^(?:la )?veille$/iu.test(text) && eveOfHoliday.test(after)) return false
  // The beginnings of "früh" and "María" aren't weekdays.
  if (/\p{L}$/u.test(text) && /^\p{L}/u.test(after)) return false
  // "so um 9" means about 9 in German
  if (language === 'de' && /^so(?![\p{L}.])/u.test(`${text}${after}`)) return false
  const excluded = timeWords[language].excludedContexts.weekday
  if (start.isCertain('weekday') && (excluded?.before?.test(before) || excluded?.after?.test(after))) return false
  if (language === 'en' && isWeekdayOfTitle(text, before, after)) return false
  // "tonight 10 minutes of yoga"
  if (
    /\d$/.test(text) &&
    start.isCertain('hour') &&
    /^ ?(?:min(?!\p{L})|minut|se[ck]\p{L}|segund|stunden?|hours?)/iu.test(after)
  )
    return false
  if (isLength(result) && !isDelay(text, before, after)) return false
  // A fraction, unless it opens the sentence or follows a preposition.
  if (/^\d{1,2}\/\d{1,2}$/.test(text))
    return (
      /(?:^|\s(?:on|on the|am|el|del|le|du)\s)\s*$/iu.test(sentence.slice(0, index)) &&
      sentence[index + text.length] !== '-'
    )
  // "a second monitor", "a 10 m cable", "a two hour ticket"
  return (
    language !== 'en' ||
    !bareEnglishLength.test(text) ||
    openingDelay.test(text) ||
    (/^\s*$/.test(before) && (/^for\b/iu.test(text) || /^\s*[:,]/.test(after)))
  )
}

/** Words that open a time from now. */
const openingDelay = /^(?:\+|(?:in|within|after|next|about|around|en|dentro|dans|d['’]ici|nach|après)(?!\p{L}))/iu
const closingDelay = /^\s*(?:from now|later|hence|más tarde|plus tard|später)(?!\p{L})/iu
/** True for a length of time that starts now, not one of the task: "walk for 30 minutes". */
function isDelay(text: string, before: string, after: string): boolean {
  return (
    openingDelay.test(text.trimStart()) ||
    // "2 hours before 5pm"
    /(?:from now$| (?:before|after) )/iu.test(text) ||
    closingDelay.test(after) ||
    /^[\s,.:|]*$/.test(before)
  )
}

/** True for a name in a title: "the Sunday paper", "weekend bag", but not "on the Monday" or "next weekend". */
function isWeekdayOfTitle(text: string, before: string, after: string): boolean {
  const isOfTitle = /^weekend$/iu.test(text)
    ? !/\b(?:this|next|coming|(?:on|at|over) the) $/iu.test(before)
    : /^\p{L}+$/u.test(text) && /(?<!\bon )\b(?:the|an?|my|our|his|her|your|their) $/iu.test(before)
  return isOfTitle && nounAhead.test(after)
}

const eveOfHoliday = new RegExp(
  `^ (?:de (?:la )?|du |d['’])(?:${Object.values(timeWords.fr.holidays).join('|')})(?!\\p{L})`,
  'iu',
)

const nounAhead =
  /^ (?!(?:at|on|in|by|to|from|for|of|and|or|with|before|after|around|morning|afternoon|evening|night|noon)\b)\p{L}/iu

const bareEnglishLength = new RegExp(
  String.raw`(?:\b(?:the|an?|last|half|${numberWords.en.join('|')}) |\d ?)(?:s|m|h|min|sec|second|minute|hour)s?$`,
  'iu',
)
