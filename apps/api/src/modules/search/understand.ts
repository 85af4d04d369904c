import type { Language, MediaType, UnderstoodQuery } from '@mira/shared'
import { cutText } from '@mira/shared/constants/cut-text'
import type { Caller } from '../../caller.ts'
import { guessLanguage } from '../../offline/language/language.ts'
import type { DaySpan } from '../../offline/phrases/written-days.ts'
import { offsetAt } from '../../platform/lib/time-zone-offset.ts'
import type { StemsStore } from './indexing/words.store.ts'
import { phraseConditionOf, understandPhrases } from './query-phrases.ts'
import type { SearchScope } from './scope.ts'
import { noStems, queryWordsOf, tsqueryOf } from './terms.ts'

/** Parsed text of the search box. */
interface ParsedQuery {
  /** Words as typed, without filters. They may contain punctuation. */
  words: string[]
  /** Phrases that have to match literally, ignoring case. */
  phrases: string[]
  /** Words to exclude: items that contain one of them are left out. */
  excluded: string[]
  /** Media types of the items; null for any. */
  types: MediaType[] | null
  /** Tags in lower case; an item must have all of them. */
  tags: string[]
  /** Time range: `from` is inclusive, `to` exclusive; null for an open end. */
  from: Date | null
  to: Date | null
}

const typeNames: Record<string, MediaType> = {
  image: 'image',
  images: 'image',
  picture: 'image',
  pictures: 'image',
  photo: 'image',
  photos: 'image',
  video: 'video',
  videos: 'video',
  film: 'video',
  films: 'video',
  audio: 'audio',
  recording: 'audio',
  recordings: 'audio',
  document: 'document',
  documents: 'document',
}

const MAX_WORDS = 1000
const MAX_PHRASES = 4
const MAX_EXCLUDED = 8
/** Maximum length of a query's words and tags: no text has longer words, and the database limits lexemes. */
const MAX_WORD_LENGTH = 100
const MAX_PHRASE_LENGTH = 200

/** Pattern for a part of a query: a filter with its value, a phrase in quotes (perhaps excluded), or a word. */
const PART = /([a-z]+):(?:"([^"]*)"|(\S+))|(-?)["“„«]([^"“”„«»]*)["”“»]|(\S+)/giu
const DATE = /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?$/

/**
 * Parses `type:video before:2026-05 after:2026-01-31 tag:home "exact words" -without words`. Dates are days, months or years
 * in the time zone: `after:` includes the given date, `before:` doesn't. An unknown filter, or one with an invalid value,
 * counts as plain words.
 */
export function parseQuery(text: string, timeZone: string): ParsedQuery {
  const parsed: ParsedQuery = { words: [], phrases: [], excluded: [], types: null, tags: [], from: null, to: null }
  for (const [part, filter, quoted, unquoted, minus, phrase, other] of text.matchAll(PART)) {
    if (filter !== undefined) {
      const value = (quoted ?? unquoted ?? '').trim()
      if (!readFilter(parsed, filter.toLowerCase(), value, timeZone)) addWords(parsed, part)
    } else if (phrase !== undefined) {
      const exact = cutText(phrase.trim().replace(/\s+/g, ' '), MAX_PHRASE_LENGTH)
      if (!/[\p{L}\p{N}]/u.test(exact)) continue
      if (minus !== '-') parsed.phrases.push(exact)
      else parsed.excluded.push(...exact.split(' '))
    } else if (other !== undefined) {
      if (/^-\p{L}/u.test(other)) parsed.excluded.push(other.slice(1))
      else addWords(parsed, other)
    }
  }
  parsed.words.splice(MAX_WORDS)
  parsed.phrases.splice(MAX_PHRASES)
  parsed.excluded = parsed.excluded.map((word) => cutText(word, MAX_WORD_LENGTH)).slice(0, MAX_EXCLUDED)
  return parsed
}

function addWords(parsed: ParsedQuery, part: string): void {
  const word = cutText(part, MAX_WORD_LENGTH)
  if (/[\p{L}\p{N}]/u.test(word)) parsed.words.push(word)
}

/** Applies a filter to the parsed query. @returns false when the name is unknown or the value invalid. */
function readFilter(parsed: ParsedQuery, name: string, value: string, timeZone: string): boolean {
  if (name === 'type') {
    const typeName = value.toLowerCase()
    const type = Object.hasOwn(typeNames, typeName) ? typeNames[typeName] : undefined
    if (type === undefined) return false
    parsed.types = [...(parsed.types ?? []), type]
    return true
  }
  if (name === 'tag' && value !== '') {
    parsed.tags.push(cutText(value.toLowerCase(), MAX_WORD_LENGTH))
    return true
  }
  if (name !== 'before' && name !== 'after') return false
  const date = readDate(value, timeZone)
  if (date === null) return false
  if (name === 'after') parsed.from = later(parsed.from, date)
  else parsed.to = earlier(parsed.to, date)
  return true
}

/** Start of a written year, month or day; null for an invalid date. */
function readDate(text: string, timeZone: string): Date | null {
  const [, year, month = '01', day = '01'] = DATE.exec(text) ?? []
  if (year === undefined || Number(year) < 1) return null
  const date = new Date(`${year}-${month}-${day}T00:00:00Z`)
  const exists = !Number.isNaN(date.getTime()) && date.toISOString().startsWith(`${year}-${month}-${day}`)
  return exists ? beginOfDay(date, timeZone) : null
}

/** Start of a day in a time zone; `midnight` is the day's midnight in UTC. */
function beginOfDay(midnight: Date, timeZone: string): Date {
  let begin = midnight.getTime() - offsetAt(midnight, timeZone)
  // Twice, since on days when the clocks change, the first result may be an hour off.
  begin = midnight.getTime() - offsetAt(new Date(begin), timeZone)
  return new Date(begin)
}

/** The later of two times. If one is null, the other one; null if both are. */
function later(one: Date | null, other: Date | null): Date | null {
  return one !== null && (other === null || one > other) ? one : other
}

/** The earlier of two times. If one is null, the other one; null if both are. */
function earlier(one: Date | null, other: Date | null): Date | null {
  return one !== null && (other === null || one < other) ? one : other
}

/** Filters of a request, in addition to those in the query. */
export interface Narrowing {
  mediaTypes?: MediaType[] | undefined
  contentTypes?: readonly string[] | undefined
  from?: Date | undefined
  to?: Date | undefined
  items?: string[] | undefined
  includesFrames?: boolean | undefined
  /** Phrases to treat as plain words, even if they name a time or a type. */
  literal?: string[] | undefined
  /** True when the range only means the time added, not the time taken. */
  isByTimeAdded?: boolean | undefined
  /** True for a sentence of a conversation, in which filters and quotes have no special meaning. */
  isPlain?: boolean | undefined
}

/** Types and times that rank higher among equally good results. */
export interface RankingPreferences {
  mediaTypes?: MediaType[] | undefined
  /** Range of the time when items were taken, or added if that's unknown: `from` is inclusive, `to` exclusive. */
  from?: Date | undefined
  to?: Date | undefined
  /** True when the range only means the time added, not the time taken. */
  isByTimeAdded?: boolean | undefined
  /** The same range as days that a text may name. */
  days?: DaySpan[] | undefined
  /** True when the query only consists of preferences. */
  isAll?: boolean | undefined
}

/** A query split into words, scope and preferences. */
export interface Understood {
  /** Words of the query without filters, quoted phrases, times and types. */
  text: string
  /** Language, guessed from the whole query, since the remaining words may be too few; null when unsure. */
  language: Language | null
  /** Parts of the query that were read as a time or a type, but may be meant literally. */
  context: string[]
  /** Quoted phrases, which have to match literally. */
  phrases: string[]
  scope: SearchScope
  /** True when filters in the query narrow the scope. */
  isFiltered: boolean
  preferences?: RankingPreferences | undefined
  /** The understood query as the response reports it. */
  response: UnderstoodQuery
}

const noFilters = { phrases: [], excluded: [], types: null, tags: [], from: null, to: null }

/** Reads the words, filters, times and types of a query. */
export async function understand(
  stems: Pick<StemsStore, 'stemsOf'>,
  caller: Pick<Caller, 'userId' | 'timeZone' | 'language'>,
  query: string,
  narrowing: Narrowing = {},
): Promise<Understood> {
  const { timeZone } = caller
  const language = guessLanguage(query)
  const phraseLanguage = language ?? caller.language
  const understood = understandPhrases(query, {
    now: new Date(),
    timeZone,
    language: phraseLanguage,
    literal: narrowing.literal ?? [],
  })
  const parsed = narrowing.isPlain ? { ...noFilters, words: [understood.text] } : parseQuery(understood.text, timeZone)
  const words = parsed.words.join(' ')
  const { mediaTypes, from, to, isByTimeAdded, days, phrases, isOnlyPhrases } = understood
  return {
    text: isOnlyPhrases ? '' : words,
    language,
    context: isOnlyPhrases ? [words] : phrases.map(({ text }) => text),
    phrases: parsed.phrases,
    scope: await scopeOf(stems, caller, parsed, narrowing),
    isFiltered: parsed.types !== null || parsed.tags.length > 0 || parsed.from !== null || parsed.to !== null,
    preferences: phrases.length > 0 ? { mediaTypes, from, to, isByTimeAdded, days, isAll: isOnlyPhrases } : undefined,
    response: {
      words: isOnlyPhrases ? '' : [words, ...parsed.phrases].join(' ').trim(),
      ...(mediaTypes && { media_types: mediaTypes }),
      ...(from && { from }),
      ...(to && { to }),
      phrases: phrases.map(({ mediaTypes: types, ...phrase }) => ({ ...phrase, ...(types && { media_types: types }) })),
    },
  }
}

async function scopeOf(
  stems: Pick<StemsStore, 'stemsOf'>,
  { userId, timeZone }: Pick<Caller, 'userId' | 'timeZone'>,
  parsed: ParsedQuery,
  narrowing: Narrowing,
): Promise<SearchScope> {
  const { mediaTypes: types, contentTypes, from, to, items, includesFrames = true, isByTimeAdded } = narrowing
  const literal = [...parsed.phrases, ...parsed.excluded]
  const stemsByWord = await stems.stemsOf(literal.flatMap(queryWordsOf))
  const stemsOf = (word: string) => stemsByWord.get(word) ?? noStems
  const excluded = parsed.excluded.flatMap((chunk) => {
    const words = queryWordsOf(chunk)
    const query = words.map((word) => `(${tsqueryOf({ word, stems: stemsOf(word), isPrefix: false })})`).join(' & ')
    return query === '' ? [] : [`(${query})`]
  })
  return {
    userId,
    items,
    contentTypes,
    isByTimeAdded,
    includesFrames,
    tags: parsed.tags,
    types:
      parsed.types && types ? parsed.types.filter((type) => types.includes(type)) : (parsed.types ?? types ?? null),
    from: later(parsed.from, from ?? null),
    to: earlier(parsed.to, to ?? null),
    timeZone,
    phrases: parsed.phrases.map((phrase) => phraseConditionOf(phrase, stemsOf)),
    excluded: excluded.length > 0 ? excluded.join(' | ') : null,
  }
}
