import type { MediaType } from '@mira/shared'
import { DateTime } from 'luxon'
import { readKinds } from '../../offline/phrases/kinds.ts'
import type { PhraseLanguage } from '../../offline/phrases/time-words.ts'
import { joinedTimes, readTimes, type TimePhrase } from '../../offline/phrases/times.ts'
import type { DaySpan } from '../../offline/phrases/written-days.ts'
import { wholeWords } from '../../platform/lib/searched-form.ts'
import type { Stems } from './indexing/words.store.ts'
import type { Condition } from './scope.ts'
import { askedWordsOf, isUnspaced, tsqueryOf } from './terms.ts'

// What stands in quotes is found letter by letter, once by the database and once in what it found: both as a person means it, its
// words with any space between them, not in the middle of others.

/** Condition on a text: it holds a phrase. Without words to ask the index for, letters are looked up as they are written. */
export function phraseConditionOf(phrase: string, stemsOf: (word: string) => Stems): Condition {
  const whole = wholeWords(phrase)
  const tsquery = phraseQueryOf(whole, stemsOf)
  return { tsquery, pattern: patternOf(tsquery === null ? phrase : whole) }
}

/** Words of a phrase as the index has them, so that few texts are read letter by letter; null when it has none. */
export function phraseQueryOf(phrase: string, stemsOf: (word: string) => Stems): string | null {
  // a word at an end that may be in the middle of another one cannot be asked for
  const words = askedWordsOf(phrase).filter(
    (word, index, all) =>
      (index > 0 || isBounded(word, phrase.at(0))) && (index < all.length - 1 || isBounded(word, phrase.at(-1))),
  )
  const queries = words.map((word) => `(${tsqueryOf({ word, stems: stemsOf(word), isOpen: false })})`)
  return queries.length > 0 ? queries.join(' & ') : null
}

/** True when the word at an end of a phrase needs a word boundary in the pattern. */
function isBounded(word: string, end = ''): boolean {
  return !isUnspaced(word) && /[\p{L}\p{N}]/u.test(end)
}

/**
 * A phrase as a regular expression of PostgreSQL: its words with any space between them, not in the middle of others; a hyphen may have
 * been lost where a line ended.
 */
function patternOf(phrase: string): string {
  const words = phrase.split(' ').map((word) => withLostHyphens(word.replace(/[!-/:-@[-`{-~]/g, '\\$&')))
  const [first, last] = [phrase.at(0) ?? '', phrase.at(-1) ?? '']
  const before = /[\p{L}\p{N}]/u.test(first) && !isUnspaced(first) ? '\\m' : ''
  const after = /[\p{L}\p{N}]/u.test(last) && !isUnspaced(last) ? '\\M' : ''
  return before + words.join('\\s+') + after
}

/** The same phrase as an expression that finds each place of it in the form of a text that is looked through. */
export function phraseExpression(phrase: string): RegExp {
  const words = wholeWords(phrase)
    .split(' ')
    .map((word) => withLostHyphens(word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')))
  const isWord = (character: string) => /[\p{L}\p{N}]/u.test(character) && !isUnspaced(character)
  const before = isWord(phrase.at(0) ?? '') ? '(?<![\\p{L}\\p{N}_])' : ''
  const after = isWord(phrase.at(-1) ?? '') ? '(?![\\p{L}\\p{N}_])' : ''
  return new RegExp(`${before}${words.join('\\s+')}${after}`, 'giu')
}

/** The words of an expression; the hyphen of one may have been taken for the end of a line. */
const withLostHyphens = (expression: string) => expression.replace(/(?<=\p{L})(\\?[-\u2010])(?=\p{L})/gu, '$1?')

/** Part of a query that names a time or a type of item. */
export interface QueryPhrase {
  /** As it stands in the query. */
  text: string
  kind: 'time' | 'type'
  mediaTypes?: MediaType[]
  /** From the first moment until before the second; open where one is missing. */
  from?: Date
  to?: Date
}

/** A query, split into times, kinds and the text to search for. */
export interface UnderstoodPhrases {
  /** Remaining text to search for; the whole query when it has no phrases. */
  text: string
  /** True when the query only consists of times and types: "my photos from last summer". */
  isOnlyPhrases: boolean
  mediaTypes?: MediaType[]
  from?: Date
  to?: Date
  phrases: QueryPhrase[]
  /** The times as days of the reader's calendar; a text that names one of them speaks of the time. */
  days?: DaySpan[]
}

export interface PhraseReader {
  now: Date
  /** IANA name, whose days are meant. */
  timeZone: string
  /** Language of the text where it is known, else of who wrote it. Every language is read; this one decides where two disagree. */
  language: string
  /** Phrases that are words to look for, as they stand in the query. */
  literal?: readonly string[]
}

/** Stands for characters that no phrase may hold: neither a letter nor a space. */
const CLOSED = '\u0001'
/** Quotations, which are literal, and filters: neither may contain phrases. */
const CLOSED_PARTS = /"[^"]*"|[“„«][^“”„«»]*[”“»]|(?<![a-z])[a-z]+:\S+/giu
/** Words that ask for something without saying what, left over from "show me all my photos of last summer". */
const askingWords =
  /(?<![\p{L}\p{N}])(?:show|find|search|get|give|list|open|look|see|me|us|for|all|any|the|a|my|our|of|from|in|with|please|and|i|have|took|taken|made|uploaded|added|saved|everything|that|there|is|are|was|were|what|which|did|muestra|mu[eé]strame|ens[eé][nñ]ame|busca|encuentra|dame|ver|todo|todos|todas|el|la|los|las|mis?|de|del|en|con|y|por|favor|hechas?|que|sub[ií]|añad[ií]|guard[eé]|hice|hay|montre|montre-moi|moi|cherche|trouve|affiche|tout|tous|toutes|le|les|mes|mon|ma|des|du|d|l|et|dans|avec|prises?|que|j|ai|ajoutée?s?|importée?s?|zeig|zeige|mir|finde|suche?|alle|alles|der|die|das|den|dem|meine?[nrms]?|von|vom|aus|mit|im|und|bitte|ich|habe|hochgeladen|hinzugefügt|gemacht|hier|sind)(?![\p{L}\p{N}])/giu
/** Words that join a phrase to the next words: "photos *of* the garden", "the video, *in which* she sings". */
const joiningWords =
  /^\s*(?:,\s*)?(?:of|from|with|showing|about|where|in which|that shows?|de|del|con|sobre|donde|en (?:el|la|los|las) que|du|des|d['’]|avec|sur|où|dans (?:laquelle|lequel|lesquels|lesquelles)|von|vom|mit|über|wo|in (?:dem|der|denen))(?:\s+|(?<=['’]))(?=[\p{L}\p{N}])/iu

/** Reads the times and kinds in a query, in English, Spanish, French and German, mixed as well. */
export function understandPhrases(query: string, reader: PhraseReader): UnderstoodPhrases {
  const text = query.normalize('NFC')
  const open = closeLiteral(
    text.replace(CLOSED_PARTS, (part) => CLOSED.repeat(part.length)),
    reader.literal ?? [],
  )
  const now = DateTime.fromJSDate(reader.now, { zone: reader.timeZone })
  const readPhrases = readTimes(open, now, reader.language as PhraseLanguage)
  // beside a time that is named, "recently" is only a word
  const clearTimes = readPhrases.filter(({ isVague }) => !isVague)
  const times = clearTimes.length > 0 ? clearTimes : readPhrases
  const withoutTimes = closeSpans(open, times)
  const kinds = readKinds(withoutTimes)
  const remaining = leftOf(text, withoutTimes, [...times, ...kinds], kinds)
  const phrases = [
    ...times.map(({ from, to, isYearly: _, isVague: __, ...at }) => ({
      ...at,
      kind: 'time' as const,
      ...between(from, to),
    })),
    ...kinds.map((phrase) => ({ ...phrase, kind: 'type' as const })),
  ]
    .sort((one, other) => one.begin - other.begin)
    .map(({ begin, end, ...phrase }): QueryPhrase => ({ text: text.slice(begin, end).trim(), ...phrase }))
  const isEmpty = !/[\p{L}\p{N}]/u.test(remaining.replace(askingWords, ' '))
  const isOnlyPhrases = phrases.length > 0 && isEmpty
  const mediaTypes = [...new Set(kinds.flatMap((phrase) => phrase.mediaTypes))]
  const joined = joinedTimes(times)
  return {
    text: isEmpty ? text.trim() : remaining,
    isOnlyPhrases,
    ...(mediaTypes.length > 0 ? { mediaTypes } : {}),
    ...(joined ? between(joined.from, joined.to) : {}),
    phrases,
    ...(times.length > 0 ? { days: joinDays(times.map(daysOf)) } : {}),
  }
}

function daysOf({ from, to, isYearly = false }: TimePhrase): DaySpan {
  return { first: from?.toISODate() ?? null, last: to?.minus({ milliseconds: 1 }).toISODate() ?? null, isYearly }
}

/** The days that all spans share ("in July", "last year"); the spans themselves when they share none. */
function joinDays(spans: DaySpan[]): DaySpan[] {
  const firsts = spans.flatMap(({ first }) => first ?? []).sort()
  const lasts = spans.flatMap(({ last }) => last ?? []).sort()
  const [first = null, last = null] = [firsts.at(-1), lasts[0]]
  const isCommon = first === null || last === null || first <= last
  return isCommon ? [{ first, last, isYearly: spans.every(({ isYearly }) => isYearly) }] : spans
}

function between(from: DateTime | null, to: DateTime | null): Pick<QueryPhrase, 'from' | 'to'> {
  return { ...(from ? { from: from.toJSDate() } : {}), ...(to ? { to: to.toJSDate() } : {}) }
}

function closeLiteral(text: string, literal: readonly string[]): string {
  return literal.reduce((open, phrase) => {
    const phraseText = phrase.normalize('NFC').trim().toLowerCase()
    const at = phraseText === '' ? -1 : open.toLowerCase().indexOf(phraseText)
    return at < 0 ? open : closeSpans(open, [{ begin: at, end: at + phraseText.length }])
  }, text)
}

function closeSpans(text: string, spans: readonly { begin: number; end: number }[]): string {
  return spans.reduce(
    (open, { begin, end }) => open.slice(0, begin) + CLOSED.repeat(end - begin) + open.slice(end),
    text,
  )
}

function leftOf(
  text: string,
  withoutTimes: string,
  phrases: readonly { begin: number; end: number }[],
  kinds: readonly { end: number }[],
): string {
  const cut = [...phrases].sort((one, other) => other.begin - one.begin)
  const remaining = cut.reduce((rest, phrase) => {
    const isKind = kinds.some(({ end }) => end === phrase.end)
    const joined = isKind ? (joiningWords.exec(withoutTimes.slice(phrase.end))?.[0].length ?? 0) : 0
    return `${rest.slice(0, phrase.begin)} ${rest.slice(phrase.end + joined)}`
  }, text)
  return remaining
    .replace(/\s+/g, ' ')
    .replace(/ ([,.;:!?])/g, '$1')
    .replace(/^[\s,;:–-]+|[\s,;:–-]+$/g, '')
    .trim()
}
