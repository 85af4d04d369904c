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
export const weekdaySources = forEachLanguage((language) => oneOf(timeWords[language].weekdays))
export const monthSources = forEachLanguage((language) => oneOf(timeWords[language].months))
/** Source of a pattern for any month in any language, including abbreviations. */
export const anyMonthName = `${oneOf(
  Object.values(timeWords).flatMap(({ months, shortMonths }) => [...months, ...shortMonths]),
)}(?!\\p{L})`

/** Lookahead after an abbreviated weekday that is also another word ("so", "mer"): punctuation, a conjunction, a time of day or the end. */
const afterAmbiguousWeekday = String.raw`(?=\.|,|$|\s+(?:(?:y|et|und|um|gegen|ab|a las?)\s|(?:(?:[àa]|vers)\s+)?(?:\d{1,2}(?::\d| ?(?:h(?:eures?)?|uhr)(?!\p{L}))|mi(?:di|nuit)(?!\p{L}))))`

/** A place may follow only after "tous les": "tous les mer à la piscine", but not "chaque jeu à la télé". */
const ambiguousFrenchWeekday = (name: string) =>
  String.raw`${name}(?:${afterAmbiguousWeekday}|(?<=tous les ${name})(?=\s+à\s))`

/** Abbreviated weekdays without their full stop, Monday first. */
export const shortWeekdays: ByLanguage<readonly string[]> = {
  en: ['mon', 'tues?', 'wed', 'thu(?:rs?)?', 'fri', 'sat', 'sun'],
  es: ['lun', `mar${afterAmbiguousWeekday}`, 'mi[eé]', 'jue', 'vie', 's[aá]b', 'dom'],
  fr: ['lun', 'mar', ambiguousFrenchWeekday('mer'), ambiguousFrenchWeekday('jeu'), 'ven', 'sam', 'dim'],
  de: [
    'mo',
    'di',
    'mi',
    'do',
    'fr',
    'sa',
    String.raw`(?-i:So)|so(?:${afterAmbiguousWeekday}|(?<=jeden so)(?=\s+(?:dar)?an\s))`,
  ],
}

/** Patterns of weekdays, Monday first, including plurals, but only English abbreviations: "so" and "mar" are rarely days. */
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

const wordForOne: ByLanguage<string> = { en: 'one', es: 'una', fr: 'une', de: 'eins' }

/** Words for one to twelve. */
export const numberWords = forEachLanguage((language) => [
  wordForOne[language],
  ...timeWords[language].numbers.slice(1, 12),
])

/** Number written in digits or as a word from one to twelve; 0 for anything else. */
export const countOf = (text: string | undefined, language: Language): number =>
  Number(text) || numberWords[language].indexOf((text ?? '').toLowerCase()) + 1
