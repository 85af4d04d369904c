import type { Language } from '@mira/shared'
import { numberWords } from '../calendar-names.ts'
import { BARRIER } from '../time-results.ts'

/** Pattern of a phrase and its replacement, which is read here or by the parsers. */
export type Rewrite = [RegExp, (...groups: string[]) => string]

/** Rewrites of a language: of phrases before days are written out, and of times of day after it. */
export interface ReminderRewrites {
  phrases: Rewrite[]
  clocks: Rewrite[]
}

export const inWords = (language: Language) => numberWords[language].join('|')
/** Source of an hour in digits or in a word, in a group. */
export const anHour = (language: Language) => String.raw`(\d{1,2}|${inWords(language)})`

/** Clock time some minutes before or after an hour: "ten to nine", "zehn nach acht", "las cinco menos diez". */
export function clockOf(hour: number, minutes: number): string {
  const all = (hour * 60 + minutes + 24 * 60) % (24 * 60)
  return `${Math.floor(all / 60)}:${pad(all % 60)}`
}

/** Source of a group of minutes in digits or words, and their number. */
export function minutesIn(words: Readonly<Record<string, number>>) {
  return {
    source: `(${Object.entries(words).toReversed().flat().join('|')})(?!\\d)`,
    countOf: (text = '') => Number(text) || (words[text.toLowerCase()] ?? 0),
  }
}

/**
 * Condition after a number word for a time of day: it follows `before` and the preposition, or no noun follows that it would
 * count.
 */
export const notACount = (before: string, preposition: string, countedNouns: string) =>
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

/** Position before a time of day, or a year and a time of day. */
export const aheadOfClock = String.raw`(?=(?: (?:del? )?\d{4})?,? (?:um|gegen|a las?|at|à) \d)`
