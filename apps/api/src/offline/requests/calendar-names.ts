import type { Language } from '@mira/shared'
import { relaxed } from '../phrases/patterns.ts'
import { timeWords } from '../phrases/words/index.ts'

type ByLanguage<T> = Readonly<Record<Language, T>>

const forEachLanguage = <T>(read: (language: Language) => T): ByLanguage<T> => ({
  en: read('en'),
  es: read('es'),
  fr: read('fr'),
  de: read('de'),
})
const oneOf = (sources: readonly string[]) => `(?:${sources.map(relaxed).join('|')})`

/** Sources of patterns for any weekday and for any unabbreviated month. */
export const weekdayNames = forEachLanguage((language) => oneOf(timeWords[language].weekdays))
export const monthNames = forEachLanguage((language) => oneOf(timeWords[language].months))
/** Source of a pattern for any month in any language, including abbreviations. */
export const anyMonthName = `${oneOf(
  Object.values(timeWords).flatMap(({ months, shortMonths }) => [...months, ...shortMonths]),
)}(?!\\p{L})`

/** Position at the end of an abbreviated weekday that is also another word, such as "so" or "mer". */
const endOfShort = String.raw`(?=\.|,|$|\s+(?:y|et|und|um|a las?|à)\s)`

/** Abbreviated weekdays without their full stop, Monday first. */
export const shortWeekdays: ByLanguage<readonly string[]> = {
  en: ['mon', 'tues?', 'wed', 'thu(?:rs?)?', 'fri', 'sat', 'sun'],
  es: ['lun', `mar${endOfShort}`, 'mi[eé]', 'jue', 'vie', 's[aá]b', 'dom'],
  fr: ['lun', 'mar', `mer${endOfShort}`, `jeu${endOfShort}`, 'ven', 'sam', 'dim'],
  de: ['mo', 'di', 'mi', 'do', 'fr', 'sa', `(?-i:So)|so${endOfShort}`],
}

/** Patterns of weekdays, Monday first, including plurals and English abbreviations: "so" and "mar" are rarely days. */
export const weekdayPatterns = forEachLanguage((language) =>
  timeWords[language].weekdays.map((name, index) => {
    const short = language === 'en' ? `|${shortWeekdays.en[index]}` : ''
    return `${relaxed(name)}s?${short}`
  }),
)

/** Patterns of weekdays after "every", Monday first, including plurals and abbreviations. */
export const recurringWeekdayPatterns = forEachLanguage((language) =>
  timeWords[language].weekdays.map((name, index) => `${relaxed(name)}s?|(?:${shortWeekdays[language][index]})\\.?`),
)

/** Source of a pattern for an abbreviated weekday, month or unit of time in any language, without its full stop. */
export const abbreviations = `(?:${[
  ...'mon tues? wed thurs? fri sat sun mo di mi do fr sa so'.split(' '),
  ...'lun mar mi[eé] jue vie s[aá]b dom mer jeu ven sam dim'.split(' '),
  ...Object.values(timeWords).flatMap(({ shortMonths }) => shortMonths),
  ...String.raw`mins? secs? sek seg std hrs? [ap]\.\s?m`.split(' '),
].join('|')})`

const one: ByLanguage<string> = { en: 'one', es: 'una', fr: 'une', de: 'eins' }

/** One to twelve. */
export const numberWords = forEachLanguage((language) => [one[language], ...timeWords[language].numbers.slice(1, 12)])

/** Number of a text in digits, or of a word from one to twelve; 0 for anything else. */
export const countOf = (text: string | undefined, language: Language): number =>
  Number(text) || numberWords[language].indexOf((text ?? '').toLowerCase()) + 1
