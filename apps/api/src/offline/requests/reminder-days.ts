import type { Language } from '@mira/shared'
import type { DateTime } from 'luxon'
import { anyMonthName, countOf, weekdayPatterns } from './calendar-names.ts'
import { clockLookahead, hide } from './reminder-rewrites/rewrite.ts'
import type { RewrittenText } from './rewritten-text.ts'
import { BARRIER } from './time-results.ts'

type ByLanguage<T> = Readonly<Record<Language, T>>
const names = (language: Language) => weekdayPatterns[language].join('|')

/** Weekday of the next week, which the parsers mistake for the next day of that name. */
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
/** Weekday a number of weeks after its next occurrence; one week when no number is named. */
const weekFrom: Partial<ByLanguage<RegExp>> = {
  en: new RegExp(
    String.raw`(?<!\b(?:every|each) )\b(?<weeks>an?|one|two|three|four|[1-4]) weeks? (?:from|on|after) (?<day>${names('en')})\b|\b(?:on )?(?:the )?(?<after>${names('en')}) (?:after next\b|week(?=,? at |\s*$)|in (?<count>two|three|four|[2-4]) weeks\b)`,
    'iu',
  ),
  es: new RegExp(
    String.raw`(?<!\p{L})(?:el )?(?<day>${names('es')}) (?:dentro de|en) (?<count>dos|tres|cuatro|[2-4]) semanas(?!\p{L})`,
    'iu',
  ),
  // Not "lundi en 15 fois".
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
  es: /(?<!\p{L})(?:a (?:fin(?:al(?:es)?)?|últimos) de(?: este)?|el [uú]ltimo d[ií]a (?:del|de este)) mes(?!\p{L})/iu,
  fr: /(?<!\p{L})(?:à la |en )?(?:(?:fin|le dernier jour) (?:du|de ce) mois(?!\p{L}| de )|fin de mois(?=,? à \d|\s*$)(?<!\p{L} de fin de mois))/iu,
  de: /(?<!\p{L})(?:am|zum|bis) (?:Monatsende|(?:Ende|letzten Tag) (?:des|dieses) Monats)(?!\p{L})/iu,
}
const endsOfYear: ByLanguage<RegExp> = {
  en: /(?:\b(?:at|by|on) (?:the )?|^\s*(?:the )?|\b(?=(?:end|last day) of (?:the|this) year,? at \d))(?:end|last day) of (?:the|this) year\b/iu,
  es: /(?<!\p{L})(?:a (?:fin(?:al(?:es)?)?|últimos) de(?: este)?|el [uú]ltimo d[ií]a (?:del|de este)) año(?!\p{L})/iu,
  fr: /(?<!\p{L})(?:d['’]ici (?:à )?la |à la |en |^\s*|(?=fin \P{L}*\p{L}+.{0,9}année,? à \d))fin (?:de l['’]|d['’]|de cette )année(?!\p{L})|(?<!\p{L})le dernier jour de (?:l['’]|cette )année(?!\p{L})/iu,
  de: /(?<!\p{L})(?:am|zum|bis) (?:Jahresende|(?:Ende|letzten Tag) (?:des|dieses) Jahres)(?!\p{L})/iu,
}

/** Numbered day of this or the next month. The parsers ignore the month. */
const daysOfNamedMonth: ByLanguage<RegExp> = {
  en: /\b(?:on )?(?:the )?(?<day>\d{1,2})(?:(?:st|nd|rd|th)(?: day)?)? of (?:the )?(?:(?<current>this|current)|next|coming|following) month\b|\bnext month,? on the (?<behind>\d{1,2})(?:st|nd|rd|th)\b/iu,
  es: /(?<!\p{L})(?:el )?(?:día )?(?<day>\d{1,2}) (?:(?<current>de este mes)|del (?:próximo mes|mes (?:próximo|que viene)))(?!\p{L})/iu,
  fr: /(?<!\p{L})(?:le )?(?<day>\d{1,2})(?:er)? (?:(?<current>de ce mois)|du mois prochain)(?!\p{L})/iu,
  de: /(?<!\p{L})(?:am )?(?<day>\d{1,2})\. (?:(?<current>dieses)|(?:des )?(?:nächsten|kommenden)) Monats(?!\p{L})/iu,
}

/** Time after midnight in the coming night: "tonight at 2". */
const nightHours: ByLanguage<RegExp> = {
  en: /\btonight (at [1-5](?::\d\d)?)(?![\d:])(?! ?p)( ?a\.?m\b\.?)?/iu,
  es: /(?<!\p{L})esta (?:noche|madrugada) (a las? [1-5](?::\d\d)?)(?![\d:])/iu,
  fr: /(?<!\p{L})cette nuit (à [1-5] ?(?:h|heures?)(?:\d\d)?)(?![\d\p{L}])/iu,
  de: /(?<!\p{L})heute nacht (um [1-5](?::\d\d)?)(?: Uhr)?(?![\d:])/iu,
}

/** Numeric days with the day first, which the parsers ignore. Without a preposition or a time they may be fractions or versions. */
const numericDays: Partial<ByLanguage<RegExp>> = {
  en: /(?<![\p{L}\d.])(?:on (?=\d)|(?=\d{1,2}\.\d{1,2}\.,? at ))(\d{1,2})\.(\d{1,2})\.(?! ?\d)/iu,
  fr: /(?<![\p{L}\d/])(?:le (?=\d)|(?=\d{1,2}\/\d{1,2}(?:\/\d\d)?,? à ))(\d{1,2})\/(\d{1,2})(?:\/(\d\d))?(?![\d/])/iu,
  de: /(?<![\p{L}\d.])(?:am (?=\d)|(?<!für )den (?=\d)|(?<=(?:den|zum) )(?=\d)|(?=\d{1,2}\.\d{1,2}\.(?:\d\d)?,? (?:um|gegen) ))(\d{1,2})\.(\d{1,2})(?:\.|(?=,? (?:um|gegen) ))(\d\d)?(?! ?\d)/iu,
}

/** Number of days ahead to search for "Tuesday the 12th"; a match after them is more likely a mistake. */
const NUMBERED_WEEKDAY_DAYS = 62

const weekCountOf = (text: string, language: Language) =>
  /^(?:quinze|15)$/iu.test(text) ? 2 : /^an?$/iu.test(text) ? 1 : countOf(text, language)

/**
 * Writes out numeric days and days of weeks and months. Returns `past` for a numeric day in the past, `impossible` for a day
 * that doesn't exist, otherwise null.
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
  const weekFromPattern = weekFrom[language]
  if (weekFromPattern !== undefined) {
    text.replace(weekFromPattern, (...groups) => {
      const { count, weeks = count } = groups.at(-1) as unknown as Record<string, string | undefined>
      const daysAway = (weekdayOf(groups.at(-1)) + 1 - here.weekday + 7) % 7 || 7
      return write(here.plus({ days: daysAway, weeks: weeks === undefined ? 1 : weekCountOf(weeks, language) }))
    })
  }
  const numbered = numberedWeekdays[language].exec(text.text)
  if (numbered !== null) {
    const number = Number(numbered.groups?.number)
    const weekday = weekdayOf(numbered.groups) + 1
    const day = Array.from({ length: NUMBERED_WEEKDAY_DAYS }, (_, days) => here.plus({ days })).find(
      (one) => one.day === number && one.weekday === weekday,
    )
    if (day === undefined) {
      text.replace(numberedWeekdays[language], hide)
      return 'impossible'
    }
    text.replace(numberedWeekdays[language], () => write(day))
  }
  text.replace(endsOfMonth[language], () => write(here.endOf('month')))
  text.replace(endsOfYear[language], () => write(here.endOf('year')))
  let isImpossible = false
  text.replace(daysOfNamedMonth[language], (all = '', ...groups) => {
    const { day, behind, current } = groups.at(-1) as unknown as Record<string, string | undefined>
    const month = here.startOf('month').plus({ months: current === undefined ? 1 : 0 })
    const number = Number(day ?? behind)
    isImpossible = number < 1 || number > (month.daysInMonth ?? 0)
    return isImpossible ? hide(all) : write(month.set({ day: number }))
  })
  if (isImpossible) return 'impossible'
  text.replace(nightHours[language], (_all, clock = '', morning?: string | number) => {
    const [hour = 0, minute = 0] = (clock.match(/\d+/g) ?? []).map(Number)
    const timeAt = (hours: number) => here.set({ hour: hours, minute, second: 0, millisecond: 0 })
    // Said during the day, "tonight at 5" is the end of the afternoon.
    const isMorning = language !== 'en' || typeof morning === 'string' || hour < 4 || here.hour < 6
    const isAfternoon = !isMorning && timeAt(hour + 12) > here
    const suffix = language === 'en' ? (isAfternoon ? ' pm' : ' am') : ''
    const isToday = isAfternoon || timeAt(hour) > here
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
  const hasClock = new RegExp(`^${clockLookahead}`, 'iu').test(text.text.slice(numeric.index + numeric[0].length))
  // "Rechnung zum 31.12.25"
  if (next === undefined && days.length > 0 && isTitle && !hasClock) {
    text.replace(pattern, hide)
    return null
  }
  if (next === undefined) return days.length > 0 ? 'past' : 'impossible'
  // A numeric day after a weekday is part of the same date.
  const isOfWeekday = new RegExp(String.raw`(?:${names(language)})\.?,?\s*(?:de[nr] )?$`, 'iu').test(
    text.text.slice(0, numeric.index),
  )
  text.replace(pattern, () => (isOfWeekday ? write(next).replace(BARRIER, '') : write(next)))
  return null
}
