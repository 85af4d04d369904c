import { type Stems, stemmedLanguages } from './stems.ts'
import { type Part, type Term, wordsOf } from './terms.ts'

/** How a text holds one term of a query. */
export interface TermMatch {
  /** 1: in a form of the word; less for words that only begin so or are spelled nearly so; 0: not at all. */
  weight: number
  /** Words of the text that match, in lower case. */
  words: Set<string>
}

/** How well a word that is written in one way or another stands for the one that was asked for. */
const WEIGHT = { form: 1, otherLanguage: 0.9, accents: 0.95, near: 0.8, inside: 0.7, begun: 0.9 }
/** Shorter words are like too many others. */
export const SHORTEST_MISSPELLED = 5
/** As long as this, two letters may be wrong. */
const TWO_MISTAKES_FROM = 8

const folded = new Map<string, string>()
const MOST_FOLDED = 50_000

/** A word without accents. */
export function fold(word: string): string {
  let plain = folded.get(word)
  if (plain === undefined) {
    plain = word.normalize('NFD').replace(/\p{M}/gu, '').replaceAll('ß', 'ss')
    if (folded.size > MOST_FOLDED) folded.clear()
    folded.set(word, plain)
  }
  return plain
}

/** Words of a text that may be forms of a term's words; the stems of these tell. */
export function candidateWords(words: Iterable<string>, terms: Term[]): string[] {
  const beginnings = new Set(partsOf(terms).map(({ word }) => fold(word).slice(0, 2)))
  return [...new Set(words)].filter((word) => beginnings.has(fold(word).slice(0, 2)))
}

/** A text as terms are looked for in it. */
export interface Text {
  body: string
  words: Set<string>
  /** Text search configuration of its language. */
  language: string
}

interface Leniency {
  /** The person may still be typing the word. */
  isOpen: boolean
  /** Words that are spelled nearly so count. */
  mayBeMisspelled: boolean
}

/**
 * Finds each term in texts; what was found out about a word is kept from one text to the next.
 * @param stems of the texts' words, as far as candidateWords asks for them.
 * @param rare terms for which words that are spelled nearly so count.
 */
export function createMatcher(terms: Term[], stems: Map<string, Stems>, rare: Set<Term>): (text: Text) => TermMatch[] {
  const matchers = terms.map((term) => {
    if (term.kind === 'phrase') return createPhraseMatcher(term.phrase)
    const parts = term.parts.map((part, at) => {
      const isOpen = term.isLast && at === term.parts.length - 1
      return createPartMatcher(part, stems, { isOpen, mayBeMisspelled: rare.has(term) })
    })
    return (text: Text) => {
      const found = parts.map((matchPart) => matchPart(text))
      const weight = Math.min(...found.map((match) => match.weight))
      return { weight, words: weight === 0 ? new Set<string>() : new Set(found.flatMap((match) => [...match.words])) }
    }
  })
  return (text) => matchers.map((match) => match(text))
}

function createPhraseMatcher(phrase: string): (text: Text) => TermMatch {
  const expression = phraseExpression(phrase)
  return ({ body }) => ({ weight: body.search(expression) === -1 ? 0 : 1, words: new Set() })
}

function createPartMatcher(part: Part, stems: Map<string, Stems>, leniency: Leniency): (text: Text) => TermMatch {
  const isLong = part.word.length >= SHORTEST_MISSPELLED
  const byLanguage = new Map<string, Map<string, number>>()
  const judge = (word: string, language: string): number => {
    const weight = weightOf(word, part, language, stems.get(word), leniency.isOpen)
    return weight === 0 && leniency.mayBeMisspelled && isLong ? likeness(word, part.word) : weight
  }
  return ({ words, language }) => {
    const match: TermMatch = { weight: 0, words: new Set() }
    const known = byLanguage.get(language) ?? new Map<string, number>()
    byLanguage.set(language, known)
    for (const word of words) {
      let weight = known.get(word)
      if (weight === undefined) {
        weight = judge(word, language)
        known.set(word, weight)
      }
      if (weight === 0) continue
      match.words.add(word)
      match.weight = Math.max(match.weight, weight)
    }
    return match
  }
}

function weightOf(word: string, part: Part, language: string, stems: Stems | undefined, isOpen: boolean): number {
  if (word === part.word) return WEIGHT.form
  if (stems) {
    const same = stemmedLanguages.filter((one) => stems[one] !== null && stems[one] === part.stems[one])
    if (same.some((one) => one === language)) return WEIGHT.form
    if (same.length > 0) return WEIGHT.otherLanguage
  }
  if (fold(word) === fold(part.word)) return WEIGHT.accents
  if (isOpen && part.word.length >= 3 && word.startsWith(part.word)) {
    return (WEIGHT.begun * part.word.length) / word.length
  }
  return 0
}

/** How much one word is another one that is spelled wrong, or part of a compound; 0 when it is neither. */
export function likeness(word: string, wanted: string): number {
  const [one, other] = [fold(word), fold(wanted)]
  if (one.length > other.length && one.includes(other)) return WEIGHT.inside
  const mistakes = other.length >= TWO_MISTAKES_FROM ? 2 : 1
  if (Math.abs(one.length - other.length) > mistakes) return 0
  const distance = editDistance(one, other, mistakes)
  return distance > mistakes ? 0 : WEIGHT.near * (1 - (distance - 1) * 0.15)
}

/** Letters to add, drop, change or swap with a neighbour to make one word of the other; more than `most` is not counted. */
function editDistance(one: string, other: string, most: number): number {
  let before: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let row = 1; row <= one.length; row++) {
    const current = [row]
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1]
      let cost = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
      )
      const isSwapped =
        row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      if (isSwapped) cost = Math.min(cost, (before[column - 2] ?? 0) + 1)
      current.push(cost)
    }
    if (Math.min(...current) > most) return most + 1
    before = last
    last = current
  }
  return last[other.length] ?? 0
}

function phraseExpression(phrase: string): RegExp {
  const words = phrase.split(' ').map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  const before = /^[\p{L}\p{N}]/u.test(phrase) ? '(?<![\\p{L}\\p{N}_])' : ''
  const after = /[\p{L}\p{N}]$/u.test(phrase) ? '(?![\\p{L}\\p{N}_])' : ''
  return new RegExp(`${before}${words.join('\\s+')}${after}`, 'giu')
}

function partsOf(terms: Term[]): Part[] {
  return terms.flatMap((term) => (term.kind === 'word' ? term.parts : []))
}

/** Matched words of a snippet stand between these. */
export const [MARK, UNMARK] = ['\u0002', '\u0003']
const SNIPPET_CHARACTERS = 240
/** What stands before the first matched word. */
const LEAD_CHARACTERS = 60

/**
 * The part of a text where most of what was looked for stands, in one line, with the words marked.
 * @param words that matched, in lower case.
 */
export function snippetOf(body: string, words: Set<string>, terms: Term[]): string {
  const text = body.replaceAll(MARK, '').replaceAll(UNMARK, '')
  const marks = marksIn(text, words, terms)
  const start = startOf(text, marks)
  let end = Math.min(text.length, start + SNIPPET_CHARACTERS)
  if (end < text.length) end = Math.max(text.lastIndexOf(' ', end), start + SNIPPET_CHARACTERS / 2)
  let snippet = start > 0 ? '…' : ''
  let at = start
  for (const mark of marks) {
    if (mark.from < at || mark.to > end) continue
    snippet += `${text.slice(at, mark.from)}${MARK}${text.slice(mark.from, mark.to)}${UNMARK}`
    at = mark.to
  }
  snippet += text.slice(at, end) + (end < text.length ? '…' : '')
  return snippet.replace(/\s+/g, ' ').trim()
}

interface Stretch {
  from: number
  to: number
  key: string
}

function marksIn(text: string, words: Set<string>, terms: Term[]): Stretch[] {
  const marks: Stretch[] = []
  for (const term of terms) {
    if (term.kind !== 'phrase') continue
    for (const found of text.matchAll(phraseExpression(term.phrase))) {
      marks.push({ from: found.index, to: found.index + found[0].length, key: term.phrase })
    }
  }
  if (words.size > 0) {
    for (const found of text.matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
      const [word] = wordsOf(found[0])
      if (word === undefined || !words.has(word)) continue
      marks.push({ from: found.index, to: found.index + found[0].length, key: word })
    }
  }
  return marks.sort((a, b) => a.from - b.from || b.to - a.to)
}

/** Where the stretch begins that holds the most different marked words. */
function startOf(text: string, marks: Stretch[]): number {
  let [best, most] = [marks[0]?.from ?? 0, 0]
  for (const [at, mark] of marks.entries()) {
    const held = new Set<string>()
    for (let next = at; next < marks.length; next++) {
      const other = marks[next]
      if (!other || other.to > mark.from + SNIPPET_CHARACTERS - LEAD_CHARACTERS) break
      held.add(other.key)
    }
    if (held.size > most) [best, most] = [mark.from, held.size]
  }
  if (best <= LEAD_CHARACTERS || text.length <= SNIPPET_CHARACTERS) return 0
  const space = text.indexOf(' ', best - LEAD_CHARACTERS)
  return space === -1 || space >= best ? best : space + 1
}
