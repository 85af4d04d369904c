import type { Language } from '@mira/shared'
import type { ParsedResult } from 'chrono-node'
import type { DateTime } from 'luxon'
import { timeWords } from '../phrases/words/index.ts'
import { numberWords } from './calendar-names.ts'
import { dateParsers } from './reading.ts'

/** The user's local time as a Date in the machine's time zone; only its fields are read. */
export function wallDate({ year, month, day, hour, minute, second }: DateTime): Date {
  return new Date(year, month - 1, day, hour, minute, second)
}

/** Times and days that the date parser finds in a text, without those that mean something else. */
export function parseTimes(text: string, here: DateTime, language: Language): ParsedResult[] {
  const results = dateParsers[language].parse(text, wallDate(here), { forwardDate: true })
  return results.filter((result) => isTime(result, text, language))
}

function isTime({ text, index, start }: ParsedResult, sentence: string, language: Language): boolean {
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
    /^(?:\+|(?:in|within|after|for|next|about|around)\b)/iu.test(text) ||
    (/^\s*$/.test(sentence.slice(0, index)) && /^\s*[:,]/.test(sentence.slice(index + text.length)))
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
