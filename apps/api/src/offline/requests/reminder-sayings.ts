import type { Language } from '@mira/shared'
import type { DateTime } from 'luxon'
import { type Holiday, ofYear } from '../phrases/calendar.ts'
import { relaxed } from '../phrases/patterns.ts'
import { timeWords } from '../phrases/times.ts'
import { countOf, numberWords, weekdayPatterns } from './reminder-time-words.ts'

type ByLanguage<T> = Readonly<Record<Language, T>>
type Rewrite = [RegExp, (...groups: string[]) => string]

const inWords = (language: Language) => numberWords[language].join('|')
const weekdayNames = 'Montag|Dienstag|Mittwoch|Donnerstag|Freitag|Samstag|Sonnabend|Sonntag'

/** What people say, as it is read here and by the parsers. */
export const sayings: ByLanguage<Rewrite[]> = {
  en: [
    [/\b(every|each) night\b/giu, (_all, every) => `${every} day at night`],
    [
      /(?<!(?:on|every|each|and|,) )\b((?:mon|tues|wednes|thurs|fri|satur|sun)days)(?= at )/giu,
      (_all, day) => `on ${day}`,
    ],
    [
      new RegExp(String.raw`\b(half past|quarter (?:past|to)) (${inWords('en')})\b`, 'giu'),
      (_all, part, hour) => `${part} ${countOf(hour, 'en')}`,
    ],
    [
      new RegExp(String.raw`(?<!\blook(?:ing|s|ed)? )\bat (${inWords('en')})\b(?! of\b)`, 'giu'),
      (_all, hour) => `at ${countOf(hour, 'en')}`,
    ],
  ],
  es: [
    [/(?<!\p{L})cada mañana(?!\p{L})/giu, () => 'todas las mañanas'],
    [
      new RegExp(
        String.raw`(?<!\p{L})(a las?) (${inWords('es')})(?!\p{L})(?! (?:minutos?|horas?|días?|semanas?|mes(?:es)?))`,
        'giu',
      ),
      (_all, at, hour) => `${at} ${countOf(hour, 'es')}`,
    ],
    // a clock is read with what stands behind it
    [
      /(?:por|de|en) la (mañana|madrugada|tarde|noche),? (a las? \d{1,2}(?:[:.]\d\d)?)(?! (?:de|por) la)/giu,
      (_all, part, clock) => `${clock} de la ${part}`,
    ],
  ],
  fr: [
    [/(?<!\p{L})à midi et demie?(?!\p{L})/giu, () => 'à 12h30'],
    [/(?<!\p{L})(?<!après[- ])(?:à )?midi(?!\p{L})/giu, () => 'à midi'],
    [
      new RegExp(String.raw`(?<!\p{L})à (${inWords('fr')}) heures?(?!\p{L})`, 'giu'),
      (_all, hour) => `à ${countOf(hour, 'fr')} heures`,
    ],
  ],
  de: [
    [/(?<!\p{L})jeden Morgen(?!\p{L})/giu, () => 'täglich morgens'],
    [
      new RegExp(
        String.raw`(?<!\p{L})(${weekdayNames})(früh|morgen|vormittag|mittag|nachmittag|abend|nacht)(?!\p{L})`,
        'giu',
      ),
      (_all, day, part) => `${day} ${part}`,
    ],
    // "alle zwei Wochen montags" says more, as does "montags bis freitags"
    [
      new RegExp(
        String.raw`(?<!(?:alle|jede[nrs]?|bis) .{0,40})(?<!\p{L})(${weekdayNames})s(?!\p{L})(?! (?:bis|und|,))`,
        'giu',
      ),
      (_all, day) => `jeden ${day}`,
    ],
    [
      new RegExp(String.raw`(?<!\p{L})(viertel (?:vor|nach)) (${inWords('de')})(?!\p{L})`, 'giu'),
      (_all, part, hour) => `${part} ${countOf(hour, 'de')}`,
    ],
    [
      new RegExp(
        String.raw`(?<!\p{L})um (ein|${inWords('de')})(?!\p{L})(?: Uhr(?!\p{L}))?(?! (?:Minuten?|Stunden?|Tage?|Wochen?|Monate?|Jahre?))`,
        'giu',
      ),
      (_all, hour) => `um ${countOf(hour === 'ein' ? 'eins' : hour, 'de')} Uhr`,
    ],
    [/(um \d{1,2}(?:[:.]\d\d)? Uhr) mittags(?!\p{L})/giu, (_all, clock) => clock ?? ''],
  ],
}

const names = (language: Language) => weekdayPatterns[language].map(({ source }) => source).join('|')

/** A weekday of the next week, which parsers take for the next day of that name. */
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
    String.raw`(?<!\p{L})(?<day>${names('fr')}) de la semaine prochaine(?!\p{L})|(?<!\p{L})la semaine prochaine,? (?:le )?(?<after>${names('fr')})(?!\p{L})`,
    'iu',
  ),
  de: new RegExp(
    String.raw`(?<!\p{L})(?:am )?(?<day>${names('de')}) (?:in der |der )?(?:nächste[nr]?|kommende[nr]?) Woche(?!\p{L})|(?<!\p{L})(?:nächste|kommende) Woche,? (?:am )?(?<after>${names('de')})(?!\p{L})`,
    'iu',
  ),
}
const WEEK_FROM = new RegExp(String.raw`\b(?:a|one) week from (?<day>${names('en')})\b`, 'iu')

/** Days that are said by numbers, where parsers pass over them: the day first. Others may be parts or versions. */
const numericDays: Partial<ByLanguage<RegExp>> = {
  en: /(?<![\p{L}\d.])(?:on (?=\d)|(?=\d{1,2}\.\d{1,2}\.,? at ))(\d{1,2})\.(\d{1,2})\.(?! ?\d)/iu,
  fr: /(?<![\p{L}\d/])(?:le (?=\d)|(?=\d{1,2}\/\d{1,2},? à ))(\d{1,2})\/(\d{1,2})(?![\d/])/iu,
  de: /(?<![\p{L}\d.])(?:am (?=\d)|(?<=(?:den|zum) )(?=\d)|(?=\d{1,2}\.\d{1,2}\.,? um ))(\d{1,2})\.(\d{1,2})\.(?! ?\d)/iu,
}

/** Holidays of one day; others are asked about. */
const onDays: Readonly<Record<Language, string>> = {
  en: '(?:on )?',
  es: '(?:en |el día de |el )?',
  fr: '(?:à |le jour de |pour |le )?',
  de: '(?:an |am |zu )?',
}
const clockBefore: Readonly<Record<Language, string>> = {
  en: String.raw`\d ?(?:[ap]\.?m\.? )?`,
  es: String.raw`\d ?(?:h |horas )?`,
  fr: String.raw`\d ?(?:h |heures )?`,
  de: String.raw`\d ?(?:Uhr )?`,
}
const clockBehind = String.raw`(?=,? (?:at|um|a las?|à) \d)`
const DAY_MS = 86_400_000

/** The next day of a holiday that stands at the beginning or beside a time of day, and where it is said; null for none. */
export function holidayIn(text: string, here: DateTime, language: Language) {
  for (const [holiday, source] of Object.entries(timeWords[language].holidays) as [Holiday, string][]) {
    const name = `${onDays[language]}(?:${relaxed(source)})(?!\\p{L})`
    const match = new RegExp(
      `^\\s*${name}|(?<!\\p{L})${name}${clockBehind}|(?<=${clockBefore[language]})${name}`,
      'iu',
    ).exec(text)
    if (match === null) continue
    const [span] = [here.year, here.year + 1]
      .flatMap((year) => ofYear({ kind: 'holiday', holiday }, year, here) ?? [])
      .filter(({ from }) => from >= here.startOf('day'))
    if (span === undefined) continue
    // the night of the 31st of December is in its span
    const isOneDay = holiday === 'newYearsEve' || span.to.toMillis() - span.from.toMillis() <= DAY_MS
    return { index: match.index, length: match[0].length, day: isOneDay ? span.from : null }
  }
  return null
}

/** The sentence with days that are said by numbers or by the week; null when there is no such day. */
export function withPlainDays(
  sentence: string,
  here: DateTime,
  language: Language,
  write: (day: DateTime) => string,
): string | null {
  const weekdayOf = (name: string | undefined) =>
    weekdayPatterns[language].findIndex(({ source }) => new RegExp(`^(?:${source})$`, 'iu').test(name ?? ''))
  let text = sentence.replace(nextWeekdays[language], (...found) => {
    const { day, after } = found.at(-1) as unknown as Record<string, string | undefined>
    return write(here.startOf('week').plus({ weeks: 1, days: weekdayOf(day ?? after) }))
  })
  if (language === 'en') {
    text = text.replace(WEEK_FROM, (...found) => {
      const { day } = found.at(-1) as unknown as Record<string, string | undefined>
      const away = (weekdayOf(day) + 1 - here.weekday + 7) % 7 || 7
      return write(here.plus({ days: away + 7 }))
    })
  }
  const numeric = numericDays[language]?.exec(text)
  if (!numeric) return text
  const [whole, day, month] = numeric
  const next = [here.year, here.year + 1]
    .map((year) => here.set({ year, month: 1, day: 1 }).set({ month: Number(month), day: Number(day) }))
    .find((one) => one.day === Number(day) && one.month === Number(month) && one >= here.startOf('day'))
  return next === undefined ? null : text.replace(whole, write(next))
}
