import { anyMonthName, countOf, monthSources, weekdaySources } from '../calendar-names.ts'
import {
  afternoon,
  anHour,
  clockLookahead,
  clockOf,
  hourWordSource,
  minutesIn,
  number,
  pad,
  plainSpellings,
  type ReminderRewrites,
  timeOfDayCondition,
} from './rewrite.ts'

const minutes = minutesIn({ fünf: 5, zehn: 10, zwanzig: 20, fünfundzwanzig: 25 })
const ordinals = [
  ...['erste', 'zweite', 'dritte', 'vierte', 'fünfte', 'sechste', 'siebte', 'achte', 'neunte', 'zehnte', 'elfte'],
  'zwölfte',
]
/** Text right before a time of day: the beginning of the text, punctuation or a day. */
const beforeClock = String.raw`(?:^|[,.:;]\s|(?:heute|morgen|früh|abend|mittag|\p{L}tag|Mittwoch)\s)`
/** Words after a number that make it a count: "um zwei Plätze erweitern". */
const countedNouns = String.raw`(?:Minuten?|Stunden?|Tage?|Wochen?|Monate?|Jahre?|Uhren|\p{L}+ (?:\p{L}+ )?(?:zu )?(?:bitte|erweiter|verlänger|verkürz|kürz|erhöh|reduzier|senk|verschieb|vergrößer|verkleiner|aufstock|ergänz|kämpf)\p{L}*)(?!\p{L})`
/** Beginning of a list of abbreviated weekdays, where "so" is Sunday rather than "about": "jeden so um 9", "jeden mi und so um 9". */
const everyDayAnd = String.raw`(?<!\p{L})jeden (?:(?:mo|di|mi|do|fr|sa)\.?(?:,| und) ){0,6}`
const afterClock = String.raw`(?<=um \d{1,2}(?:[:.]\d\d)?(?: Uhr)? )(?!\S+ \p{L}+ (?-i:\p{Lu}))`

/** Clock time of a part of an hour: "halb neun", "Viertel vor acht". */
function partOfHour(part: string, hour: number, isNight: boolean): string {
  if (part === 'halb') return clockOf(hour === 1 && !isNight ? 13 : hour, -30)
  return clockOf(hour, part === 'viertel nach' ? 15 : -15)
}

export const germanRewrites: ReminderRewrites = {
  phrases: [
    ...plainSpellings([
      ['naechste', 'nächste'],
      ['uebernaechste', 'übernächste'],
      ['frueh', 'früh'],
      ['heut(?= )', 'heute'],
    ]),
    // Parts of an hour are rewritten before whole hours.
    [
      new RegExp(
        String.raw`(?<!\p{L})(?:um |^\s*(?=\S+ \S+ \S+ Uhr))${minutes.source} (vor|nach) (halb )?${anHour('de')}(?!\p{L})(?: Uhr(?!\p{L}))?`,
        'giu',
      ),
      (_all, count, side, half, hour) =>
        `um ${clockOf(countOf(hour, 'de'), (side?.toLowerCase() === 'vor' ? -1 : 1) * minutes.countOf(count) - (half ? 30 : 0))} Uhr`,
    ],
    [
      new RegExp(
        String.raw`(?<!\p{L})(?:um )?(drei ?viertel|halb|viertel vor|viertel nach) (\d{1,2}(?!\d)|ein|${hourWordSource('de')})(?!\p{L})(?: Uhr(?!\p{L}))?(?=( nachts| morgens| früh)?)`,
        'giu',
      ),
      (_all, part = '', hour, night) =>
        `um ${partOfHour(part.toLowerCase(), countOf(hour, 'de') || 1, night !== undefined)} Uhr`,
    ],
    [
      new RegExp(String.raw`(?<!\p{L}|${everyDayAnd})(?-i:so) (um|gegen)(?!\p{L})`, 'giu'),
      (_all, preposition) => `${preposition}`,
    ],
    [/(?<!\p{L})(?:um|gegen) (\d{1,2}(?::\d\d)?) ?h(?!\p{L})/giu, (_all, clock) => `um ${clock} Uhr`],
    [
      new RegExp(
        String.raw`(?<!\p{L}|\d(?: Minuten?)? |(?:Minuten?|Stunden?|Viertelstunde|Tage?n?|Wochen?) )(?:(?:(?<!${everyDayAnd})(?-i:so)|etwa|ungefähr|circa|zirka|ca\.?|spätestens|frühestens|pünktlich|kurz) ){0,2}(?:(?:um|gegen|nach|vor) ){0,2}(?:(?:etwa|ungefähr|circa|zirka|ca\.?) )?(?=\d{1,2}(?:[:.]\d\d)? ?Uhr(?!\p{L}))`,
        'giu',
      ),
      (all = '') => (all === '' ? '' : 'um '),
    ],
    [
      /(?<!\p{L}|[\d:.]|(?:um|gegen|Uhr|vor|nach) )(?=\d{1,2}(?::\d\d)?(?: ?Uhr(?: \d\d)?)? (?:nachmittags|abends|am (?:Nachmittag|Abend))(?!\p{L}| um ))/giu,
      () => 'um ',
    ],
    [
      /(?<!\p{L})zwischen (\d{1,2}(?::\d\d)?) und \d{1,2}(?::\d\d(?: ?Uhr)?| ?Uhr)(?!\p{L})/giu,
      (_all, clock) => `um ${clock} Uhr`,
    ],
    // "20. Mai 16 Uhr" isn't 2016
    [
      new RegExp(
        String.raw`(?<=\d(?:\.? ?${monthSources.de}(?: \d{4})?|\.\d{1,2}\.(?:\d{2}|\d{4})?) )(?=\d{1,2}(?:[:.]\d\d)? ?Uhr(?!\p{L}))`,
        'giu',
      ),
      () => 'um ',
    ],
    [/(?<!\p{L})um (\d{1,2}) (?=am )/giu, (_all, hour) => `um ${hour} Uhr `],
    [
      new RegExp(String.raw`(?<!\p{L})(${weekdaySources.de}),? de[mr] (?=\d{1,2}\. ?${anyMonthName})`, 'giu'),
      (_all, weekday) => `${weekday}, `,
    ],
    [
      new RegExp(
        String.raw`(?<![\p{L}\d.])(?:am |(?<!an )den |(?<=(?:${weekdaySources.de}),? )der |${afterClock}|(?=\S+ ${monthSources.de}${clockLookahead}))(\d{1,2}|${ordinals.join('|')})(?:t?e?[nr]?) (?=${monthSources.de}(?![\p{L}-]))`,
        'giu',
      ),
      (_all, day = '') => `am ${Number(day) || ordinals.indexOf(day.toLowerCase()) + 1}. `,
    ],
    [/um (\d{1,2})\.(\d\d)(?: Uhr)?(?![\d\p{L}.])/giu, (_all, hour, minutes) => `um ${hour}:${minutes} Uhr`],
    [/(?<!\p{L})gegen (\d{1,2}(?::\d\d)?)(?: Uhr)?(?![\d\p{L}.])/giu, (_all, clock) => `um ${clock} Uhr`],
    [/(?<!\p{L})(?:in der )?übernächste[nr]? Woche(?!\p{L})/giu, () => 'in 2 Wochen'],
    [/(?<!\p{L})heute in einer Woche(?!\p{L})/giu, () => 'in 7 Tagen'],
    [/(?<!\p{L})morgen in einer Woche(?!\p{L})/giu, () => 'in 8 Tagen'],
    [
      /(?<!\p{L})(?:wochentags|(?:an jedem|jeden) (?:Werk|Wochen|Arbeits)tag|an (?:Werk|Wochen|Arbeits)tagen)(?!\p{L})/giu,
      () => 'werktags',
    ],
    [/(?<!\p{L})(?:am|dieses|kommendes|am kommenden) Wochenende(?!\p{L})/giu, () => 'am Samstag'],
    [/(?<!\p{L})jede[nr]? (Morgen|Mittag|Nacht)(?!\p{L})/giu, (_all, part) => `täglich ${part}s`],
    [
      new RegExp(
        String.raw`(?<!\p{L})(${weekdaySources.de})(früh| ?morgen|vormittag|mittag|nachmittag|abend|nacht)(?!\p{L})`,
        'giu',
      ),
      // The parsers would read "Montag morgen" as tomorrow, too.
      (_all, day, part) => `${day} ${/^ ?morgen$/iu.test(part ?? '') ? 'früh' : part}`,
    ],
    [
      new RegExp(
        String.raw`(?<!\p{L})alle (?:zwei|2) Wochen,? (?:immer |jeweils )?(?:am )?(${weekdaySources.de})s?(?!\p{L})`,
        'giu',
      ),
      (_all, day) => `jeden zweiten ${day}`,
    ],
    // "montags bis freitags" is read as a recurrence later.
    [
      new RegExp(
        String.raw`(?<!(?:alle|jede[nrs]?|bis) .{0,40})(?<!\p{L})(${weekdaySources.de})s((?:(?:,| und) ${weekdaySources.de}s)*)(?!\p{L})(?! (?:bis|und|,))`,
        'giu',
      ),
      (_all, day, others) => `jeden ${day}${others}`,
    ],
    [/(?<!\p{L})um ein Uhr(?!\p{L})/giu, () => 'um 1 Uhr'],
    [
      new RegExp(
        String.raw`(?<!\p{L})um (${hourWordSource('de')})(?!\p{L})(?: Uhr(?!\p{L})|${timeOfDayCondition(beforeClock, 'um', countedNouns)})`,
        'giu',
      ),
      (_all, hour) => `um ${countOf(hour, 'de')} Uhr`,
    ],
    [
      /um (\d{1,2}) Uhr (\d\d)(?![\d/]| ?(?:Uhr|Min(?:uten)?|mg|k?g|ml|l|cm|mm|k?m|€|%|Euro|Stück|Tropfen|Tabletten|x)(?!\p{L}))/giu,
      (_all, hour, minutes) => `um ${hour}:${minutes} Uhr`,
    ],
    [
      /(?<!\p{L})(?:(?:am )?mittags? um (\d{1,2})(:\d\d)?(?: Uhr)?|um (\d{1,2})(:\d\d)?(?: Uhr)? mittags)(?![\p{L}\d:])/giu,
      (_all, hour, minutes = ':00', before = hour, minutesBefore = minutes) =>
        `um ${number(before) < 4 ? afternoon(before) : before}${minutesBefore} Uhr`,
    ],
  ],
  clocks: [
    [
      /um (?!(?:0?0|12)(?!\d))(\d{1,2})(?:[:.](\d\d))?(?: Uhr)?(?: (\d\d))? (?:nachmittags|abends|am Nachmittag|am Abend)(?![\p{L}-])/giu,
      (_all, hour, first, second) => `um ${afternoon(hour)}:${pad(first ?? second)} Uhr`,
    ],
    [
      /um (\d{1,2})(?:[:.](\d\d))?(?: Uhr)?(?: (\d\d))? (?:morgens|(?:in der )?früh|vormittags|am Morgen|am Vormittag)(?![\p{L}-])/giu,
      (_all, hour, first, second) => `um ${hour}:${pad(first ?? second)} Uhr`,
    ],
    [/(?<!\p{L})(?:am |um )?(?:mittags?|zwölf Uhr)(?!\p{L})/giu, () => 'um 12:00 Uhr'],
    [/um Mitternacht(?!\p{L})/giu, () => 'um 0:00 Uhr'],
  ],
}
