import type { MediaType } from '@mira/shared'
import { DateTime } from 'luxon'
import { isFraming } from '../../offline/language/language.ts'
import { readKinds } from '../../offline/phrases/kinds.ts'
import type { PhraseLanguage } from '../../offline/phrases/time-words.ts'
import { joinedTimes, readTimes, type TimePhrase } from '../../offline/phrases/times.ts'
import type { DaySpan } from '../../offline/phrases/written-days.ts'
import { addingVerbs, uploadVerbs } from '../../offline/requests/file-words.ts'
import { wholeWords } from '../../platform/lib/searched-form.ts'
import type { Stems } from './indexing/words.store.ts'
import type { TextCondition } from './scope.ts'
import { isUnspaced, queryWordsOf, tsqueryOf } from './terms.ts'

// A quoted phrase is matched letter by letter, first by the database, then in the texts that it returned. Both allow any white
// space between the words and match whole words only.

/** Condition that a text contains a phrase. A phrase without indexed words is looked for in the text as it's written. */
export function phraseConditionOf(phrase: string, stemsOf: (word: string) => Stems): TextCondition {
  const wholePhrase = wholeWords(phrase)
  const tsquery = phraseQueryOf(wholePhrase, stemsOf)
  return { tsquery, pattern: patternOf(tsquery === null ? phrase : wholePhrase) }
}

/** Text search query for the words of a phrase, so that few texts are compared letter by letter; null without indexed words. */
export function phraseQueryOf(phrase: string, stemsOf: (word: string) => Stems): string | null {
  // The first and last word are left out if they may be parts of longer words, which the index can't find.
  const words = queryWordsOf(phrase).filter(
    (word, index, all) =>
      (index > 0 || isBounded(word, phrase.at(0))) && (index < all.length - 1 || isBounded(word, phrase.at(-1))),
  )
  const queries = words.map((word) => `(${tsqueryOf({ word, stems: stemsOf(word), isPrefix: false })})`)
  return queries.length > 0 ? queries.join(' & ') : null
}

/** True when the word at an end of a phrase must be a whole word. @param end first or last character of the phrase. */
function isBounded(word: string, end = ''): boolean {
  return !isUnspaced(word) && /[\p{L}\p{N}]/u.test(end)
}

/**
 * PostgreSQL regular expression for a phrase. It matches whole words with any white space between them; hyphens are optional,
 * since they may have been lost at the end of a line.
 */
function patternOf(phrase: string): string {
  const words = phrase.split(' ').map((word) => withLostHyphens(word.replace(/[!-/:-@[-`{-~]/g, '\\$&')))
  const [first, last] = [phrase.at(0) ?? '', phrase.at(-1) ?? '']
  const before = /[\p{L}\p{N}]/u.test(first) && !isUnspaced(first) ? '\\m' : ''
  const after = /[\p{L}\p{N}]/u.test(last) && !isUnspaced(last) ? '\\M' : ''
  return before + words.join('\\s+') + after
}

/** JavaScript regular expression for a phrase, like that of `patternOf`; it finds each occurrence in a text's `searchedForm`. */
export function phraseExpression(phrase: string): RegExp {
  const words = wholeWords(phrase)
    .split(' ')
    .map((word) => withLostHyphens(word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')))
  const isWord = (character: string) => /[\p{L}\p{N}]/u.test(character) && !isUnspaced(character)
  const before = isWord(phrase.at(0) ?? '') ? '(?<![\\p{L}\\p{N}_])' : ''
  const after = isWord(phrase.at(-1) ?? '') ? '(?![\\p{L}\\p{N}_])' : ''
  return new RegExp(`${before}${words.join('\\s+')}${after}`, 'giu')
}

/** Makes the hyphens inside words of a regular expression optional. */
const withLostHyphens = (expression: string) => expression.replace(/(?<=\p{L})(\\?[-\u2010])(?=\p{L})/gu, '$1?')

/** Part of a query that names a time or a type of item. */
export interface QueryPhrase {
  /** As written in the query. */
  text: string
  kind: 'time' | 'type'
  mediaTypes?: MediaType[]
  /** Time range: `from` is inclusive, `to` exclusive; undefined for an open end. */
  from?: Date
  to?: Date
}

/** A query, split into times, types of items and the text to search for. */
export interface UnderstoodPhrases {
  /** Remaining text to search for; the whole query when it has no phrases. */
  text: string
  /** The query without its times, but with its types. */
  textWithoutTimes: string
  /** True when the query only consists of times, types and framing: "my photos from last summer", "what does the voice note say". */
  isOnlyPhrases: boolean
  mediaTypes?: MediaType[]
  from?: Date
  to?: Date
  /** True when the times mean when items were added, as in "what I uploaded yesterday". */
  isByTimeAdded?: boolean
  phrases: QueryPhrase[]
  /** The times as days in the reader's time zone, to be compared with days that texts name. */
  days?: DaySpan[]
}

export interface PhraseReader {
  now: Date
  /** IANA name of the reader's time zone, which decides when days begin. */
  timeZone: string
  /** Language of the query if known, else of the reader. Phrases of all languages are read; this one decides ambiguous phrases. */
  language: string
  /** Phrases to treat as plain words, as written in the query. */
  literal?: readonly string[]
}

/** Character that replaces text that mustn't be part of a phrase; it's neither a letter nor a space. */
const MASK = '\u0001'
/** Parts of a query in which no phrases are looked for: quotes, which are literal, and filters. */
const MASKED_PARTS = /"[^"]*"|[“„«][^“”„«»]*[”“»]|(?<![a-z])[a-z]+:\S+/giu
/** Words of a request that don't describe what to find, as in "show me all my photos of last summer". */
const askingWords =
  /(?<![\p{L}\p{N}])(?:show|find|search|get|give|list|open|look|see|me|us|for|all|any|the|a|my|our|of|from|in|with|please|and|i|have|took|taken|made|uploaded|added|saved|everything|that|there|is|are|was|were|what|which|did|do|does|muestra|mu[eé]strame|ens[eé][nñ]ame|busca|encuentra|dame|ver|todo|todos|todas|el|la|los|las|mis?|de|del|en|con|y|por|favor|hechas?|qu[eé]|sub[ií]|añad[ií]|guard[eé]|hice|hay|montre|montre-moi|moi|cherche|trouve|affiche|tout|tous|toutes|le|les|mes|mon|ma|des|du|d|l|et|dans|avec|prises?|que|j|ai|ajoutée?s?|importée?s?|zeig|zeige|mir|finde|suche?|alle|alles|der|die|das|den|dem|meine?[nrms]?|von|vom|aus|mit|im|und|bitte|ich|habe|hochgeladen|hinzugefügt|gemacht|hier|sind|wird|werden)(?![\p{L}\p{N}])/giu
/** Words that join a phrase to the next words: "photos *of* the garden", "the video, *in which* she sings". */
const joiningWords =
  /^\s*(?:,\s*)?(?:of|from|with|showing|about|where|in which|that shows?|de|del|con|sobre|donde|en (?:el|la|los|las) que|du|des|d['’]|avec|sur|où|dans (?:laquelle|lequel|lesquels|lesquelles)|von|vom|mit|über|wo|in (?:dem|der|denen))(?:\s+|(?<=['’]))(?=[\p{L}\p{N}])/iu

/** Reads the times and types of items in a query, in English, Spanish, French and German, or a mixture of these. */
export function understandPhrases(query: string, reader: PhraseReader): UnderstoodPhrases {
  const text = query.normalize('NFC')
  const masked = maskLiteral(
    text.replace(MASKED_PARTS, (part) => MASK.repeat(part.length)),
    reader.literal ?? [],
  )
  const now = DateTime.fromJSDate(reader.now, { zone: reader.timeZone })
  const timePhrases = readTimes(masked, now, reader.language as PhraseLanguage)
  // A vague time such as "recently" doesn't count beside a definite one.
  const definiteTimes = timePhrases.filter(({ isVague }) => !isVague)
  const times = definiteTimes.length > 0 ? definiteTimes : timePhrases
  const withoutTimes = maskSpans(masked, times)
  const kinds = readKinds(withoutTimes)
  const remaining = withoutPhrases(text, withoutTimes, [...times, ...kinds], kinds)
  const phrases = [
    ...times.map(({ from, to, isYearly: _, isVague: __, ...span }) => ({
      ...span,
      kind: 'time' as const,
      ...between(from, to),
    })),
    ...kinds.map((phrase) => ({ ...phrase, kind: 'type' as const })),
  ]
    .sort((one, other) => one.begin - other.begin)
    .map(({ begin, end, ...phrase }): QueryPhrase => ({ text: text.slice(begin, end).trim(), ...phrase }))
  const content =
    remaining
      .replace(askingWords, ' ')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  const isEmpty = content.every((word) => isFraming(word, reader.language))
  const isOnlyPhrases = phrases.length > 0 && isEmpty
  const isAdded = uploadVerbs.test(withoutTimes) || (isOnlyPhrases && addingVerbs.test(withoutTimes))
  const isByTimeAdded = times.length > 0 && isAdded
  const mediaTypes = [...new Set(kinds.flatMap((phrase) => phrase.mediaTypes))]
  const joined = joinedTimes(times)
  return {
    text: isEmpty ? text.trim() : remaining,
    textWithoutTimes: withoutPhrases(text, withoutTimes, times, []),
    isOnlyPhrases,
    ...(mediaTypes.length > 0 ? { mediaTypes } : {}),
    ...(joined ? between(joined.from, joined.to) : {}),
    ...(isByTimeAdded ? { isByTimeAdded } : {}),
    phrases,
    ...(times.length > 0 ? { days: intersectDays(times.map(daysOf)) } : {}),
  }
}

function daysOf({ from, to, isYearly = false }: TimePhrase): DaySpan {
  return { first: from?.toISODate() ?? null, last: to?.minus({ milliseconds: 1 }).toISODate() ?? null, isYearly }
}

/** Days that are in all of the spans, such as "in July" and "last year"; the spans themselves if there are none. */
function intersectDays(spans: DaySpan[]): DaySpan[] {
  const firsts = spans.flatMap(({ first }) => first ?? []).sort()
  const lasts = spans.flatMap(({ last }) => last ?? []).sort()
  const [first = null, last = null] = [firsts.at(-1), lasts[0]]
  const isCommon = first === null || last === null || first <= last
  return isCommon ? [{ first, last, isYearly: spans.every(({ isYearly }) => isYearly) }] : spans
}

function between(from: DateTime | null, to: DateTime | null): Pick<QueryPhrase, 'from' | 'to'> {
  return { ...(from ? { from: from.toJSDate() } : {}), ...(to ? { to: to.toJSDate() } : {}) }
}

function maskLiteral(text: string, literal: readonly string[]): string {
  return literal.reduce((masked, phrase) => {
    const phraseText = phrase.normalize('NFC').trim().toLowerCase()
    const begin = phraseText === '' ? -1 : masked.toLowerCase().indexOf(phraseText)
    return begin < 0 ? masked : maskSpans(masked, [{ begin, end: begin + phraseText.length }])
  }, text)
}

function maskSpans(text: string, spans: readonly { begin: number; end: number }[]): string {
  return spans.reduce(
    (masked, { begin, end }) => masked.slice(0, begin) + MASK.repeat(end - begin) + masked.slice(end),
    text,
  )
}

function withoutPhrases(
  text: string,
  withoutTimes: string,
  phrases: readonly { begin: number; end: number }[],
  kinds: readonly { end: number }[],
): string {
  const fromLast = [...phrases].sort((one, other) => other.begin - one.begin)
  const remaining = fromLast.reduce((rest, phrase) => {
    const isKind = kinds.some(({ end }) => end === phrase.end)
    const joiningLength = isKind ? (joiningWords.exec(withoutTimes.slice(phrase.end))?.[0].length ?? 0) : 0
    return `${rest.slice(0, phrase.begin)} ${rest.slice(phrase.end + joiningLength)}`
  }, text)
  return remaining
    .replace(/\s+/g, ' ')
    .replace(/ ([,.;:!?])/g, '$1')
    .replace(/^[\s,;:–-]+|[\s,;:–-]+$/g, '')
    .trim()
}
