import type { Language } from '@mira/shared'
import { abbreviations } from './calendar-names.ts'
import { leadingWords } from './reminder-time-words.ts'
import type { TextRange } from './rewritten-text.ts'

/** Text without the ranges, their leading words, and punctuation that only separated them from the rest. */
export function textWithout(text: string, ranges: TextRange[], language: Language): string {
  const pieces: string[] = []
  let restBegin = 0
  for (const { begin, end } of [...ranges].sort((one, other) => one.begin - other.begin)) {
    if (begin >= restBegin) pieces.push(text.slice(restBegin, begin).replace(leadingWords[language], ''))
    const isAbbreviated = text[end] === '.' && abbreviation.test(text.slice(0, end))
    restBegin = Math.max(restBegin, isAbbreviated ? end + 1 : end)
  }
  return [...pieces, text.slice(restBegin)].reduce(joinAround)
}

const abbreviation = new RegExp(String.raw`(?<!\p{L})${abbreviations}$`, 'iu')

/** Joins the texts before and after a time. */
function joinAround(before: string, after: string): string {
  // "call Anna (tomorrow at 9)"
  const opening = /[([]\s*$/u.exec(before)
  if (opening !== null) {
    const inBrackets = after.replace(separatorsAtStart, '')
    if (!/^[)\]]/u.test(inBrackets)) return before.trimEnd() + inBrackets
    return joinAround(before.slice(0, opening.index), inBrackets.slice(1))
  }
  // "in 20 minutes: check the oven", "call Anna tomorrow at 9!"
  if (before.trim() === '') return ` ${after.replace(separatorsAtStart, '')}`
  if (after.replace(separatorsAtStart, '') === '') return `${before} `
  // "call Anna, tomorrow at 9, and Bob"
  if (!/^\s*[.,:;!?…–—]/u.test(after)) return `${before} ${after}`
  return before.replace(/(?<![\s,:;–—-])[\s,:;–—-]+$/u, '') + after
}

const separatorsAtStart = /^(?:[\s.,:;!?…–—]|[-/|](?=\s|$))+/u
