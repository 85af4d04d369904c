import type { Language, Recurrence } from '@mira/shared'
import { timeWords } from '../phrases/words/index.ts'
import { anyMonthName, numberWords, weekdaySources } from './calendar-names.ts'
import { farUnits } from './reminder-time-words.ts'

type ByLanguage<T> = Readonly<Record<Language, T>>

const insensitive = (source: string) => new RegExp(source, 'iu')
const dayNames = (language: Language) =>
  `(?:${[weekdaySources[language], anyMonthName, farUnits[language], ...Object.values(timeWords[language].holidays)].join('|')})(?!\\p{L})`

/** Last day of a recurrence: "until Friday", "hasta el 15", "jusqu'à la fin du mois". */
const lastDays: ByLanguage<RegExp> = {
  en: insensitive(
    String.raw`\b(?:until|till?|through)(?: (?:the|next|this|coming|end|of))* (?:\d{1,2}(?:st|nd|rd|th)\b|\d{1,2} (?:of )?${anyMonthName}|\d{1,2}\/\d|tomorrow\b|${dayNames('en')})`,
  ),
  es: insensitive(
    String.raw`(?<!\p{L})hasta(?: (?:el|la|los|las|este|esta|próxim[oa]|día|fin|final(?:es)?|del?))* (?:(?<=(?:el|día) )\d{1,2}(?![\d:])|mañana(?!\p{L})|${dayNames('es')})`,
  ),
  fr: insensitive(
    String.raw`(?<!\p{L})jusqu['\u2019](?:au|à|en|aux)(?: (?:la|le|les|fin|de|du|prochaine?))* (?:\d{1,2}(?:er)?(?! ?[h:\d])|demain(?!\p{L})|(?:l['\u2019])?${dayNames('fr')})`,
  ),
  de: insensitive(
    String.raw`(?<!\p{L})bis(?: (?:zum|zur|zu|nächste[nrs]?|kommende[nrs]?|Anfang|Mitte|Ende|der|des|dem|den))* (?:\d{1,2}\.|(?:über)?morgen(?!\p{L})|${dayNames('de')})`,
  ),
}

const clock = String.raw`(?:um )?(?:las? )?\d{1,2}(?:[:.]\d\d)?(?: ?(?:[ap]\.?m\.?|h(?:\d\d)?|heures?|horas?|uhr))?(?![\p{L}\d])`
const noonOrMidnight = 'noon|midnight|mediodía|medianoche|midi|minuit|mittag|mitternacht'
/** Hours of the day between which an hourly recurrence would be wanted: "from 9am to 5pm". */
const hoursOfDay = insensitive(
  String.raw`(?<!\p{L})(?:(?:from|between|desde|de|entre|von|zwischen) ${clock}(?: de la \p{L}+)? ?(?:to|until|till?|and|hasta|a|y|à|et|bis|und|[-\u2013]) ?${clock}|(?:until|till?|hasta|jusqu['\u2019]à|bis) (?:(?:el )?(?:${noonOrMidnight})(?!\p{L})|${clock}))`,
)

/** True for a sentence with an end of its recurrence, which can't be stored. */
export function endsRecurrence(sentence: string, { unit }: Recurrence, language: Language): boolean {
  const isHourly = unit === 'minute' || unit === 'hour'
  // "jede Woche bis Freitag" means by Friday.
  const isBy = language === 'de' && !isHourly && unit !== 'day'
  return (
    (!isBy && lastDays[language].test(sentence)) ||
    (isHourly && hoursOfDay.test(sentence)) ||
    spansOfDays[language].test(sentence)
  )
}

const countIn = (language: Language, others: string) =>
  String.raw`(?:\d{1,3}|${numberWords[language].join('|')}|${others})`

/** Length in days or more, which isn't a time from now: "for two weeks". */
export const spansOfDays: ByLanguage<RegExp> = {
  en: insensitive(
    String.raw`\b(?:for|during) (?:the )?(?:next |coming |following )?${countIn('en', 'an?|a few|several|a couple of')} (?:${farUnits.en})\b(?! (?:from|later|before|after|in advance)\b)`,
  ),
  es: insensitive(
    String.raw`(?<!\p{L})(?:durante|por) (?:l[oa]s )?(?:próxim[oa]s )?${countIn('es', 'una?|un[oa]s|algun[oa]s|vari[oa]s')} (?:${farUnits.es})(?!\p{L})`,
  ),
  fr: insensitive(
    String.raw`(?<!\p{L})(?:pendant|durant) (?:les )?(?:prochaine?s )?${countIn('fr', 'une?|quelques|plusieurs')} (?:${farUnits.fr})(?!\p{L})`,
  ),
  de: insensitive(
    String.raw`(?<!\p{L})(?:für (?:die )?(?:nächsten |kommenden )?${countIn('de', 'eine?n?|einige|ein paar')} (?:${farUnits.de})n?|${countIn('de', 'eine?n?|einige|ein paar')} (?:${farUnits.de})n? lang)(?!\p{L})`,
  ),
}
