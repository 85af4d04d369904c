import type { Language } from '@mira/shared'
import { anyMonthName, countOf, monthSources, numberWords, weekdaySources } from './calendar-names.ts'
import { durationsAhead } from './spoken-durations.ts'

type ByLanguage<T> = Readonly<Record<Language, T>>
type Groups = RegExpMatchArray

const insensitive = (source: string) => new RegExp(source, 'iu')

/** Time before now, such as last Monday, which the parsers mistake for the next one. */
export const pastTimes: ByLanguage<RegExp> = {
  en: insensitive(
    String.raw`\b(?:${weekdaySources.en} (?:of )?)?last (?:${weekdaySources.en}|week|weekend|month|year|night)\b(?:,? (?:on )?${weekdaySources.en}\b)?`,
  ),
  es: insensitive(
    String.raw`(?<!\p{L})(?:(?:${weekdaySources.es}|mes|año|fin de semana|finde) pasado|(?:(?:el )?${weekdaySources.es} de la )?(?:semana|noche) pasada(?:,? el ${weekdaySources.es})?|anoche)(?!\p{L})`,
  ),
  fr: insensitive(
    String.raw`(?<!\p{L})(?:${weekdaySources.fr}|mois|an|week-?end) (?:dernier|passé)(?!\p{L})|(?<!\p{L})(?:${weekdaySources.fr} (?:de )?la )?(?:semaine|année|nuit) dernière(?:,? (?:le )?${weekdaySources.fr})?(?!\p{L})`,
  ),
  de: insensitive(
    String.raw`(?<!\p{L})(?:${weekdaySources.de} (?:(?:in )?der )?)?(?:letzte|vorige|vergangene)[nrs]? (?:${weekdaySources.de}|Woche|Wochenende|Monat|Jahr|Nacht)(?:,? (?:am )?${weekdaySources.de})?(?!\p{L})`,
  ),
}

/** Weekdays by their rank in a month or their number in a week, which aren't supported and which the parsers mistake for days. */
export const weekdaysOfMonth: ByLanguage<RegExp> = {
  en: insensitive(
    String.raw`\b(?:first|second|third|fourth|last|\d(?:st|nd|rd|th)) ${weekdaySources.en} (?:of|in) |\b(?:\d{1,2}|${numberWords.en.join('|')}) ${weekdaySources.en}s? from (?:now|today)\b|\b(?:[1-6]|${numberWords.en.slice(0, 6).join('|')}) days? (?:a|per|each|every) week\b`,
  ),
  es: insensitive(
    String.raw`(?<!\p{L})(?:(?:primer|segundo|tercer|cuarto|último) ${weekdaySources.es} de|(?:[1-6]|${numberWords.es.slice(0, 6).join('|')}) días? (?:a la|por) semana(?!\p{L}))`,
  ),
  fr: insensitive(
    String.raw`(?<!\p{L})(?:premier|deuxième|second|troisième|quatrième|dernier) ${weekdaySources.fr} (?:du|de)(?!\p{L})`,
  ),
  de: insensitive(
    String.raw`(?<!\p{L})(?:(?:erste|zweite|dritte|vierte|letzte)[nrs]?|\d\.) ${weekdaySources.de} (?:im|des|jede[ns]|eines)(?!\p{L})`,
  ),
}

const everyMonthOf = {
  en: String.raw`(?: of (?:the|each|every) month)?(?!\s+(?:days?|weeks?|months?|years?|hours?|minutes?|mon|tue|wed|thu|fri|sat|sun|(?:of )?${anyMonthName}))`,
  fr: String.raw`(?:er)?(?!\d)(?: (?:du|de chaque) mois)?(?!\s*(?:(?:jours?|heures?|minutes?|semaines?|mois|ans?|années?)(?!\p{L})|${anyMonthName}))`,
  de: String.raw`(?: (?:des|im|jede[ns]) Monats?)?(?!\s*(?:\d|Tag|Woche|Monat|Jahr|Stunde|Minute|Mo|Di|Mi|Do|Fr|Sa|So|${anyMonthName}))`,
}

/** Rewrites of a day of each month into a recurrence and a day. */
export const daysOfEachMonth: ByLanguage<[RegExp, string][]> = {
  en: [
    [
      new RegExp(String.raw`\b(?:on )?(?:every|each) (\d{1,2})(?:st|nd|rd|th)\b${everyMonthOf.en}`, 'iu'),
      'monthly on the $1th',
    ],
    [/\b(?:on )?the (\d{1,2})(?:st|nd|rd|th) of (?:each|every) month\b/iu, 'monthly on the $1th'],
    [/\b(?:on )?the first (?:day )?of (?:each|every) month\b/iu, 'monthly on the 1st'],
    [/\b(?:on )?(?:each|every) (?:first|1st)(?: day)? of (?:the|each|every) month\b/iu, 'monthly on the 1st'],
  ],
  es: [
    [
      /(?<!\p{L})(?:cada|todos los|los) días? (\d{1,2})(?![\d:])(?: (?:de cada|del) mes)?(?!\p{L})/iu,
      'mensualmente el $1',
    ],
    [/(?<!\p{L})el (?:día )?(\d{1,2}) de (?:cada mes|todos los meses)(?!\p{L})/iu, 'mensualmente el $1'],
    [/(?<!\p{L})(?:el|cada) primero de (?:cada mes|todos los meses|mes)(?!\p{L})/iu, 'mensualmente el 1'],
  ],
  fr: [
    [/(?<!\p{L})tous les (?:premiers|1ers) du mois(?!\p{L})/iu, 'mensuellement le 1'],
    [/(?<!\p{L})le (?:premier|1er) de chaque mois(?!\p{L})/iu, 'mensuellement le 1'],
    [new RegExp(String.raw`(?<!\p{L})tous les (\d{1,2})${everyMonthOf.fr}`, 'iu'), 'mensuellement le $1'],
  ],
  de: [
    [new RegExp(String.raw`(?<!\p{L})(?:jeden|an jedem) (\d{1,2})\.${everyMonthOf.de}`, 'iu'), 'monatlich am $1.'],
    [/(?<!\p{L})am (\d{1,2})\. (?:jedes|jeden|eines jeden) Monats?(?!\p{L})/iu, 'monatlich am $1.'],
    [/(?<!\p{L})jeden ersten(?: Tag)? (?:des|im) Monats?(?!\p{L})/iu, 'monatlich am 1.'],
    [/(?<!\p{L})am ersten(?: Tag)? (?:jedes|jeden|eines jeden) Monats?(?!\p{L})/iu, 'monatlich am 1.'],
  ],
}

/** Duration before now, which the parsers ignore. */
export const pastDuration: RegExp =
  /(?:\b(?:in|en|dentro de|dans)\s+)(?:[-−–]\s*\d|minus\s|menos\s|moins\s)|\b\d+\s+(?:minutes?|hours?|days?|weeks?) ago\b|\bhace\s+\d+\s|\bil y a\s+\d+\s|\bvor\s+\d+\s+(?:Minuten?|Stunden?|Tagen?|Wochen?)/iu

const counts = (language: Language) => String.raw`(\d{1,3}|${numberWords[language].join('|')})`
const decimalHours = ([, hours, part]: Groups) => Math.round(Number(`${hours}.${part}`) * 60)
const hoursAndMinutes = ([, hours, minutes]: Groups) => number(hours) * 60 + number(minutes)

const number = (text: string | undefined) => Number(text ?? 0)

/** Patterns of durations that the parsers don't read, each with its length in minutes; NaN for a match that isn't a duration. */
export const relativeDurations: ByLanguage<[RegExp, (groups: Groups) => number][]> = {
  en: [...durationsAhead('en', 'in'), [/\bin (\d{1,2}) ?h ?(\d\d)(?!\d)/iu, hoursAndMinutes]],
  es: [
    ...durationsAhead('es', '(?:dentro de|en)'),
    [/(?:dentro de|en) (\d{1,2})[.,](\d{1,2}) horas(?!\p{L})/iu, decimalHours],
    [/(?:dentro de|en) (\d{1,2}) ?h ?(\d\d)(?!\d)/iu, hoursAndMinutes],
    [/(?:dentro de|en) un par de horas(?!\p{L})/iu, () => 120],
    [
      new RegExp(String.raw`(?:dentro de|en) ${counts('es')} horas? y (\d{1,3}) minutos?(?!\p{L})`, 'iu'),
      ([, hours, minutes]) => countOf(hours, 'es') * 60 + number(minutes),
    ],
  ],
  fr: [
    ...durationsAhead('fr', 'dans'),
    [/dans (\d{1,2})[.,](\d{1,2}) heures?(?!\p{L})/iu, decimalHours],
    [/dans (\d{1,2}) ?h(?:eures?)? ?(?:et )?(\d{1,2})(?: ?min(?:utes?)?(?!\p{L}))?(?!\d)/iu, hoursAndMinutes],
  ],
  de: [
    ...durationsAhead('de', 'in'),
    [/in (\d{1,2})[.,](\d{1,2}) Stunden(?!\p{L})/iu, decimalHours],
    [
      new RegExp(String.raw`in (?:einer|${counts('de')}) Stunden? und (\d{1,3}) Minuten?(?!\p{L})`, 'iu'),
      ([, hours, minutes]) => (hours === undefined ? 1 : countOf(hours, 'de')) * 60 + number(minutes),
    ],
  ],
}

/** Not in "review the following week". */
const notPlanned = String.raw`(?<!\b(?:review|plan|prepare|discuss|organi[sz]e|schedule|check|see) (?:the )?)`

/** Words for days relative to today, with their distance in days or months; longer ones first. */
export const dayWords: ByLanguage<[RegExp, number | { months: number }][]> = {
  en: [
    [/\b(?:the )?day after tomorrow\b/giu, 2],
    [/\b(?:the )?week after next\b/giu, 14],
    [new RegExp(String.raw`${notPlanned}\b(?:the )?(?:following|coming|upcoming) week\b`, 'giu'), 7],
    [/\btomorrow\b/giu, 1],
  ],
  es: [
    [/(?<!\p{L})pasado mañana(?!\p{L})/giu, 2],
    [/(?<!\p{L})(?:la )?(?:próxima semana|semana (?:próxima|que viene))(?!\p{L})/giu, 7],
    [/(?<!\p{L})(?<!del )(?:el )?(?:próximo mes|mes (?:próximo|que viene))(?!\p{L})/giu, { months: 1 }],
    // "por la mañana" is a part of the day
    [/(?<!la )(?<!\p{L})mañana(?!\p{L})/giu, 1],
  ],
  fr: [
    [/(?<![\p{L}'’])après[- ]demain(?!\p{L})/giu, 2],
    [/(?<!\p{L})demain(?!\p{L})/giu, 1],
    [/(?<!\p{L})(?:la )?semaine (?:prochaine|suivante|qui vient|qui suit|d['’]après)(?!\p{L})/giu, 7],
    [/(?<!\p{L})(?<!du )(?:le )?mois prochain(?!\p{L})/giu, { months: 1 }],
  ],
  de: [
    [/(?<!\p{L})übermorgen(?!\p{L})/giu, 2],
    // "Montag morgen", "am Morgen" are parts of the day
    [new RegExp(String.raw`(?<!\p{L})morgen(?!\p{L})(?<!(?:${weekdaySources.de}|am|jeden|heute) morgen)`, 'giu'), 1],
  ],
}

/** 29 February without a year, for which the parsers only try this year. */
export const leapDays: ByLanguage<RegExp> = {
  en: /\b(?:(?:the )?29(?:th)?(?: of)? feb(?:ruary)?|feb(?:ruary)?\.? (?:the )?29(?:th)?)(?![\p{L}\d])(?![.,]? \d{4})/iu,
  es: /(?<![\p{L}\d])29 de feb(?:rero)?(?!\p{L})(?!\.? del? \d{4})/iu,
  fr: /(?<![\p{L}\d])29 f[eé]v(?:r(?:ier)?)?(?!\p{L})(?!\.? \d{4})/iu,
  de: /(?<![\p{L}\d])29\. ?feb(?:ruar|er)?(?!\p{L})(?!\.? \d{4})/iu,
}

const germanMonth = `(?:im|Anfang|Mitte|Ende) ${monthSources.de}`
const frenchMonth = `(?:en|début|mi-|fin) ?${monthSources.fr}`

/** Month without a day, at the beginning or beside a time of day, in languages whose parsers ignore it. */
export const monthsAlone: Partial<ByLanguage<RegExp>> = {
  fr: new RegExp(
    String.raw`^\s*${frenchMonth}(?!\p{L})|(?<!\p{L})${frenchMonth},? à \d|à \d\d?:\d\d ${frenchMonth}(?!\p{L})`,
    'iu',
  ),
  de: new RegExp(
    String.raw`^\s*${germanMonth}(?!\p{L})|(?<!\p{L})${germanMonth},? um \d|Uhr ${germanMonth}(?!\p{L})`,
    'iu',
  ),
}

const monthsAhead = String.raw`\s*(?:(?:of|de)\s+)?${anyMonthName}`

/** Day of a month without the month. */
export const daysOfMonth: ByLanguage<RegExp> = {
  en: new RegExp(
    String.raw`\b(?:on (?:the )?|the )(\d{1,2}|first)(?:(?<=on the \d+)(?:st|nd|rd|th)\b(?! (?:floor|street|avenue|anniversary|birthday)\b)|(?<=\d)(?:st|nd|rd|th)(?=,? at |\s*$|, | to (?!\d))|(?<=(?:^\s*on|on the) (?:\d+|first))(?=,? at \d)|(?<=(?:at \d{1,2}(?::\d\d)?(?: ?[ap]\.?m\.?)?|^\s*) on the (?:\d+|first))(?=\s*$|,| to (?!\d)))(?!${monthsAhead})`,
    'giu',
  ),
  es: new RegExp(String.raw`(?<!\p{L})el (?:día )?(\d{1,2})(?![\d:/.-]| \d)(?!${monthsAhead})`, 'giu'),
  fr: new RegExp(String.raw`(?<!\p{L})le (\d{1,2})(?:er)?(?![\p{L}\d:/.-]| \d)(?!${monthsAhead})`, 'giu'),
  de: new RegExp(String.raw`(?<!\p{L})am (\d{1,2})(?:\.|ten?)(?!\s*\d|\p{L})(?!${monthsAhead})`, 'giu'),
}

/** Parts of the day, with the hour that they mean where no time is stated. */
export const partsOfDay: ByLanguage<[RegExp, number][]> = {
  en: [
    [/\b(?:in the |this |every )?morning\b/iu, 9],
    [/\b(?:in the |this )?afternoon\b/iu, 15],
    [/\b(?:in the |this )?evening\b/iu, 19],
    [insensitive(String.raw`\btonight\b|\bat night\b|(?<=\b(?:20\d\d|${weekdaySources.en}) )night\b`), 21],
  ],
  es: [
    [/(?:por|de|en|esta) ?(?:la )?mañana(?!\p{L})|(?<!\p{L})mañanas(?!\p{L})/iu, 9],
    [/(?:por|de|en|esta) ?(?:la )?tarde(?!\p{L})|(?<!\p{L})tardes(?!\p{L})/iu, 17],
    [/(?:por|de|en|esta) ?(?:la )?noche(?!\p{L})|(?<!\p{L})noches(?!\p{L})/iu, 21],
  ],
  fr: [
    [
      /(?<!\p{L})(?:(?:(?:très )?tôt )?(?:le |du |ce )?matins?(?: (?:très )?tôt)?|dans (?:la|ma) matinée)(?!\p{L})/iu,
      9,
    ],
    [/(?<!\p{L})(?:(?:en |à la )?fin (?:de l['’]|d['’]|de cet )après-midi)(?!\p{L})/iu, 17],
    [/(?:(?:(?:en |au )?(?:début|milieu) (?:de |d['’]))?(?:dans )?(?:l['’]|cet )?)?après-midi(?!\p{L})/iu, 15],
    [/(?<!\p{L})(?:(?:le |du |ce )?soirs?|dans la soirée)(?!\p{L})/iu, 19],
    [/(?<!\p{L})(?:cette nuit|nuitamment)(?!\p{L})/iu, 22],
  ],
  de: [
    [/(?<!\p{L})(?:(?:in der )?früh|morgens|(?:am |heute )?Vormittag|(?:am |heute )?Morgen)(?![\p{L}-])/iu, 9],
    [/(?<!\p{L})(?:nachmittags|(?:am )?Nachmittag)(?![\p{L}-])/iu, 15],
    [/(?<!\p{L})(?:abends|(?:am )?Abend)(?![\p{L}-])/iu, 19],
    [
      insensitive(String.raw`(?<!\p{L})(?:heute Nacht|nachts|(?<=(?:20\d\d|${weekdaySources.de}) )Nacht)(?![\p{L}-])`),
      22,
    ],
  ],
}

/** Sources of the names of units of a day or more. */
export const farUnits: ByLanguage<string> = {
  en: 'days?|weeks?|weekends?|months?|years?',
  es: 'días?|semanas?|fin(?:es)? de semana|mes(?:es)?|años?',
  fr: 'jours?|semaines?|week-?ends?|mois|ans?|années?',
  de: 'Tage?|Wochen?|Wochenendes?|Monate?s?|Jahre?s?',
}

/**
 * Words beside a time that show that it wasn't read as a whole: `before` or `after` any part of it ("the end of next week"), or,
 * for a time of day without a day, `beforeClock` ("next quarter at 9") or `day` before it together with `task` after it ("on
 * Diwali at 9 to …").
 */
export const unreadTimes: ByLanguage<Record<'before' | 'after' | 'beforeClock' | 'day' | 'task', RegExp>> = {
  en: {
    before: insensitive(
      String.raw`\b(?:(?:beginning|start|middle|rest|first|end|${farUnits.en}) (?:of|in|from|after|before)(?: the)?|\d(?:st|nd|rd|th) (?:of|to)(?: the)?|(?:\d{1,2}|five|ten|fifteen|twenty|thirty)(?: minutes?)? (?:past|to|from|after))\s*$`,
    ),
    after: insensitive(
      String.raw`^\s*(?:after next\b|(?:the )?(?:day|night|evening|morning|week) before\b(?! yesterday)|from now\b|hence\b|\d\d(?=\s*$| to ))`,
    ),
    beforeClock: insensitive(
      String.raw`\b(?:(?:beginning|start|end) of (?:the )?(?:week|month|year)|${notPlanned}(?:next|coming|upcoming|following) (?:${farUnits.en}|quarter|season|spring|summer|autumn|fall|winter)|(?:in|since|after|of) 20\d\d|(?:black|cyber|ash|palm|shrove) \p{L}+day)\s*$`,
    ),
    day: insensitive(
      String.raw`^\s*(?:on (?:.*[\s\d])?(?:first|last|\d+(?:st|nd|rd|th)?|eve|anniversary|month|year|weekend|diwali|hanukkah|eid|ramadan|purim|passover|kippur|hashanah|holi|nowruz)|\S.*\b\p{L}*day|\S.*\b20\d\d)\s*$`,
    ),
    task: insensitive(String.raw`^\s*to\b`),
  },
  es: {
    before: insensitive(
      String.raw`(?<!\p{L})(?:(?:principios?|comienzos?|mediados|final(?:es)?|fin(?:es)?|últimos|${farUnits.es}) (?:de(?: la|l)?|después de|antes de)|(?:minutos?|horas?|hora y media|cuarto) (?:después|despues|antes) de)\s*$`,
    ),
    after: insensitive(String.raw`^\s*(?:siguiente|\d\d(?=\s*$))(?!\p{L})`),
    beforeClock: insensitive(
      String.raw`(?<!\p{L})(?:(?:próxim[oa]s?|siguiente) (?:${farUnits.es}|trimestre|verano|invierno|otoño|primavera)|(?:${farUnits.es}) (?:siguiente|próxim[oa]s?)|(?:quincena|${farUnits.es}) de ${monthSources.es}|en 20\d\d)\s*$`,
    ),
    day: insensitive(
      String.raw`^\s*(?:el|en) (?:.*[\s\d])?(?:día|\d+|primero|último|mes|año|cumpleaños|aniversario|fiestas?|feriado|festivo|puente|santo|diwali|ramadán)\s*$|^\s*el día de \S`,
    ),
    task: insensitive(String.raw`^\s*(?:que|\p{L}+[aei]r(?:me|te|se|l[aeo]s?)?)(?!\p{L})`),
  },
  fr: {
    before: insensitive(
      String.raw`(?<!\p{L})(?:(?:début|milieu|fin|lendemain|veille|${farUnits.fr}) (?:de(?: la)?|du|d['\u2019]|avant)|(?:minutes?|heures?|quart|demie|^\s*\d+ ?h) (?:avant|après)|\d+ au)\s*$`,
    ),
    after: insensitive(String.raw`^\s*(?:suivant|d['\u2019]après)(?!\p{L})`),
    beforeClock: insensitive(
      String.raw`(?<!\p{L})(?:(?:début|milieu|fin) (?:de |du |d['\u2019]|de la |de l['\u2019])(?:semaine|mois|année)|lendemain|(?:${farUnits.fr}) (?:suivante?s?|plus tard|après|d['\u2019]après)|prochaine?s (?:${farUnits.fr})|(?:début|mi-|fin|quinzaine|${farUnits.fr}) ?(?:du mois )?(?:de |d['\u2019])?${monthSources.fr}|en 20\d\d)\s*$`,
    ),
    day: insensitive(
      String.raw`^\s*(?:le|à|au|pour) (?:.*[\s\d'\u2019])?(?:jour|\d+(?:er)?|premier|dernier|mois|an|année|anniversaire|fêtes?|férié|diwali|ramadan|aïd)\s*$|^\s*le jour de \S`,
    ),
    task: insensitive(String.raw`^\s*(?:de |d['\u2019]|que |qu['\u2019])`),
  },
  de: {
    before: insensitive(
      String.raw`(?<!\p{L})(?:(?<!(?:am|der|das|dem|zu) )(?:Anfang|Beginn|Mitte|Ende)(?: (?:der|des|vom|von|im))?|(?:${farUnits.de}) (?:der|des|vom|von|nach|vor|im)|(?:(?:Minuten?|Stunden?|Viertelstunde)|\d|fünf|zehn|zwanzig) (?:nach|vor))\s*$`,
    ),
    after: insensitive(String.raw`^\s*nach dem nächsten(?!\p{L})`),
    beforeClock: insensitive(
      String.raw`(?<!\p{L})(?:(?:Anfang|Beginn|Mitte|Ende) (?:der|des) (?:Woche|Monats|Jahres)|(?:nächste|kommende|übernächste)[nrsm]? (?:paar )?(?:${farUnits.de}|Quartals?|Sommer|Winter|Herbst|Frühling)|(?:im Jahr|in) 20\d\d)\s*$`,
    ),
    day: insensitive(
      String.raw`^\s*(?:am|an|zu) (?:.*[\s\d])?(?:\p{L}*(?:tag|abend|fest|ferien|monats|jahres)|ersten|letzten|\d+\.?|diwali|ramadan)\s*$`,
    ),
    task: insensitive(String.raw`^\s*(?:daran|an|dass)(?!\p{L})`),
  },
}

/** Words that belong to the time right after them. */
export const leadingWords: ByLanguage<RegExp> = {
  en: /(?:^|\s)(?:(?:on )?(?:this )?coming|on|at|by|for|from|around|after|before|since|until|till)\s*$/iu,
  es: /(?:^|\s)(?:a|el|los|del|para|para el|(?:antes|después|a partir) del?|(?:hasta|desde)(?: el)?)\s*$/iu,
  fr: /(?:^|\s)(?:à|le|les|pour|pour le|vers|(?:avant|après|dès|d['’]ici)(?: le)?|jusqu['’](?:à|au)|à partir du)\s*$/iu,
  de: /(?:^|\s)(?:am|um|für|gegen|so|des|(?:ab|bis|nach|vor)(?: dem| zum)?|(?:am )?kommenden)\s*$/iu,
}
