import type { Language } from '@mira/shared'
import type { DateTime } from 'luxon'
import { type Holiday, ofYear } from '../phrases/calendar.ts'
import { relaxed } from '../phrases/patterns.ts'
import { timeWords } from '../phrases/words/index.ts'
import { anyMonthName, countOf, monthNames, numberWords, weekdayNames, weekdayPatterns } from './calendar-names.ts'
import type { RewrittenText } from './rewritten-text.ts'
import { BARRIER } from './time-results.ts'

type ByLanguage<T> = Readonly<Record<Language, T>>
type Rewrite = [RegExp, (...groups: string[]) => string]

const inWords = (language: Language) => numberWords[language].join('|')
const names = (language: Language) => weekdayPatterns[language].join('|')

/** Clock time of minutes before or after an hour: "ten to nine", "zehn nach acht", "las cinco menos diez". */
function clockOf(hour: number, minutes: number): string {
  const all = (hour * 60 + minutes + 24 * 60) % (24 * 60)
  return `${Math.floor(all / 60)}:${String(all % 60).padStart(2, '0')}`
}
const minuteWords: ByLanguage<Readonly<Record<string, number>>> = {
  en: { five: 5, ten: 10, fifteen: 15, twenty: 20, 'twenty-five': 25 },
  es: {
    ...{ cinco: 5, diez: 10, quince: 15, veinte: 20, veinticinco: 25, treinta: 30, 'treinta y cinco': 35 },
    ...{ cuarenta: 40, 'cuarenta y cinco': 45, cincuenta: 50, 'cincuenta y cinco': 55 },
  },
  fr: { cinq: 5, dix: 10, vingt: 20, 'vingt-cinq': 25 },
  de: { fünf: 5, zehn: 10, zwanzig: 20, fünfundzwanzig: 25 },
}
/** Minutes after an English hour: "seven thirty". */
const englishMinutes: Readonly<Record<string, string>> = {
  ...{ ten: '10', fifteen: '15', twenty: '20', thirty: '30', forty: '40', 'forty-five': '45', fifty: '50' },
}
const minutesOf = (text: string | undefined, language: Language) =>
  Number(text) || (minuteWords[language][(text ?? '').toLowerCase()] ?? 0)
const someMinutes = (language: Language) =>
  `(${Object.entries(minuteWords[language]).toReversed().flat().join('|')})(?!\\d)`
const anHour = (language: Language) => String.raw`(\d{1,2}|${inWords(language)})`

/** Clock time of a German part of an hour: "halb neun", "Viertel vor acht". */
function germanPartOf(part: string, hour: number, isNight: boolean): string {
  if (part === 'halb') return clockOf(hour === 1 && !isNight ? 13 : hour, -30)
  return clockOf(hour, part === 'viertel nach' ? 15 : -15)
}

/** Text right before a time of day: its beginning, punctuation or a day. */
const beforeClock = {
  en: String.raw`(?:^|[,.:;]\s|(?:today|tonight|tomorrow|\p{L}day|morning|afternoon|evening)\s)`,
  es: String.raw`(?:^|[,.:;]\s|(?:hoy|mañana|tarde|noche|${weekdayNames.es})\s)`,
  de: String.raw`(?:^|[,.:;]\s|(?:heute|morgen|früh|abend|mittag|\p{L}tag|Mittwoch)\s)`,
}
/** Words after a number that make it a count: "at two places", "a las dos niñas", "um zwei Plätze erweitern", but not names. */
const countedNouns = {
  en: String.raw`(?:of|(?:people|children|men|women|feet|place|point|thing|end|side|glance|time)|(?-i:(?!this|is|was|has|as)\p{Ll}*[^\Ws]s))\b`,
  es: String.raw`(?:minutos?|horas?|días?|semanas?|mes(?:es)?|(?-i:(?!martes|antes|tras|menos)\p{Ll}+[ae]s))(?!\p{L})`,
  de: String.raw`(?:Minuten?|Stunden?|Tage?|Wochen?|Monate?|Jahre?|Uhren|\p{L}+ (?:\p{L}+ )?(?:zu )?(?:bitte|erweiter|verlänger|verkürz|kürz|erhöh|reduzier|senk|verschieb|vergrößer|verkleiner|aufstock|ergänz|kämpf)\p{L}*)(?!\p{L})`,
}
/** Condition after a number word for being a time of day. */
const notACount = (language: 'en' | 'es' | 'de', preposition: string) =>
  String.raw`(?:(?<=${beforeClock[language]}(?:a )?${preposition} \p{L}+)|(?! ${countedNouns[language]}))`

const englishMonths = [...timeWords.en.months, ...timeWords.en.shortMonths].join('|')
/** Positions right before and right after a time of day. */
const aheadOfClock = String.raw`(?=(?: (?:del? )?\d{4})?,? (?:um|gegen|a las?|at|à) \d)`
const behindClock = {
  es: String.raw`(?<=a las? \d{1,2}(?:[:.]\d\d)?,? )`,
  de: String.raw`(?<=um \d{1,2}(?:[:.]\d\d)?(?: Uhr)? )(?!\S+ \p{L}+ (?-i:\p{Lu}))`,
}
const germanOrdinals = [
  ...['erste', 'zweite', 'dritte', 'vierte', 'fünfte', 'sechste', 'siebte', 'achte', 'neunte', 'zehnte', 'elfte'],
  'zwölfte',
]

/** Keeps the parsers from reading a match. */
const hidden = (match = '') => BARRIER.repeat(match.length)

/** Words as typed on a keyboard without accents or umlauts, with those that are read. */
const plainSpellings = (words: [source: string, spelling: string][]): Rewrite[] =>
  words.map(([source, spelling]) => [new RegExp(String.raw`(?<!\p{L})${source}`, 'giu'), () => spelling])

/** Rewrites of common phrases into phrases that are read here and by the parsers. */
export const phraseRewrites: ByLanguage<Rewrite[]> = {
  en: [
    [
      new RegExp(
        String.raw`(?<!\p{L}|\d(?:st|nd|rd|th)? (?:of )?)(${englishMonths}),? (?:the )?(\d{1,2})(?:(?:st|nd|rd|th)\b(?!\s*(?:[-\u2013]|to|until|till|through)\s*\d)|(?=,|,? 20\d\d\b| at | to \D| in the |\s*$))`,
        'giu',
      ),
      (_all, month, day) => `${day} ${month}`,
    ],
    [
      new RegExp(
        String.raw`(?:\bat |^\s*|\b(?=\d+ minutes ))${someMinutes('en')} (?:minutes )?(to|past) ${anHour('en')}(?!\d)( ?[ap]\.?m\b)?`,
        'giu',
      ),
      (_all, minutes, side, hour, half) =>
        `at ${clockOf(countOf(hour, 'en'), (side === 'to' ? -1 : 1) * minutesOf(minutes, 'en'))}${half ?? ''}`,
    ],
    [
      new RegExp(String.raw`\bat (${inWords('en')}) (${Object.keys(englishMinutes).toReversed().join('|')})\b`, 'giu'),
      (_all, hour, minutes = '') => `at ${countOf(hour, 'en')}:${englishMinutes[minutes.toLowerCase()]}`,
    ],
    [
      new RegExp(
        String.raw`^\s*(?=(?:\d{1,2}|${inWords('en')}) (?:tonight|this (?:morning|afternoon|evening)|tomorrow)\b)`,
        'iu',
      ),
      () => 'at ',
    ],
    [/(?<!\S)@ ?(?=\d)/gu, () => 'at '],
    // "at 9 evening dress to the cleaner"
    [
      /(?<=\bat (?:[89]|1[01])(?::\d\d)? )afternoon(?= \p{L})|(?<=\bat \d{1,2}(?::\d\d)? )evening(?= (?:dress|gown|wear|suit|shoes|bag|meal|paper)\b)/giu,
      hidden,
    ],
    // not in "2 hours before 5pm" and "about 5pm meeting at 4"
    [
      /(?:\bat )?(?<!\b(?:minutes?|mins?|hours?|hrs?|days?|weeks?|months?|\d ?h|at \d{1,2}(?: ?[ap]m)?) )\b(?:about|around|before|after) (?=\d{1,2}(?::\d\d)? ?[ap]\.?m\b(?!.* at \d))/giu,
      () => 'at ',
    ],
    [
      /\bbetween (\d{1,2}(?::\d\d)?)( ?[ap]m)? and \d{1,2}(?::\d\d( ?[ap]m)?| ?[ap]m)\b/giu,
      (all = '', clock, half) => `at ${clock}${half ?? /[ap]m$/iu.exec(all)?.[0] ?? ''}`,
    ],
    [/\b(?:(?:at|by|on) )?the (end|last day) of (?=\p{L})/giu, (_all, end) => `${end} of `],
    [/\b(in (?:\w+ )?(?:days?|weeks?|months?|years?))['’]? time\b/giu, (_all, length = '') => length],
    [/\bat (\d{1,2})h(?: ?(\d\d))?\b/giu, (_all, hour, minutes = '00') => `at ${hour}:${minutes}`],
    [/\b(?:on|at|over) the weekend\b/giu, () => 'this weekend'],
    [/\bin a fortnight\b/giu, () => 'in 2 weeks'],
    // "the invoice for May at 6pm"
    [new RegExp(String.raw`(?<=\p{L} for )${monthNames.en}(?=,? at \d)`, 'giu'), hidden],
    [
      new RegExp(String.raw`\b(?:on )?the (\d{1,2})(?:st|nd|rd|th)(?: of)? (?=${anyMonthName})`, 'giu'),
      (_all, day) => `on ${day} `,
    ],
    [
      new RegExp(String.raw`\b(?:on )?the (first|second|third|fourth|fifth) of (?=${anyMonthName})`, 'giu'),
      (_all, day) => `${day} of `,
    ],
    [/\b(?:early|late) (?:this|next) (?:week|month|year)\b/giu, hidden],
    [/\b(every|each) night\b/giu, (_all, every) => `${every} day at night`],
    [
      new RegExp(String.raw`(?<!(?:on|every|each|and|,) )\b(${weekdayNames.en}s)(?= at )`, 'giu'),
      (_all, day) => `on ${day}`,
    ],
    [
      new RegExp(String.raw`\b(half past|quarter (?:past|to)) (${inWords('en')})\b`, 'giu'),
      (_all, part, hour) => `${part} ${countOf(hour, 'en')}`,
    ],
    [
      new RegExp(String.raw`(?<!\blook(?:ing|s|ed)? )\bat (${inWords('en')})\b${notACount('en', 'at')}`, 'giu'),
      (_all, hour) => `at ${countOf(hour, 'en')}`,
    ],
  ],
  es: [
    ...plainSpellings([
      ['manana', 'mañana'],
      ['proxim(?=[oa])', 'próxim'],
      ['dia(?=s?(?!\\p{L}))', 'día'],
      ['mediodia', 'mediodía'],
    ]),
    [
      /(?<!\p{L}|(?<!\p{L})(?:horas?|minutos?|media|cuarto|días?|semanas?) )(?:antes de|después de|despues de|a partir de|desde|hasta|alrededor de) (?=las? [\d\p{L}])/giu,
      () => 'a ',
    ],
    // "la factura de mayo a las 18:00"
    [
      new RegExp(
        String.raw`(?<=\p{L} de )(?<!(?<!\p{L})(?:primero|principios?|comienzos?|inicios?|mediados|finale?s?|fin(?:es)?|mes|semana|quincena|día|uno|\d+|${weekdayNames.es}|${inWords('es')}) de )${monthNames.es}(?=,? a las? \d)`,
        'giu',
      ),
      hidden,
    ],
    [
      new RegExp(
        String.raw`(?<!\p{L})(el |(?<=^\s*)|(?<=(?:${weekdayNames.es}),? )|(?=\p{L}+ de ${monthNames.es}${aheadOfClock}))(uno|${inWords('es')}) de (?=${anyMonthName})`,
        'giu',
      ),
      (_all, article, day) => `${article}${countOf(day, 'es') || 1} de `,
    ],
    [
      new RegExp(String.raw`(?<!\p{L})(?:en )?el día del? (hoy|(?:pasado )?mañana|${weekdayNames.es})(?!\p{L})`, 'giu'),
      (_all, day) => `${day}`,
    ],
    [
      new RegExp(String.raw`(?<!\p{L})(${weekdayNames.es}),? el (?=\d{1,2} de ${anyMonthName})`, 'giu'),
      (_all, weekday) => `${weekday}, `,
    ],
    // not the score of a match
    [
      new RegExp(
        String.raw`(?<!\p{L})((?:${behindClock.es}|(?=\D+\d+-\d+${aheadOfClock}))el (?:día )?\d{1,2})-(?=\d{1,2}(?![\d-]))`,
        'giu',
      ),
      (_all, day) => `${day}/`,
    ],
    [
      new RegExp(
        String.raw`(?<!\p{L}|\d|las? |(?<!\p{L})(?:y|menos) |[:.])(?=(?:\d{1,2}|${inWords('es')}) de la (?:mañana|tarde|noche|madrugada)(?!\p{L}))`,
        'giu',
      ),
      () => 'a las ',
    ],
    [/(a las? \d{1,2})\.(\d\d)(?!\d)/giu, (_all, clock, minutes) => `${clock}:${minutes}`],
    [
      new RegExp(String.raw`(?<!\p{L})(a las?) ${anHour('es')} menos ${someMinutes('es')}(?!\p{L})`, 'giu'),
      (_all, at, hour, minutes) => `${at} ${clockOf(countOf(hour, 'es'), -minutesOf(minutes, 'es'))}`,
    ],
    [
      new RegExp(String.raw`(?<!\p{L})(a las?) ${anHour('es')} y ${someMinutes('es')}(?!\p{L})`, 'giu'),
      (_all, at, hour, minutes) => `${at} ${clockOf(countOf(hour, 'es'), minutesOf(minutes, 'es'))}`,
    ],
    [/(?<!\p{L})(?:en|dentro de) quince días(?!\p{L})/giu, () => 'dentro de 15 días'],
    [/(?<!\p{L})(?:sobre|a eso de|hacia) las? (?=\d)/giu, () => 'a las '],
    [/(?<!\p{L})entre semana(?!\p{L})/giu, () => 'de lunes a viernes'],
    [
      /(?<!(?:todos|cada) )(?<!\p{L})(?:el|este) (?:próximo )?(?:fin de semana|finde)(?!\p{L})(?: que viene)?/giu,
      () => 'el sábado',
    ],
    [/(?<!\p{L})cada mañana(?!\p{L})/giu, () => 'todas las mañanas'],
    [
      new RegExp(String.raw`(?<!\p{L})(a las?) (${inWords('es')})(?!\p{L})${notACount('es', 'las?')}`, 'giu'),
      (_all, at, hour) => `${at} ${countOf(hour, 'es')}`,
    ],
    // a clock is read with what stands behind it
    [
      /(?:por|de|en) la (mañana|madrugada|tarde|noche),? (a las? \d{1,2}(?:[:.]\d\d)?)(?! (?:de|por) la)/giu,
      (_all, part, clock) => `${clock} de la ${part}`,
    ],
  ],
  fr: [
    ...plainSpellings([['apres(?=[- ](?:midi|demain)(?!\\p{L}))', 'après']]),
    [/(?<!\p{L})entre (\d{1,2}h(?:\d\d)?) et \d{1,2}h(?:\d\d)?(?!\d)/giu, (_all, clock) => `à ${clock}`],
    [
      /(?<!\p{L}|(?:\p{L} |\d ?)(?=environ)|(?:\d ?h|minutes?|heures?|jours?|semaines?) )(?:(?:à )?environ|aux alentours de|autour de|à partir de|dès|vers|avant|après|jusqu['’]à) (?=\d{1,2} ?(?:h|heures?)(?!\p{L}))/giu,
      () => 'à ',
    ],
    [
      /(?<!\p{L}|\d|(?<!\p{L})[àa] )(?=\d{1,2} ?(?:h|heures?)(?: ?\d\d)? (?:(?:du|ce) (?:soir|matin)|(?:de l['’]|cet )après-midi|demain)(?!\p{L}))/giu,
      () => 'à ',
    ],
    // the sea and Samuel, not Wednesday and Saturday
    [/(?<=(?<!\p{L})(?:la|une|de|en|haute|pleine) )mer(?![\p{L}.])/giu, hidden],
    [/(?<=\p{L} )(?-i:Sam)(?![\p{L}.])/gu, hidden],
    [new RegExp(String.raw`(?<!\p{L})(?:le )?(?:premier|1er) (?=${anyMonthName})`, 'giu'), () => '1 '],
    [/(?<!\p{L})dans quinze jours(?!\p{L})/giu, () => 'dans 15 jours'],
    [
      new RegExp(String.raw`(?<!\p{L})à ${anHour('fr')} ?(?:h|heures?) moins ${someMinutes('fr')}(?!\p{L})`, 'giu'),
      (_all, hour, minutes) => `à ${clockOf(countOf(hour, 'fr'), -minutesOf(minutes, 'fr')).replace(':', 'h')}`,
    ],
    [/(?<!\p{L})(?:ce|le) week-?end(?: prochain)?(?!\p{L})/giu, () => 'samedi'],
    [/^\s*midi(?=\s*[:,])/iu, () => 'à midi'],
    [/(?<!\p{L})à midi et demie?(?!\p{L})/giu, () => 'à 12h30'],
    [
      new RegExp(
        String.raw`(?<!\p{L})((?:${names('fr')})(?: prochain)?|\d{1,2} ${monthNames.fr}(?: \d{4})?|demain|aujourd['\u2019]hui|ce|vers|pour) midi(?![\p{L}-])`,
        'giu',
      ),
      (_all, day) => (/^(?:ce|vers|pour)$/iu.test(day ?? '') ? 'à midi' : `${day} à midi`),
    ],
    [
      new RegExp(String.raw`(?<!\p{L})à (${inWords('fr')}) heures?(?!\p{L})`, 'giu'),
      (_all, hour) => `à ${countOf(hour, 'fr')} heures`,
    ],
  ],
  de: [
    ...plainSpellings([
      ['naechste', 'nächste'],
      ['uebernaechste', 'übernächste'],
      ['frueh', 'früh'],
    ]),
    // parts of an hour before whole ones
    [
      new RegExp(
        String.raw`(?<!\p{L})(?:um |^\s*(?=\S+ \S+ \S+ Uhr))${someMinutes('de')} (vor|nach) (halb )?${anHour('de')}(?!\p{L})(?: Uhr(?!\p{L}))?`,
        'giu',
      ),
      (_all, minutes, side, half, hour) =>
        `um ${clockOf(countOf(hour, 'de'), (side?.toLowerCase() === 'vor' ? -1 : 1) * minutesOf(minutes, 'de') - (half ? 30 : 0))} Uhr`,
    ],
    [
      new RegExp(
        String.raw`(?<!\p{L})(?:um )?(drei ?viertel|halb|viertel vor|viertel nach) (\d{1,2}(?!\d)|ein|${inWords('de')})(?!\p{L})(?: Uhr(?!\p{L}))?(?=( nachts| morgens| früh)?)`,
        'giu',
      ),
      (_all, part = '', hour, night) =>
        `um ${germanPartOf(part.toLowerCase(), countOf(hour, 'de') || 1, night !== undefined)} Uhr`,
    ],
    [/(?<!\p{L})(?-i:so) (um|gegen)(?!\p{L})/giu, (_all, preposition) => `${preposition}`],
    [/(?<!\p{L})(?:um|gegen) (\d{1,2}(?::\d\d)?) ?h(?!\p{L})/giu, (_all, clock) => `um ${clock} Uhr`],
    [
      /(?<!\p{L}|\d(?: Minuten?)? |(?:Minuten?|Stunden?|Viertelstunde|Tage?n?|Wochen?) )(?:(?:(?-i:so)|etwa|ungefähr|circa|zirka|ca\.?|spätestens|frühestens|pünktlich|kurz) ){0,2}(?:(?:um|gegen|nach|vor) ){0,2}(?:(?:etwa|ungefähr|circa|zirka|ca\.?) )?(?=\d{1,2}(?:[:.]\d\d)? ?Uhr(?!\p{L}))/giu,
      (all = '') => (all === '' ? '' : 'um '),
    ],
    [
      /(?<!\p{L}|[\d:.]|(?:um|Uhr|vor|nach) )(?=\d{1,2}(?::\d\d)?(?: ?Uhr(?: \d\d)?)? (?:nachmittags|abends|am (?:Nachmittag|Abend))(?!\p{L}))/giu,
      () => 'um ',
    ],
    [
      /(?<!\p{L})zwischen (\d{1,2}(?::\d\d)?) und \d{1,2}(?::\d\d(?: ?Uhr)?| ?Uhr)(?!\p{L})/giu,
      (_all, clock) => `um ${clock} Uhr`,
    ],
    [/(?<!\p{L})um (\d{1,2}) (?=am )/giu, (_all, hour) => `um ${hour} Uhr `],
    [
      new RegExp(String.raw`(?<!\p{L})(${weekdayNames.de}),? de[nr] (?=\d{1,2}\. ?${anyMonthName})`, 'giu'),
      (_all, weekday) => `${weekday}, `,
    ],
    [
      new RegExp(
        String.raw`(?<![\p{L}\d.])(?:am |(?<!an )den |(?<=(?:${weekdayNames.de}),? )der |${behindClock.de}|(?=\S+ ${monthNames.de}${aheadOfClock}))(\d{1,2}|${germanOrdinals.join('|')})(?:t?e?[nr]?) (?=${monthNames.de}(?![\p{L}-]))`,
        'giu',
      ),
      (_all, day = '') => `am ${Number(day) || germanOrdinals.indexOf(day.toLowerCase()) + 1}. `,
    ],
    [/um (\d{1,2})\.(\d\d)(?: Uhr)?(?![\d\p{L}.])/giu, (_all, hour, minutes) => `um ${hour}:${minutes} Uhr`],
    [/(?<!\p{L})gegen (\d{1,2}(?::\d\d)?)(?: Uhr)?(?![\d\p{L}.])/giu, (_all, clock) => `um ${clock} Uhr`],
    [/(?<!\p{L})(?:in der )?übernächste[nr]? Woche(?!\p{L})/giu, () => 'in 2 Wochen'],
    [/(?<!\p{L})heute in einer Woche(?!\p{L})/giu, () => 'in 7 Tagen'],
    [/(?<!\p{L})morgen in einer Woche(?!\p{L})/giu, () => 'in 8 Tagen'],
    [/(?<!\p{L})in vierzehn Tagen(?!\p{L})/giu, () => 'in 14 Tagen'],
    [/(?<!\p{L})(?:wochentags|an jedem Werktag|jeden Werktag|an Werktagen)(?!\p{L})/giu, () => 'werktags'],
    [/(?<!\p{L})(?:am|dieses|kommendes|am kommenden) Wochenende(?!\p{L})/giu, () => 'am Samstag'],
    [/(?<!\p{L})jeden Morgen(?!\p{L})/giu, () => 'täglich morgens'],
    [
      new RegExp(
        String.raw`(?<!\p{L})(${weekdayNames.de})(früh|morgen|vormittag|mittag|nachmittag|abend|nacht)(?!\p{L})`,
        'giu',
      ),
      // "Montag morgen" would be tomorrow, too
      (_all, day, part) => `${day} ${/^morgen$/iu.test(part ?? '') ? 'früh' : part}`,
    ],
    // "alle zwei Wochen montags" says more, as does "montags bis freitags"
    [
      new RegExp(
        String.raw`(?<!(?:alle|jede[nrs]?|bis) .{0,40})(?<!\p{L})(${weekdayNames.de})s(?!\p{L})(?! (?:bis|und|,))`,
        'giu',
      ),
      (_all, day) => `jeden ${day}`,
    ],
    [/(?<!\p{L})um ein Uhr(?!\p{L})/giu, () => 'um 1 Uhr'],
    [
      new RegExp(String.raw`(?<!\p{L})um (${inWords('de')})(?!\p{L})(?: Uhr(?!\p{L})|${notACount('de', 'um')})`, 'giu'),
      (_all, hour) => `um ${countOf(hour, 'de')} Uhr`,
    ],
    [/(um \d{1,2}(?:[:.]\d\d)? Uhr) mittags(?!\p{L})/giu, (_all, clock) => clock ?? ''],
  ],
}

/** Weekday of the next week. The parsers take it for the next day of that name. */
const nextWeekdays: ByLanguage<RegExp> = {
  en: new RegExp(
    String.raw`\b(?:on )?(?<day>${names('en')}) (?:of )?next week\b|\bnext week,? (?:on )?(?<after>${names('en')})\b`,
    'iu',
  ),
  es: new RegExp(
    String.raw`(?<!\p{L})(?:el )?(?<day>${names('es')}) de la (?:próxima semana|semana (?:próxima|que viene))(?!\p{L})|(?<!\p{L})la (?:próxima semana|semana (?:próxima|que viene)),? el (?<after>${names('es')})(?!\p{L})`,
    'iu',
  ),
  fr: new RegExp(
    String.raw`(?<!\p{L})(?<day>${names('fr')}) (?:de )?la semaine (?:prochaine|suivante|d['\u2019]après)(?!\p{L})|(?<!\p{L})la semaine prochaine,? (?:le )?(?<after>${names('fr')})(?!\p{L})`,
    'iu',
  ),
  de: new RegExp(
    String.raw`(?<!\p{L})(?:am )?(?<day>${names('de')}) (?:in der |der )?(?:nächste[nr]?|kommende[nr]?) Woche(?!\p{L})|(?<!\p{L})(?:nächste|kommende) Woche,? (?:am )?(?<after>${names('de')})(?!\p{L})`,
    'iu',
  ),
}
/** Weekday some weeks after the next one of its name, one week where none is named. */
const weekFrom: Partial<ByLanguage<RegExp>> = {
  en: new RegExp(
    String.raw`\b(?<weeks>an?|one|two|three|four|[1-4]) weeks? (?:from|on|after) (?<day>${names('en')})\b|\b(?:on )?(?:the )?(?<after>${names('en')}) (?:after next\b|week(?=,? at |\s*$)|in (?<count>two|three|four|[2-4]) weeks\b)`,
    'iu',
  ),
  es: new RegExp(
    String.raw`(?<!\p{L})(?:el )?(?<day>${names('es')}) (?:dentro de|en) (?<count>dos|tres|cuatro|[2-4]) semanas(?!\p{L})`,
    'iu',
  ),
  // not "lundi en 15 fois"
  fr: new RegExp(
    String.raw`(?<!\p{L})(?:(?<day>${names('fr')}) (?:en (?:huit|8|(?<weeks>quinze|15))(?![\p{L}\d])(?! (?!(?:les|des|mes|ses|nos|vers|après|dans)(?!\p{L}))\p{L}{2,}s(?!\p{L}))|dans (?<count>deux|trois|quatre|[2-4]) semaines(?!\p{L})))`,
    'iu',
  ),
  de: new RegExp(
    String.raw`(?<!\p{L})(?:am )?(?<day>${names('de')}) in (?:einer Woche|8 Tagen|acht Tagen|(?<weeks>zwei|drei|vier|[2-4]) Wochen)(?!\p{L})|(?<!\p{L})(?:am )?(?:übernächsten (?<after>${names('de')})|(?<next>${names('de')}) nach dem nächsten)(?!\p{L})`,
    'iu',
  ),
}

/** Weekday with the number of its day: "Tuesday the 12th", "jeudi 14 à 9h", but not "Friday 5 people". */
const numberedWeekdays: ByLanguage<RegExp> = {
  en: numberedWeekday('en', '(?:the )?', '(?:st|nd|rd|th)'),
  es: numberedWeekday('es', '(?:el )?(?:día )?', 'º'),
  fr: numberedWeekday('fr', '(?:le )?', 'er'),
  de: numberedWeekday('de', '(?:den |der )?', '(?:\\.|ten?)'),
}

function numberedWeekday(language: Language, article: string, ordinal: string): RegExp {
  return new RegExp(
    String.raw`(?<!\p{L})(?<day>${names(language)})\.?,? ${article}(?<number>\d{1,2})(?:${ordinal}(?![\d\p{L}]|[- ]?\d)|(?=,? (?:at|um|gegen|a las?|à|vers) ))(?!\s*(?:(?:of|de)\s+)?${anyMonthName})`,
    'iu',
  )
}

const endsOfMonth: ByLanguage<RegExp> = {
  en: /\b(?:(?:at|by|on) )?(?:the )?(?:end|last day) of (?:the|this) month\b/iu,
  es: /(?<!\p{L})a (?:fin(?:al(?:es)?)?|últimos) de(?: este)? mes(?!\p{L})/iu,
  fr: /(?<!\p{L})(?:à la |en )?(?:fin (?:du|de ce) mois(?!\p{L}| de )|fin de mois(?=,? à \d|\s*$)(?<!\p{L} de fin de mois))/iu,
  de: /(?<!\p{L})(?:am|zum|bis) (?:Monatsende|Ende (?:des|dieses) Monats)(?!\p{L})/iu,
}
const endsOfYear: ByLanguage<RegExp> = {
  en: /(?:\b(?:at|by|on) (?:the )?|^\s*(?:the )?|\b(?=(?:end|last day) of (?:the|this) year,? at \d))(?:end|last day) of (?:the|this) year\b/iu,
  es: /(?<!\p{L})a (?:fin(?:al(?:es)?)?|últimos) de(?: este)? año(?!\p{L})/iu,
  fr: /(?<!\p{L})(?:d['’]ici (?:à )?la |à la |en |^\s*|(?=fin \P{L}*\p{L}+.{0,9}année,? à \d))fin (?:de l['’]|d['’]|de cette )année(?!\p{L})/iu,
  de: /(?<!\p{L})(?:am|zum|bis) (?:Jahresende|Ende (?:des|dieses) Jahres)(?!\p{L})/iu,
}

/** Day of this month or the next. The parsers ignore the month. */
const daysOfNamedMonth =
  /\b(?:on )?(?:the )?(\d{1,2})(?:(?:st|nd|rd|th)(?: day)?)? of (?:the )?(this|current|next|coming|following) month\b/iu

/** Hours after midnight of the coming night. */
const nightHours: ByLanguage<RegExp> = {
  en: /\btonight (at [1-5](?::\d\d)?)(?![\d:])(?! ?p)( ?a\.?m\b\.?)?/iu,
  es: /(?<!\p{L})esta (?:noche|madrugada) (a las? [1-5](?::\d\d)?)(?![\d:])/iu,
  fr: /(?<!\p{L})cette nuit (à [1-5] ?(?:h|heures?)(?:\d\d)?)(?![\d\p{L}])/iu,
  de: /(?<!\p{L})heute nacht (um [1-5](?::\d\d)?)(?: Uhr)?(?![\d:])/iu,
}

/** Numeric days that the parsers ignore, day first. Without a preposition or a time they may be fractions or versions. */
const numericDays: Partial<ByLanguage<RegExp>> = {
  en: /(?<![\p{L}\d.])(?:on (?=\d)|(?=\d{1,2}\.\d{1,2}\.,? at ))(\d{1,2})\.(\d{1,2})\.(?! ?\d)/iu,
  fr: /(?<![\p{L}\d/])(?:le (?=\d)|(?=\d{1,2}\/\d{1,2}(?:\/\d\d)?,? à ))(\d{1,2})\/(\d{1,2})(?:\/(\d\d))?(?![\d/])/iu,
  de: /(?<![\p{L}\d.])(?:am (?=\d)|(?<!für )den (?=\d)|(?<=(?:den|zum) )(?=\d)|(?=\d{1,2}\.\d{1,2}\.(?:\d\d)?,? (?:um|gegen) ))(\d{1,2})\.(\d{1,2})(?:\.|(?=,? (?:um|gegen) ))(\d\d)?(?! ?\d)/iu,
}

/** Words before a holiday. */
const onDays: Readonly<Record<Language, string>> = {
  en: '(?:(?:on|at|this|next|this coming) ){1,2}',
  es: '(?:(?:en|el día de|el|la|este|est[ae]|próxim[oa]) ){1,2}',
  fr: '(?:à|le jour de|pour|le) ',
  de: '(?:(?:an|am|zu|diese[ns]|nächste[ns]) ){1,2}',
}
const ofYears = String.raw`(?:,? (?:of |del? )?(20\d\d))?`

/** A distance from a holiday. It isn't supported, and the parsers take it for one from today. */
export const besideHolidays: ByLanguage<RegExp> = {
  en: besideHoliday('en', '(?:before|after|from)'),
  es: besideHoliday('es', '(?:antes|después) del?(?: la)?'),
  fr: besideHoliday('fr', '(?:avant|après)(?: la| le)?'),
  de: besideHoliday('de', '(?:vor|nach)(?: de[mnr])?'),
}

function besideHoliday(language: Language, side: string): RegExp {
  const { units, holidays } = timeWords[language]
  const [unit, holiday] = [units, holidays].map((words) => Object.values(words).join('|'))
  return new RegExp(`(?<!\\p{L})${relaxed(`(?:${unit}) ${side} (?:${holiday})`)}(?!\\p{L})`, 'iu')
}

const clockBefore: Readonly<Record<Language, string>> = {
  en: String.raw`\d ?(?:[ap]\.?m\.? )?`,
  es: String.raw`\d ?(?:h |horas )?`,
  fr: String.raw`\d ?(?:h |heures )?`,
  de: String.raw`\d ?(?:Uhr )?`,
}
const clockBehind = String.raw`(?=,? (?:at|um|gegen|a las?|à) \d)`
const DAY_MS = 86_400_000
/** Days ahead in which "Tuesday the 12th" is looked for; later ones are more likely mistakes. */
const DAYS_OF_NUMBERED_WEEKDAY = 62

const weekCountOf = (text: string, language: Language) =>
  /^(?:quinze|15)$/iu.test(text) ? 2 : /^an?$/iu.test(text) ? 1 : countOf(text, language)

/**
 * Pattern and next day of a holiday; the day is null for a holiday of several days. A holiday means a day after a
 * preposition, beside a time of day or alone: not in "Christmas shopping".
 */
export function holidayIn(text: string, here: DateTime, language: Language) {
  for (const [holiday, source] of Object.entries(timeWords[language].holidays) as [Holiday, string][]) {
    const name = `(?:${relaxed(source)})(?!\\p{L})${ofYears}`
    const [on, clock] = [onDays[language], clockBefore[language]]
    const pattern = new RegExp(
      `^\\s*(?:${on}${name}|${name}(?=\\s*(?:$|[,:])))|(?<!\\p{L})(?:${on})?${name}${clockBehind}|(?<=${clock})(?:${on}${name}|${name}(?=\\s*(?:$|[,:])))`,
      'iu',
    )
    const match = pattern.exec(text)
    if (match === null) continue
    const stated = match.slice(1).find((year) => year !== undefined)
    const [span] = (stated === undefined ? [here.year, here.year + 1] : [Number(stated)])
      .flatMap((year) => ofYear({ kind: 'holiday', holiday }, year, here) ?? [])
      .filter(({ from }) => from >= here.startOf('day'))
    if (span === undefined) return { pattern, day: null }
    // the night of the 31st of December is in its span
    const isOneDay = holiday === 'newYearsEve' || span.to.toMillis() - span.from.toMillis() <= DAY_MS
    return { pattern, day: isOneDay ? span.from : null }
  }
  return null
}

/**
 * Writes out numeric days and days of weeks and months. Returns `past` for a numeric day of the past, `impossible` for one that
 * doesn't exist, else null.
 */
export function rewriteDays(
  text: RewrittenText,
  here: DateTime,
  language: Language,
  write: (day: DateTime) => string,
): 'past' | 'impossible' | null {
  const weekdayOf = (groups: unknown) => {
    const { day, after, next } = groups as Record<string, string | undefined>
    const name = day ?? after ?? next ?? ''
    return weekdayPatterns[language].findIndex((source) => new RegExp(`^(?:${source})$`, 'iu').test(name))
  }
  text.replace(nextWeekdays[language], (...groups) =>
    write(here.startOf('week').plus({ weeks: 1, days: weekdayOf(groups.at(-1)) })),
  )
  const ofNextWeek = weekFrom[language]
  if (ofNextWeek !== undefined) {
    text.replace(ofNextWeek, (...groups) => {
      const { count, weeks = count } = groups.at(-1) as unknown as Record<string, string | undefined>
      const daysAway = (weekdayOf(groups.at(-1)) + 1 - here.weekday + 7) % 7 || 7
      return write(here.plus({ days: daysAway, weeks: weeks === undefined ? 1 : weekCountOf(weeks, language) }))
    })
  }
  const numbered = numberedWeekdays[language].exec(text.text)
  if (numbered !== null) {
    const number = Number(numbered.groups?.number)
    const weekday = weekdayOf(numbered.groups) + 1
    const day = Array.from({ length: DAYS_OF_NUMBERED_WEEKDAY }, (_, days) => here.plus({ days })).find(
      (one) => one.day === number && one.weekday === weekday,
    )
    if (day === undefined) {
      text.replace(numberedWeekdays[language], hidden)
      return 'impossible'
    }
    text.replace(numberedWeekdays[language], () => write(day))
  }
  text.replace(endsOfMonth[language], () => write(here.endOf('month')))
  text.replace(endsOfYear[language], () => write(here.endOf('year')))
  if (language === 'en') {
    text.replace(daysOfNamedMonth, (all = '', number, which) => {
      const month = here.startOf('month').plus({ months: /^(?:this|current)$/iu.test(which ?? '') ? 0 : 1 })
      const day = Number(number)
      return day >= 1 && day <= (month.daysInMonth ?? 0) ? write(month.set({ day })) : all
    })
  }
  text.replace(nightHours[language], (_all, clock = '', morning?: string | number) => {
    const [hour = 0, minute = 0] = (clock.match(/\d+/g) ?? []).map(Number)
    const at = (hours: number) => here.set({ hour: hours, minute, second: 0, millisecond: 0 })
    // by day, "tonight at 5" is the end of the afternoon
    const isMorning = language !== 'en' || typeof morning === 'string' || hour < 4 || here.hour < 6
    const isAfternoon = !isMorning && at(hour + 12) > here
    const suffix = language === 'en' ? (isAfternoon ? ' pm' : ' am') : ''
    const isToday = isAfternoon || at(hour) > here
    return `${write(isToday ? here : here.plus({ days: 1 }))} ${clock}${suffix}`
  })
  const pattern = numericDays[language]
  const numeric = pattern?.exec(text.text)
  if (pattern === undefined || !numeric) return null
  const [, day, month, year] = numeric
  const days = (year === undefined ? [here.year, here.year + 1] : [2000 + Number(year)])
    .map((year) => here.set({ year, month: 1, day: 1 }).set({ month: Number(month), day: Number(day) }))
    .filter((one) => one.day === Number(day) && one.month === Number(month))
  const next = days.find((one) => one >= here.startOf('day'))
  const isTitle = /(?<!\p{L})zum $/iu.test(text.text.slice(0, numeric.index))
  const hasClock = new RegExp(`^${clockBehind}`, 'iu').test(text.text.slice(numeric.index + numeric[0].length))
  // "Rechnung zum 31.12.25"
  if (next === undefined && days.length > 0 && isTitle && !hasClock) {
    text.replace(pattern, (match = '') => BARRIER.repeat(match.length))
    return null
  }
  if (next === undefined) return days.length > 0 ? 'past' : 'impossible'
  // behind a weekday, it's one date with it
  const isOfWeekday = new RegExp(String.raw`(?:${names(language)})\.?,?\s*(?:de[nr] )?$`, 'iu').test(
    text.text.slice(0, numeric.index),
  )
  text.replace(pattern, () => (isOfWeekday ? write(next).replace(BARRIER, '') : write(next)))
  return null
}
