import { timeWords } from '../../phrases/words/index.ts'
import { anyMonthName, countOf, monthSources, weekdaySources } from '../calendar-names.ts'
import { BARRIER } from '../time-results.ts'
import {
  anHour,
  clockOf,
  hide,
  hourWordSource,
  midnightAs0,
  minutesIn,
  number,
  pad,
  type ReminderRewrites,
  timeOfDayCondition,
} from './rewrite.ts'

const minutesBeside = minutesIn({ five: 5, ten: 10, fifteen: 15, twenty: 20, 'twenty-five': 25 })
/** Minutes after an hour: "seven thirty". */
const minutesAfterHour: Readonly<Record<string, string>> = {
  ...{ ten: '10', fifteen: '15', twenty: '20', thirty: '30', forty: '40', 'forty-five': '45', fifty: '50' },
}
const quarters: Readonly<Record<string, number>> = { 'half past': 30, 'quarter past': 15, 'quarter to': -15 }
/** Text right before a time of day: the beginning of the text, punctuation or a day. */
const beforeClock = String.raw`(?:^|[,.:;]\s|(?:today|tonight|tomorrow|\p{L}day|morning|afternoon|evening)\s)`
/** Words after a number that make it a count: "at two places", but not names. */
const countedNouns = String.raw`(?:of|(?:people|children|men|women|feet|place|point|thing|end|side|glance|time)|(?-i:(?!this|is|was|has|as)\p{Ll}*[^\Ws]s))\b`
const months = [...timeWords.en.months, ...timeWords.en.shortMonths].join('|')
/** Ends of a day after its month, so that it isn't a year or an amount: "June 15th", "June 15 at", "June 15 5pm". */
const endOfDay = String.raw`(?:(?:st|nd|rd|th)\b(?!\s*(?:[-\u2013]|to|until|till|through)\s*\d)|(?=,|,? 20\d\d\b| at | to \D| in the |\s*$| (?:[1-9]|1[0-2])(?::\d\d)? ?[ap]\.?m\b))`
/** The same by a preposition before the month: "on June 15 about the dentist". */
const dayAfterPreposition = String.raw`(?<=(?:^\s*|\b(?:on|by|for|every|each) )(?:${months}),? (?:the )?\d{1,2})(?= (?!(?:to|until|till|through) \d)\p{L})`

export const englishRewrites: ReminderRewrites = {
  phrases: [
    [
      new RegExp(
        String.raw`(?<!\p{L}|\d(?:st|nd|rd|th)? (?:of )?)(${months}),? (?:the )?(\d{1,2})(?:${endOfDay}|${dayAfterPreposition})`,
        'giu',
      ),
      (_all, month, day) => `${day} ${month}`,
    ],
    [
      new RegExp(
        String.raw`(?:\bat |^\s*|\b(?=\d+ minutes ))${minutesBeside.source} (?:minutes )?(to|past) ${anHour('en')}(?!\d)( ?[ap]\.?m\b)?`,
        'giu',
      ),
      (_all, minutes, side, hour, meridiem) =>
        `at ${clockOf(countOf(hour, 'en'), (side === 'to' ? -1 : 1) * minutesBeside.countOf(minutes))}${meridiem ?? ''}`,
    ],
    [
      new RegExp(
        String.raw`\bat (${hourWordSource('en')}) (${Object.keys(minutesAfterHour).toReversed().join('|')})\b`,
        'giu',
      ),
      (_all, hour, minutes = '') => `at ${countOf(hour, 'en')}:${minutesAfterHour[minutes.toLowerCase()]}`,
    ],
    [
      new RegExp(
        String.raw`^\s*(?=(?:\d{1,2}|${hourWordSource('en')}) (?:tonight|this (?:morning|afternoon|evening)|tomorrow)\b)`,
        'iu',
      ),
      () => 'at ',
    ],
    [/(?<!\S)@ ?(?=\d)/gu, () => 'at '],
    // "at 9 a.m"
    [/(?<=\d ?)([ap])\.m\b(?!\.)/giu, (_all, letter) => `${letter}m`],
    [/(?<![\d.])(\d{1,2})\.(\d\d ?[ap]\.?m)\b/giu, (_all, hour, minutes) => `${hour}:${minutes}`],
    // "at 9 evening dress to the cleaner"
    [
      /(?<=\bat (?:[89]|1[01])(?::\d\d)? )afternoon(?= \p{L})|\bevening(?= (?:dress|gown|wear|suit|shoes|bag)\b(?! (?:the|my|an?)\b))/giu,
      hide,
    ],
    // Not in "about 5pm meeting at 4".
    [/\b(?:at )?about (?=\d{1,2}(?::\d\d)? ?[ap]\.?m\b(?!.* at \d))/giu, () => 'at '],
    [
      /\bbetween (\d{1,2}(?::\d\d)?)( ?[ap]m)? and \d{1,2}(?::\d\d( ?[ap]m)?| ?[ap]m)\b/giu,
      (all = '', clock, meridiem) => `at ${clock}${meridiem ?? /[ap]m$/iu.exec(all)?.[0] ?? ''}`,
    ],
    [/\b(?:(?:at|by|on) )?the (end|last day) of (?=\p{L})/giu, (_all, end) => `${end} of `],
    [/\b(in (?:\w+ )?(?:days?|weeks?|months?|years?))['’]? time\b/giu, (_all, length = '') => length],
    [/\bat (\d{1,2})h(?: ?(\d\d))?\b/giu, (_all, hour, minutes = '00') => `at ${hour}:${minutes}`],
    [/\b(?:on|at|over) the weekend\b/giu, () => 'this weekend'],
    [/\bin a fortnight\b/giu, () => 'in 2 weeks'],
    // "the invoice for May at 6pm"
    [new RegExp(String.raw`(?<=\p{L} for (?:${monthSources.en} and )?)${monthSources.en}(?=,? at \d)`, 'giu'), hide],
    [
      new RegExp(String.raw`\b(?:on )?the (\d{1,2})(?:st|nd|rd|th)(?: of)? (?=${anyMonthName})`, 'giu'),
      (_all, day) => `on ${day} `,
    ],
    [
      new RegExp(String.raw`\b(?:on )?the (first|second|third|fourth|fifth) of (?=${anyMonthName})`, 'giu'),
      (_all, day) => `${day} of `,
    ],
    [/\b(?:early|late) (?:this|next) (?:week|month|year)\b/giu, hide],
    // "10 March Road"
    [new RegExp(String.raw`\b\d{1,2} (?:${months}) (?-i:Road|Street|Avenue|Lane|Drive|Close|Square)\b`, 'giu'), hide],
    // The parsers lose the day in "in the evening on Thursday".
    [
      new RegExp(String.raw`\bin the (morning|afternoon|evening|night) on (${weekdaySources.en})\b`, 'giu'),
      (_all, part, day) => `on ${day} ${part}`,
    ],
    [/\b(morning|afternoon|evening|night) (?=on )/giu, (_all, part) => `${part}${BARRIER} `],
    [/\b(every|each) night\b/giu, (_all, every) => `${every} day at night`],
    [
      new RegExp(
        String.raw`(?<!(?:on|every|each|and|,) )\b((?:${weekdaySources.en}|weekday|weekend)s(?:(?:,| and) ${weekdaySources.en}s)*)(?=(?<=^\s*\S+days) at | at (?:\d|(?:half|quarter|noon|midday|midnight|${hourWordSource('en')})\b))`,
        'giu',
      ),
      (_all, day) => `on ${day}`,
    ],
    [
      /\b(?:at )?(?:a )?(half past|quarter past|quarter to) (noon|midday|midnight)\b/giu,
      (_all, part = '', name = '') =>
        `at ${clockOf(/^midnight$/iu.test(name) ? 0 : 12, quarters[part.toLowerCase()] ?? 0)}`,
    ],
    [
      new RegExp(String.raw`\b(half past|quarter (?:past|to)) (${hourWordSource('en')})\b`, 'giu'),
      (_all, part, hour) => `${part} ${countOf(hour, 'en')}`,
    ],
    [
      new RegExp(
        String.raw`(?<!\blook(?:ing|s|ed)? )\bat (${hourWordSource('en')})\b${timeOfDayCondition(beforeClock, 'at', countedNouns)}`,
        'giu',
      ),
      (_all, hour) => `at ${countOf(hour, 'en')}`,
    ],
  ],
  clocks: [
    [/\b(?:at half|(?:at )?half past) (\d{1,2})\b/giu, (_all, hour) => `at ${number(hour)}:30`],
    [/\b(?:at )?(?:a )?quarter past (\d{1,2})(?!\d)/giu, (_all, hour) => `at ${number(hour)}:15`],
    [/\b(?:at )?(?:a )?quarter to (\d{1,2})(?!\d)/giu, (_all, hour) => `at ${(number(hour) + 23) % 24}:45`],
    [
      /\b(?:at )?(\d{1,2})(?::(\d\d))? (?:o['’]clock )?in the morning\b/giu,
      (_all, hour, minutes) => `at ${midnightAs0(hour)}:${pad(minutes)}`,
    ],
  ],
}
