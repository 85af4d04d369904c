import type { ParsedQuery } from './query.ts'
import { type StemmedLanguage, type Stems, stemmedLanguages } from './stems.ts'

/** One word of a query that may stand in any form. */
export interface Part {
  /** In lower case. */
  word: string
  stems: Stems
}

/** What has to be found: a word (with its parts when it holds punctuation), or a phrase letter by letter. */
export type Term =
  | { kind: 'word'; parts: Part[] /** The person may still be typing it. */; isLast: boolean; chunk: string }
  | { kind: 'phrase'; phrase: string /** Words of it that an index finds. */; parts: Part[] }

/** Words that ask for something rather than describe it, beside the stop words of each language. */
const askingWords: Record<StemmedLanguage, string> = {
  english: `picture pictures photo photos image images video videos clip recording recordings document documents file
    files find show search look looking give tell please someone something where's what's`,
  spanish: `foto fotos imagen imágenes vídeo vídeos video grabación documento documentos archivo archivos busca buscar
    encuentra encontrar muestra muéstrame enséñame dónde donde cuándo cuándo cómo quién cuál favor algo alguien`,
  french: `photo photos image images vidéo vidéos enregistrement document documents fichier fichiers cherche chercher
    trouve trouver montre montrer où quand comment quel quelle quels quelles plaît quelque chose quelqu`,
  german: `bild bilder foto fotos video videos aufnahme aufnahmen dokument dokumente datei dateien finde finden suche
    suchen zeig zeige zeigen wo wann wie welches welche welcher bitte jemand mir`,
}
const asking = Object.fromEntries(
  stemmedLanguages.map((language) => [language, new Set(askingWords[language].split(/\s+/))]),
) as Record<StemmedLanguage, Set<string>>

const MOST_TERMS = 8
/** Shorter stems begin too many other words. */
const SHORTEST_OPEN_STEM = 4
const SHORTEST_OPEN_WORD = 3

/** Lower-cased words of a text, as they are compared. */
export function wordsOf(text: string): string[] {
  return (
    text
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
  )
}

/**
 * The terms of a query. Words that say nothing in its language are left out, unless there are no others.
 * @param stems of all words of the query.
 */
export function termsOf(query: ParsedQuery, language: StemmedLanguage | null, stems: Map<string, Stems>): Term[] {
  const chunks = query.words.map((chunk) => ({ chunk, words: wordsOf(chunk) })).filter(({ words }) => words.length > 0)
  const telling = chunks.filter(({ words }) => words.some((word) => isTelling(word, language, stems)))
  const kept = telling.length > 0 || query.phrases.length > 0 ? telling : chunks
  const last = chunks.at(-1)
  const seen = new Set<string>()
  const terms: Term[] = query.phrases.map((phrase) => ({ kind: 'phrase', phrase, parts: indexedParts(phrase, stems) }))
  for (const { chunk, words } of kept) {
    const key = words.join(' ')
    if (seen.has(key)) continue
    seen.add(key)
    const parts = words.map((word) => ({ word, stems: stems.get(word) ?? noStems }))
    terms.push({ kind: 'word', parts, chunk, isLast: chunk === last?.chunk })
  }
  return terms.slice(0, MOST_TERMS)
}

const noStems: Stems = { english: null, spanish: null, french: null, german: null }

/**
 * Words of a phrase that the index surely has as they are, so that few texts are read letter by letter: before each of
 * them is a space, and only after the last one something else may follow.
 */
function indexedParts(phrase: string, stems: Map<string, Stems>): Part[] {
  const words = phrase.toLowerCase().split(' ').slice(1)
  if (!/^[\p{L}\p{N}]+$/u.test(words.at(-1) ?? '')) words.pop()
  return words
    .filter((word) => /^[\p{L}\p{N}]+$/u.test(word) && word.length >= SHORTEST_OPEN_WORD)
    .map((word) => ({ word, stems: stems.get(word) ?? noStems }))
    .filter((part) => stemmedLanguages.every((language) => part.stems[language] !== null))
}

/** Whether a word describes something; words that only ask for it or hold a sentence together do not. */
export function isTelling(word: string, language: StemmedLanguage | null, stems: Map<string, Stems>): boolean {
  if (word.length === 1 && /\p{Script=Latin}/u.test(word)) return false
  if (language === null) return true
  return stems.get(word)?.[language] !== null && !asking[language].has(word)
}

/**
 * A term as PostgreSQL looks for it in texts of any language: some form of each of its parts, or all of it as the parser
 * reads it in one piece (names of files, addresses, numbers).
 * @param parsed what plainto_tsquery makes of the chunk.
 */
export function tsqueryOf(term: Term, parsed = ''): string {
  const { parts } = term
  // after the last word of a phrase may stand what belongs to its token: report.pdf
  const isOpen = (at: number) => (term.kind === 'phrase' || term.isLast) && at === parts.length - 1
  const forms = parts.map((part, at) => `(${formsOf(part, isOpen(at)).join(' | ')})`)
  const query = forms.join(' & ')
  return parts.length > 1 && parsed !== '' ? `((${query}) | (${parsed}))` : query
}

/** Lexemes that forms of a word have; those that others begin with are left out. */
function formsOf({ word, stems }: Part, isOpen: boolean): string[] {
  const open = new Set(stemmedLanguages.map((language) => stems[language]).filter((stem) => isLong(stem)))
  if (isOpen && word.length >= SHORTEST_OPEN_WORD) open.add(word)
  const isBegun = (form: string) => [...open].some((one) => one !== null && one !== form && form.startsWith(one))
  const forms = [...open].filter((form) => form !== null && !isBegun(form)).map((form) => `${quote(form ?? '')}:*`)
  const closed = new Set([word, ...stemmedLanguages.map((language) => stems[language])])
  for (const form of closed) {
    if (form !== null && !open.has(form) && !isBegun(form)) forms.push(quote(form))
  }
  return forms
}

function isLong(stem: string | null): stem is string {
  return stem !== null && stem.length >= SHORTEST_OPEN_STEM
}

/** A lexeme as PostgreSQL reads it in a text search query. */
function quote(lexeme: string): string {
  return `'${lexeme.replace(/[\\']/g, '$&$&')}'`
}

/** A phrase as a regular expression of PostgreSQL: its words with any space between them, not in the middle of others. */
export function patternOf(phrase: string): string {
  const words = phrase.split(' ').map((word) => word.replace(/[!-/:-@[-`{-~]/g, '\\$&'))
  const before = /^[\p{L}\p{N}]/u.test(phrase) ? '\\m' : ''
  const after = /[\p{L}\p{N}]$/u.test(phrase) ? '\\M' : ''
  return before + words.join('\\s+') + after
}
