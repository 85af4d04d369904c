import type { Language } from '@mira/shared'
import { numberWords } from '../calendar-names.ts'
import { BARRIER } from '../time-results.ts'

/** Pattern of a phrase, and its replacement in a form that later steps or the date parsers understand. */
export type Rewrite = [RegExp, (...groups: string[]) => string]

/** Rewrites of a language: `phrases` are applied before days are written out, `clocks` (times of day) afterwards. */
export interface ReminderRewrites {
  phrases: Rewrite[]
  clocks: Rewrite[]
}

export const hourWordSource = (language: Language) => numberWords[language].join('|')
/** Source of a capturing group for an hour in digits or as a word. */
export const anHour = (language: Language) => String.raw`(\d{1,2}|${hourWordSource(language)})`

/** Clock time some minutes before or after an hour: "ten to nine", "zehn nach acht", "las cinco menos diez". */
export function clockOf(hour: number, minutes: number): string {
  const minuteOfDay = (hour * 60 + minutes + 24 * 60) % (24 * 60)
  return `${Math.floor(minuteOfDay / 60)}:${pad(minuteOfDay % 60)}`
}

/** Source of a capturing group for minutes in digits or words, and a function that reads what it captured. */
export function minutesIn(words: Readonly<Record<string, number>>) {
  return {
    source: `(${Object.entries(words).toReversed().flat().join('|')})(?!\\d)`,
    countOf: (text = '') => Number(text) || (words[text.toLowerCase()] ?? 0),
  }
}

/**
 * Source of a condition after a number word that holds when the word is a time of day: it follows `before` and the preposition,
 * or it isn't followed by a noun that it could count.
 */
export const timeOfDayCondition = (before: string, preposition: string, countedNouns: string) =>
  String.raw`(?:(?<=${before}(?:a )?${preposition} \p{L}+)|(?! ${countedNouns}))`

/** Keeps the parsers from reading a match. */
export const hide = (match = '') => BARRIER.repeat(match.length)

/** Rewrites of words typed without accents or umlauts. */
export const plainSpellings = (words: [source: string, spelling: string][]): Rewrite[] =>
  words.map(([source, spelling]) => [new RegExp(String.raw`(?<!\p{L})${source}`, 'giu'), () => spelling])

export const number = (text: string | undefined) => Number(text ?? 0)
export const pad = (minutes: number | string | undefined) => String(minutes ?? 0).padStart(2, '0')
export const afternoon = (hour: string | undefined) => (number(hour) < 12 ? number(hour) + 12 : number(hour))
export const midnightAs0 = (hour: string | undefined) => (number(hour) === 12 ? 0 : number(hour))

/** Lookahead for a time of day, with or without a year before it. */
export const clockLookahead = String.raw`(?=(?: (?:del? )?\d{4})?,? (?:um|gegen|a las?|at|à) \d)`
